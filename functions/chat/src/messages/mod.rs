//! The message log. Callers of the organization read the messages of every number; an app key reads those of the app's
//! numbers, from the time of their assignment on.

pub(crate) mod http;
mod media;
pub(crate) mod own;
pub(crate) mod own_http;

use api::caller::Sees as _;
use api::{Admin, List, ListBy, OfNumber, OrgMember};
use domain::Failure;
use domain::chat::{ChatMessage, ChatMessageDetails};
use domain::id::{ChatMessageId, ChatPhoneNumberId, OrganizationId};
use store::{ChatRecord, InboundMedia, MessageFilter, Page, PageRequest, StoredChat};

use self::media::{Uploads, with_media_url};
use crate::ChatContext;
use crate::numbers::no_such_number;

fn no_such_message() -> Failure {
    Failure::not_found("messageId", "chat message")
}

/// Returns a message that has not ended.
async fn find(chat: &ChatContext, organization: &OrganizationId, id: &ChatMessageId) -> Result<StoredChat, Failure> {
    let stored = chat.context.store.of(organization).message(id).await?;
    stored.filter(|stored| !stored.has_ended(chat.context.now())).ok_or_else(no_such_message)
}

async fn show(
    chat: &ChatContext,
    organization: &OrganizationId,
    stored: StoredChat,
) -> Result<ChatMessageDetails, Failure> {
    let media = stored.reported.inbound_media.clone();
    let uploads = Uploads::of(chat, organization, media.iter().filter_map(InboundMedia::upload).collect()).await?;
    let mut details = stored.record.into_details();
    details.message = with_media_url(chat, organization, details.message, media.as_ref(), &uploads)?;
    Ok(details)
}

async fn details(chat: &ChatContext, caller: &Admin, id: &ChatMessageId) -> Result<ChatMessageDetails, Failure> {
    caller.expect_visible(id.mode(), "messageId", "chat message")?;
    let stored = find(chat, &caller.organization, id).await?;
    Ok(caller.may_see.view(show(chat, &caller.organization, stored).await?))
}

/// Returns a page of a number's messages.
async fn page(
    chat: &ChatContext,
    organization: &OrganizationId,
    number: &ChatPhoneNumberId,
    filter: &MessageFilter,
    page: &PageRequest,
) -> Result<Page<ChatMessage>, Failure> {
    let org = chat.context.store.of(organization);
    let page = org.messages::<ChatRecord>(&number.clone().into(), filter, page, chat.context.now()).await?;
    let named = page.items.iter().filter_map(|stored| stored.reported.inbound_media.as_ref()?.upload()).collect();
    let uploads = Uploads::of(chat, organization, named).await?;

    let messages = page.items.into_iter().map(|stored| {
        let ChatRecord { tracked, reported, .. } = stored.record;
        with_media_url(chat, organization, tracked.message, reported.inbound_media.as_ref(), &uploads)
    });
    Ok(Page { items: messages.collect::<Result<_, _>>()?, next: page.next })
}

async fn list(
    chat: &ChatContext,
    caller: &OrgMember,
    list: &ListBy<OfNumber<ChatPhoneNumberId>>,
) -> Result<List<ChatMessage>, Failure> {
    let organization = &caller.organization;
    let OfNumber { number, filters } = &list.filters;
    let name = filters.name(&format!("chat-messages/{number}"));
    let request = list.query.page(organization, &name)?;
    caller.expect_visible(number.mode(), "chatPhoneNumberId", "chat phone number")?;
    let page = page(chat, organization, number, &filters.from(None), &request).await?;
    if page.items.is_empty() && chat.context.store.of(organization).chat_phone_number(number).await?.is_none() {
        return Err(no_such_number("chatPhoneNumberId"));
    }
    let page = page.map(|message| caller.may_see.view(message));
    List::new(page, organization, &name, |message| message.id.ksuid())
}
