//! Stored messages, read only.

pub(crate) mod http;

use api::caller::Sees as _;
use api::{Admin, FilteredList, List, OrgMember};
use domain::Failure;
use domain::chat::{ChatMessage, ChatMessageDetails};
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::media::URL_SECONDS;
use futures_util::future::try_join_all;
use store::{InboundMedia, Page, StoredMessage};

use crate::ChatContext;
use crate::numbers::no_such_number;

const UNNAMED: &str = "file";

/// The bytes that the platform gave are here until `expires_at`; an address is made at each read.
async fn with_media_url(
    chat: &ChatContext,
    o: &OrganizationId,
    mut message: ChatMessage,
    media: Option<&InboundMedia>,
) -> Result<ChatMessage, Failure> {
    let left = media.and_then(|media| media.expires_at).map_or(0, |at| chat.context.now().seconds_until(at));
    if left > 0 {
        let name = message.media_filename.as_deref().unwrap_or(UNNAMED);
        let mime = message.media_mime_type.as_deref().unwrap_or_default();
        let url = chat.bucket.presign_inbound(o, &message.id, (name, mime), left.min(URL_SECONDS)).await?;
        message.media_url = Some(url);
    }
    Ok(message)
}

async fn details(
    chat: &ChatContext,
    caller: &Admin,
    found: Option<StoredMessage>,
) -> Result<ChatMessageDetails, Failure> {
    let o = &caller.organization;
    let stored = found.ok_or_else(|| Failure::not_found("messageId", "chat message"))?;
    caller.expect_visible(stored.message().id.mode(), "messageId", "chat message")?;
    let media = stored.kept.inbound_media.clone();
    let mut details = stored.details();
    details.message = with_media_url(chat, o, details.message, media.as_ref()).await?;
    Ok(details)
}

async fn list(
    chat: &ChatContext,
    caller: &OrgMember,
    list: &FilteredList<ChatPhoneNumberId>,
) -> Result<List<ChatMessage>, Failure> {
    let (o, store) = (&caller.organization, &chat.context.store);
    let number = list.required()?;
    let name = format!("chat-messages/{number}");
    let request = list.query.page(o, &name)?;
    let param = "chatPhoneNumberId";
    caller.expect_visible(number.mode(), param, "chat phone number")?;
    let page = store.chat_messages(o, number, &request).await?;
    if page.items.is_empty() && store.chat_phone_number(o, number).await?.is_none() {
        return Err(no_such_number(param));
    }
    let shown = page
        .items
        .into_iter()
        .map(|(message, media)| async move { with_media_url(chat, o, message, media.as_ref()).await });
    let page = Page { items: try_join_all(shown).await?, next: page.next };
    Ok(List::new(page, o, &name))
}
