//! SMS messages of simulated users. The playground validates the sender and the receiver, and the simulated carrier
//! reports the message, so that the code for live messages stores it.

pub(crate) mod http;

use std::collections::BTreeSet;

use api::TestApp;
use domain::id::PhoneNumberId;
use domain::number::PhoneNumber;
use domain::sms::SmsMessage;
use domain::testing::playground::is_fictional;
use domain::{E164, Failure, Mode, Timestamp};
use futures_util::future::try_join;
use inbound::{Inbox, SimulatedSms};
use runtime::Context;
use store::{Change, NewSystemNumber, PlaygroundNumber, Quota, Reads};

use crate::context::own_part;

const NO_RECEIVER: &str = "No such test phone number is assigned to this app. GET /v1/playground/phone-numbers/system lists \
    its numbers. A number of the form +1 NPA 555 01XX that is not in use becomes one of them.";

/// The validated body of the operation.
pub(crate) struct Inbound {
    from: E164,
    to: E164,
    text: String,
}

/// The data that is read before a message is received.
struct Seen {
    sender: Option<PlaygroundNumber>,
    receiver: Receiver,
}

/// The organization's record of the number to which the message is sent.
enum Receiver {
    Number(Box<PhoneNumber>),
    /// A user, the number of a simulated chat, or a number that had an app.
    Taken,
    Unknown,
}

/// Reads the records of both numbers, by full keys.
async fn read(reads: &Reads, inbound: &Inbound) -> Result<Seen, Failure> {
    let number = async || {
        Ok::<_, Failure>(
            reads.phone_number_of_digits(&inbound.to).await?.map(|number| Receiver::Number(Box::new(number))),
        )
    };
    let receiver = async {
        if let Some(number) = number().await? {
            return Ok(number);
        }
        if reads.playground_number(&inbound.to).await?.is_none() {
            return Ok(Receiver::Unknown);
        }
        // Another request may have made it a number of the app between the two reads.
        Ok(number().await?.unwrap_or(Receiver::Taken))
    };
    let (sender, receiver) = try_join(reads.playground_number(&inbound.from), receiver).await?;
    Ok(Seen { sender, receiver })
}

/// Makes the simulated carrier report the message, and returns the stored message. `request` identifies the request and
/// its input, if it has an `Idempotency-Key`.
async fn receive(
    inbox: &Inbox,
    caller: &TestApp,
    inbound: &Inbound,
    seen: Result<Seen, Failure>,
    request: Option<&str>,
) -> Result<SmsMessage, Failure> {
    let (context, organization) = (&inbox.context, &caller.app.organization);
    let org = context.store.of(organization);
    let read = || read(&org, inbound);
    let decide = |seen| async move { admit(context, caller, inbound, seen?, context.now()) };
    let number = context.store.settle_from(seen, read, decide).await?;
    let carrier_id = format!("simulated-{}", own_part(context, request));
    let Inbound { from, to, text } = inbound;
    let sent = SimulatedSms { carrier_id: &carrier_id, from, to, text };
    inbox.apply_carrier_update(&sent.update(organization, context.now())).await?;
    let stored = inbox.received_sms(organization, &number, &carrier_id).await?;
    stored.ok_or_else(|| Failure::internal("a simulated message was not stored"))
}

/// Counts the message, makes its sender a playground user of the organization, and its receiver a system number of the
/// app if that number is not allocated. Returns the receiver.
fn admit(
    context: &Context,
    caller: &TestApp,
    inbound: &Inbound,
    seen: Seen,
    now: Timestamp,
) -> Result<(Change, PhoneNumber), Failure> {
    let app = &caller.app.app_id;
    let mut change = Change::new(&caller.app.organization);
    change.spend(&Quota::playground_messages(app), 1, now)?;
    let new_user = match seen.sender {
        None => std::slice::from_ref(&inbound.from),
        Some(PlaygroundNumber::User { has_written: false }) => {
            change.note_first_use(&inbound.from, now)?;
            &[]
        }
        Some(PlaygroundNumber::User { has_written: true }) => &[],
        Some(PlaygroundNumber::System) => return Err(own_number()),
    };

    let number = match seen.receiver {
        Receiver::Number(number) if number.apps.contains(app) => {
            change.admit(new_user, None, now)?;
            *number
        }
        Receiver::Unknown if is_fictional(&inbound.to) => {
            let id = PhoneNumberId::mint(Mode::Test, now, context.random());
            let apps = BTreeSet::from([app.clone()]);
            let number = PhoneNumber { is_system: true, ..PhoneNumber::new(id, inbound.to.clone(), apps, now) };
            change.admit(new_user, Some(NewSystemNumber { number: &number, app, param: "to" }), now)?;
            number
        }
        Receiver::Number(_) | Receiver::Taken | Receiver::Unknown => {
            return Err(Failure::not_found_with("to", NO_RECEIVER));
        }
    };

    Ok((change, number))
}

fn own_number() -> Failure {
    Failure::invalid("from", "from must not be one of the organization's own simulated numbers. Use another number.")
}
