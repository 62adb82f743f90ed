//! Simulated inbound chat messages, stored like real ones.

pub(crate) mod http;

use api::{AppCaller, TestApp};
use domain::chat::{ChatMessage, ChatMessageType, Direction};
use domain::event::{Audience, EventName};
use domain::id::{AppId, ChatMessageId};
use domain::playground::SimulatedChatNumber;
use domain::{E164, Failure, Mode};
use runtime::{Context, event};
use store::{Change, OrganizationStore, PlaygroundUser, Quota, StoredMessage};

/// The validated body of the operation.
pub(crate) struct Inbound {
    from: E164,
    to: Option<E164>,
    text: String,
}

/// Decides on a message from a playground user to a number. The commit requires that the number is assigned to the app.
fn simulate(
    context: &Context,
    caller: &AppCaller,
    inbound: &Inbound,
    sender: &PlaygroundUser,
    receiver: &SimulatedChatNumber,
) -> Result<(ChatMessage, Change), Failure> {
    let organization = &caller.organization;
    let now = context.now();
    let id = ChatMessageId::mint(Mode::Test, now, context.random());
    let number = (&receiver.id, &receiver.display_phone_number);
    let message = ChatMessage {
        from_phone_number: Some(inbound.from.clone()),
        text_body: Some(inbound.text.clone()),
        sent_at: Some(now),
        ..ChatMessage::blank(id, number, Direction::Inbound, ChatMessageType::Text, now)
    };
    let mut change = Change::new(organization);
    // A missing number is reported before an exceeded quota.
    change.require_assigned(receiver, &caller.app_id)?;
    change.spend(&Quota::playground_messages(&caller.app_id), 1, now)?;
    if !sender.has_written {
        change.note_first_use(&inbound.from, now)?;
    }
    let stored = StoredMessage::new(message);
    change.create_chat_message(&stored)?;
    let audience = Audience::AppsOfNumber(receiver.id.to_string());
    let received = event(context, EventName::MessagesChatReceived, Mode::Test, audience, &stored.clone().details())?;
    change.emit(&received)?;
    Ok((stored.tracked.message, change))
}

fn expect_user(sender: Option<PlaygroundUser>) -> Result<PlaygroundUser, Failure> {
    sender.ok_or_else(|| {
        Failure::not_found("from", "playground user. Generate one with POST /v1/playground/chat/phone-numbers/user")
    })
}

/// Returns the app's simulated number from the credential, if the message is for it.
fn receiver_of_credential(caller: &TestApp, to: Option<&E164>) -> Option<SimulatedChatNumber> {
    let number = caller.simulated_chat_number.clone();
    number.filter(|number| to.is_none_or(|to| number.display_phone_number == *to))
}

/// Returns the app's number that `to` names, or the app's first number.
async fn assigned_receiver(
    org: &OrganizationStore,
    app: &AppId,
    to: Option<&E164>,
) -> Result<SimulatedChatNumber, Failure> {
    let assigned = org.chat_phone_numbers_of_app(app).await?;
    let mut candidates = assigned.into_iter().filter(|number| to.is_none_or(|to| number.display_phone_number == *to));
    let number =
        candidates.next().ok_or_else(|| Failure::not_found("to", "simulated chat number assigned to this app"))?;
    Ok(SimulatedChatNumber { id: number.id, display_phone_number: number.display_phone_number })
}
