//! Simulated SMS messages between an app's system numbers and any other number.

pub(crate) mod http;

use api::TestApp;
use domain::chat::Direction;
use domain::event::{Audience, EventName};
use domain::id::SmsMessageId;
use domain::sms::{SmsMessage, SmsStatus, fails_in_the_playground};
use domain::{E164, Failure, Mode};
use runtime::{Context, event};
use store::{Change, Quota, SystemNumber};

/// The validated body of the operation.
pub(crate) struct Sms {
    from: E164,
    to: E164,
    text: String,
}

/// Decides on a message. `known` holds those of the two numbers that are system numbers, with their apps.
fn simulate(
    context: &Context,
    caller: &TestApp,
    sms: &Sms,
    known: &[SystemNumber],
) -> Result<(SmsMessage, Change), Failure> {
    let is_own = |number: &E164| known.iter().any(|known| known.number == *number && known.app_id == caller.app.app_id);
    let direction = match (is_own(&sms.from), is_own(&sms.to)) {
        (true, false) => Direction::Outbound,
        (false, true) => Direction::Inbound,
        (true, true) => {
            return Err(Failure::invalid(
                "to",
                "from and to must not both be system numbers of the app. Exactly one must be.",
            ));
        }
        (false, false) => {
            return Err(Failure::invalid("from", "Exactly one of from and to must be a system number of the app."));
        }
    };
    let now = context.now();
    let status = status(direction, &sms.to);
    let message = SmsMessage {
        id: SmsMessageId::mint(Mode::Test, now, context.random()),
        app_id: caller.app.app_id.clone(),
        from: sms.from.clone(),
        to: sms.to.clone(),
        text: sms.text.clone(),
        direction,
        status: status.into(),
        created_at: now,
    };
    let mut change = Change::new(&caller.app.organization);
    change.spend(&Quota::playground_messages(&caller.app.app_id), 1, now)?;
    change.create_sms_message(&message)?;
    for (kind, status) in events_of(status) {
        let data = SmsMessage { status: (*status).into(), ..message.clone() };
        let audience = Audience::App(message.app_id.to_string());
        change.emit(&event(context, *kind, Mode::Test, audience, &data)?)?;
    }
    Ok((message, change))
}

/// Returns the events of a message with the status that each reports. A sent message is delivered immediately.
fn events_of(status: SmsStatus) -> &'static [(EventName, SmsStatus)] {
    match status {
        SmsStatus::Received => &[(EventName::MessagesSmsReceived, SmsStatus::Received)],
        SmsStatus::Failed => &[(EventName::MessagesSmsFailed, SmsStatus::Failed)],
        SmsStatus::Sent | SmsStatus::Delivered => {
            &[(EventName::MessagesSmsSent, SmsStatus::Sent), (EventName::MessagesSmsDelivered, SmsStatus::Delivered)]
        }
    }
}

fn status(direction: Direction, to: &E164) -> SmsStatus {
    match direction {
        Direction::Inbound => SmsStatus::Received,
        Direction::Outbound if fails_in_the_playground(to) => SmsStatus::Failed,
        Direction::Outbound => SmsStatus::Sent,
    }
}
