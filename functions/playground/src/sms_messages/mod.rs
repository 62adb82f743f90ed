//! Simulated SMS traffic between an app's system numbers and anyone.

pub(crate) mod http;

use api::TestApp;
use domain::chat::Direction;
use domain::event::{Audience, EventName};
use domain::id::SmsMessageId;
use domain::sms::{SmsMessage, SmsStatus, fails_in_the_playground};
use domain::{E164, Failure, Mode};
use runtime::{Context, event};
use store::{Change, Quota, SystemNumber};

pub(crate) struct Sms {
    from: E164,
    to: E164,
    text: String,
}

/// `known` tells which of the two are system numbers, and of which app.
fn simulate(
    context: &Context,
    caller: &TestApp,
    sms: &Sms,
    known: &[SystemNumber],
) -> Result<(SmsMessage, Change), Failure> {
    let is_own = |number: &E164| known.iter().any(|own| own.number == *number && own.app_id == caller.app.app_id);
    let direction = match (is_own(&sms.from), is_own(&sms.to)) {
        (true, false) => Direction::Outbound,
        (false, true) => Direction::Inbound,
        (true, true) => return Err(Failure::invalid("to", "from and to must not both be system numbers of the app.")),
        (false, false) => {
            return Err(Failure::invalid("from", "One of from and to must be a system number of the app."));
        }
    };
    let now = context.now();
    let first = status(direction, &sms.to);
    let message = SmsMessage {
        id: SmsMessageId::mint(Mode::Test, now, context.random()),
        app_id: caller.app.app_id.clone(),
        from: sms.from.clone(),
        to: sms.to.clone(),
        text: sms.text.clone(),
        direction,
        status: first.into(),
        created_at: now,
    };
    let mut change = Change::new(&caller.app.organization);
    change.spend(&Quota::playground_messages(&caller.app.app_id), 1, now)?;
    change.create_sms_message(&message)?;
    for (kind, status) in told(first) {
        let told = SmsMessage { status: (*status).into(), ..message.clone() };
        let audience = Audience::App(message.app_id.to_string());
        change.emit(&event(context, *kind, Mode::Test, audience, &told)?)?;
    }
    Ok((message, change))
}

/// What is heard of a message: one that was sent is delivered at once.
fn told(status: SmsStatus) -> &'static [(EventName, SmsStatus)] {
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
