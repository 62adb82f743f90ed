//! Simulated inbound chat messages, stored as real ones are.

pub(crate) mod http;

use api::events::event;
use api::{Context, TestApp};
use domain::chat::{ChatMessage, ChatMessageType, ChatPhoneNumber, Direction};
use domain::event::{Audience, EventName};
use domain::id::ChatMessageId;
use domain::{E164, Failure, Mode};
use store::{Change, PlaygroundUser, StoredMessage};
use tokio::try_join;

pub(crate) struct Inbound {
    from: E164,
    to: Option<E164>,
    text: String,
}

async fn simulate(context: &Context, caller: &TestApp, inbound: &Inbound) -> Result<(ChatMessage, Change), Failure> {
    let o = &caller.0.organization;
    let (user, number) =
        try_join!(sender(context, caller, &inbound.from), receiver(context, caller, inbound.to.as_ref()))?;
    let now = context.now();
    let id = ChatMessageId::mint(Mode::Test, now, context.random());
    let way = (&number.id, &number.display_phone_number);
    let message = ChatMessage {
        from_phone_number: Some(inbound.from.clone()),
        text_body: Some(inbound.text.clone()),
        sent_at: Some(now),
        ..ChatMessage::blank(id, way, Direction::Inbound, ChatMessageType::Text, now)
    };
    let mut change = Change::new();
    if !user.has_written {
        change.note_first_use(o, &inbound.from, now)?;
    }
    let stored = StoredMessage::new(message);
    change.create_chat_message(o, &stored)?;
    let audience = Audience::AppsOfNumber(number.id.to_string());
    let received = event(context, EventName::MessagesChatReceived, Mode::Test, audience, &stored.clone().details())?;
    change.emit(o, &received)?;
    Ok((stored.tracked.message, change))
}

async fn sender(context: &Context, TestApp(caller): &TestApp, from: &E164) -> Result<PlaygroundUser, Failure> {
    let user = context.store.playground_user(&caller.organization, from).await?;
    user.ok_or_else(|| Failure::not_found("from", "playground user; generate one first"))
}

/// The number named by `to`, or the app's first.
async fn receiver(context: &Context, TestApp(caller): &TestApp, to: Option<&E164>) -> Result<ChatPhoneNumber, Failure> {
    let assigned = context.store.chat_phone_numbers_of_app(&caller.organization, &caller.app_id).await?;
    let mut candidates = assigned.into_iter().filter(|number| to.is_none_or(|to| number.display_phone_number == *to));
    candidates.next().ok_or_else(|| Failure::not_found("to", "simulated chat number assigned to this app"))
}
