//! Stored messages. These operations only read.

pub(crate) mod http;

use api::caller::Sees as _;
use api::{Admin, FilteredList, List, OrgMember};
use domain::Failure;
use domain::chat::{ChatMessage, ChatMessageDetails};
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::media::URL_SECONDS;
use store::{InboundMedia, MessagePage, Page, PageRequest, StoredMessage};

use crate::ChatContext;
use crate::numbers::no_such_number;

const UNNAMED: &str = "file";

/// Adds a download URL to a message whose media is stored. The URL never outlives the media.
fn with_media_url(
    chat: &ChatContext,
    organization: &OrganizationId,
    mut message: ChatMessage,
    media: Option<&InboundMedia>,
) -> Result<ChatMessage, Failure> {
    let left = media.and_then(|media| media.expires_at).map_or(0, |at| chat.context.now().seconds_until(at));
    if left > 0 {
        let name = message.media_filename.as_deref().unwrap_or(UNNAMED);
        let mime = message.media_mime_type.as_deref().unwrap_or_default();
        let url = chat.presigner.inbound(organization, &message.id, (name, mime), left.min(URL_SECONDS))?;
        message.media_url = Some(url);
    }
    Ok(message)
}

fn details(chat: &ChatContext, caller: &Admin, stored: Option<StoredMessage>) -> Result<ChatMessageDetails, Failure> {
    let organization = &caller.organization;
    let stored = stored.ok_or_else(|| Failure::not_found("messageId", "chat message"))?;
    caller.expect_visible(stored.message().id.mode(), "messageId", "chat message")?;
    let media = stored.kept.inbound_media.clone();
    let mut details = stored.details();
    details.message = with_media_url(chat, organization, details.message, media.as_ref())?;
    Ok(details)
}

/// A list request, with the name that its cursors carry.
struct ListRequest {
    number: ChatPhoneNumberId,
    page: PageRequest,
    name: String,
}

fn list_request(organization: &OrganizationId, list: &FilteredList<ChatPhoneNumberId>) -> Result<ListRequest, Failure> {
    let number = list.required()?.clone();
    let name = format!("chat-messages/{number}");
    Ok(ListRequest { page: list.query.page(organization, &name)?, number, name })
}

fn list(
    chat: &ChatContext,
    caller: &OrgMember,
    request: &ListRequest,
    page: MessagePage,
) -> Result<List<ChatMessage>, Failure> {
    let organization = &caller.organization;
    caller.expect_visible(request.number.mode(), "chatPhoneNumberId", "chat phone number")?;
    let page = page.ok_or_else(|| no_such_number("chatPhoneNumberId"))?;
    let messages =
        page.items.into_iter().map(|(message, media)| with_media_url(chat, organization, message, media.as_ref()));
    let page = Page { items: messages.collect::<Result<_, _>>()?, next: page.next };
    Ok(List::new(page, organization, &request.name))
}
