//! Simulated SMS traffic between an app's system numbers and anyone.

pub(crate) mod http;

use api::events::event;
use api::{Context, TestApp};
use domain::chat::Direction;
use domain::event::{Audience, EventName};
use domain::id::SmsMessageId;
use domain::sms::{SmsMessage, SmsStatus, fails_in_the_playground};
use domain::{E164, Failure, Mode};
use store::Change;

use crate::numbers::system_numbers;

pub(crate) struct Sms {
    from: E164,
    to: E164,
    text: String,
}

async fn simulate(context: &Context, caller: &TestApp, sms: &Sms) -> Result<(SmsMessage, Change), Failure> {
    let own = system_numbers(context, caller).await?;
    let direction = match (own.contains(&sms.from), own.contains(&sms.to)) {
        (true, false) => Direction::Outbound,
        (false, true) => Direction::Inbound,
        (true, true) => return Err(Failure::invalid("to", "from and to must not both be system numbers of the app.")),
        (false, false) => {
            return Err(Failure::invalid("from", "One of from and to must be a system number of the app."));
        }
    };
    let now = context.now();
    let message = SmsMessage {
        id: SmsMessageId::mint(Mode::Test, now, context.random()),
        app_id: caller.0.app_id.clone(),
        from: sms.from.clone(),
        to: sms.to.clone(),
        text: sms.text.clone(),
        direction,
        status: status(direction, &sms.to),
        created_at: now,
    };
    let mut change = Change::new();
    change.create_sms_message(&caller.0.organization, &message)?;
    for (kind, status) in told(message.status) {
        let told = SmsMessage { status: *status, ..message.clone() };
        let audience = Audience::App(message.app_id.to_string());
        change.emit(&caller.0.organization, &event(context, *kind, Mode::Test, audience, &told)?)?;
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
