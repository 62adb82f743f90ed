//! Sending a chat message.

pub(crate) mod http;
mod reads;

use api::AppCaller;
use domain::chat::outgoing::{Outgoing, note_medium};
use domain::chat::{ChatMessage, ChatMessageType, ChatPhoneNumber, Direction, Outcome};
use domain::id::ChatMessageId;
use domain::media::Media;
use domain::organization::MessageRetention;
use domain::{Failure, Timestamp};
use outbound::{ChatChannel, Named, ReadyChat, assigned, connected, link};
use store::{ChatRecord, Stored, StoredChat};

use self::reads::{Ahead, Found, Rest};
use super::{Draft, begin};
use crate::SendingContext;
use crate::messages::Sending;

/// Checks whether a message can be sent, and makes it. The first reason against it is the failure, in the order of the
/// page [errors](../../../../docs/specification.md).
async fn check(
    sending: &SendingContext,
    caller: &AppCaller,
    credential: &str,
    asked: &Sending,
    ahead: Ahead,
) -> Result<Draft<ChatChannel>, Failure> {
    let (app, now) = (&caller.app_id, sending.context().now());
    let org = sending.context().store.of(&caller.organization);
    let Found { number, rest } = reads::complete(sending, &org, app, credential, asked, ahead).await?;
    let number = assigned(number.as_ref(), app)?.clone();
    let Some((Rest { profile, named, held, retention }, quota)) = rest else {
        return Err(Failure::internal("nothing was read for a number"));
    };

    let profile = connected(&number, profile.as_ref(), now)?;
    let medium = shown_medium(&asked.message, &named);
    let address = |media: &Media| link(&sending.outbound.presigner, &org, media);
    let mut resolved = named.resolve(&asked.message, app, &number, address, now)?;
    resolved.held = held;
    let line = sending.outbound.line(&org, profile).await?;
    quota?;

    let body = asked.message.body(&resolved)?;
    let mut message = new_message(sending, caller, &number, retention, now);
    let ChatRecord { tracked, data, .. } = &mut message.record;
    asked.message.fill(&mut tracked.message, data, &resolved)?;
    if let Some(medium) = medium {
        note_medium(&mut tracked.message, &medium);
    }
    tracked.message.client_reference = asked.message.client_reference().map(str::to_owned);
    begin(sending, &mut message, &asked.message, asked.queued_for, number.assigned_since(app))?;
    Ok(Draft { message, ready: ReadyChat { number, line, body } })
}

/// Returns the medium of a message that consists of one.
fn shown_medium(message: &Outgoing, named: &Named) -> Option<Media> {
    use ChatMessageType::{Audio, Document, Image, Sticker, Video};
    let is_medium = matches!(message.content().message_type(), Image | Video | Audio | Document | Sticker);
    named.media.first().filter(|_| is_medium).and_then(|(_, media)| media.clone())
}

fn new_message(
    sending: &SendingContext,
    caller: &AppCaller,
    number: &ChatPhoneNumber,
    retention: MessageRetention,
    now: Timestamp,
) -> StoredChat {
    let id = ChatMessageId::mint(caller.app_id.mode(), now, sending.context().random());
    let (direction, kind) = (Direction::Outbound, ChatMessageType::Unknown);
    let mut message = ChatMessage::blank(id, &number.id, &number.display_phone_number, direction, kind, now);
    message.app_id = Some(caller.app_id.clone());
    message.outcome = Some(Outcome::Pending.into());
    message.queued_at = Some(now);

    let mut stored = Stored::new(ChatRecord::new(message), retention);
    stored.reported.is_filled = true;
    stored
}
