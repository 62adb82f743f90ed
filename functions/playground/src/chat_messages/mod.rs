//! Simulated inbound chat messages, stored as real ones are.

pub(crate) mod http;

use api::{AppCaller, TestApp};
use domain::chat::{ChatMessage, ChatMessageType, Direction};
use domain::event::{Audience, EventName};
use domain::id::ChatMessageId;
use domain::playground::SimulatedChatNumber;
use domain::{E164, Failure, Mode};
use runtime::{Context, event};
use store::{Change, PlaygroundUser, Quota, StoredMessage};

pub(crate) struct Inbound {
    from: E164,
    to: Option<E164>,
    text: String,
}

/// From a user of the playground to a number that must be the app's when this is written.
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
    let way = (&receiver.id, &receiver.display_phone_number);
    let message = ChatMessage {
        from_phone_number: Some(inbound.from.clone()),
        text_body: Some(inbound.text.clone()),
        sent_at: Some(now),
        ..ChatMessage::blank(id, way, Direction::Inbound, ChatMessageType::Text, now)
    };
    let mut change = Change::new(organization);
    // What is not there comes before what is used up.
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

fn known(sender: Option<PlaygroundUser>) -> Result<PlaygroundUser, Failure> {
    sender.ok_or_else(|| Failure::not_found("from", "playground user; generate one first"))
}

/// The app's own number, where that is meant, as its key tells it: nothing has to be read.
fn own(caller: &TestApp, to: Option<&E164>) -> Option<SimulatedChatNumber> {
    let own = caller.simulated_chat_number.clone();
    own.filter(|own| to.is_none_or(|to| own.display_phone_number == *to))
}

/// The number named by `to`, or the app's first.
async fn assigned(context: &Context, caller: &AppCaller, to: Option<&E164>) -> Result<SimulatedChatNumber, Failure> {
    let assigned = context.store.of(&caller.organization).chat_phone_numbers_of_app(&caller.app_id).await?;
    let mut candidates = assigned.into_iter().filter(|number| to.is_none_or(|to| number.display_phone_number == *to));
    let found =
        candidates.next().ok_or_else(|| Failure::not_found("to", "simulated chat number assigned to this app"))?;
    Ok(SimulatedChatNumber { id: found.id, display_phone_number: found.display_phone_number })
}
