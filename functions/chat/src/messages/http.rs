use api::{Admin, Answer, Claim, Deferred, FilteredList, List, ListQuery, OrgMember, Path, Rejection};
use axum::extract::State;
use domain::chat::{ChatMessage, ChatMessageDetails};
use domain::id::{ChatMessageId, ChatPhoneNumberId};

use crate::ChatContext;

/// List chat messages
///
/// Of one number, without their related records.
#[utoipa::path(get, path = "/v1/organization/chat/messages", tag = "Chat",
    security(("adminKey" = []), ("session" = [])),
    params(ListQuery, ("chatPhoneNumberId" = ChatPhoneNumberId, Query)),
    responses((status = 200, description = "A page of messages", body = List<ChatMessage>),
        (status = 404, description = "There is no such chat phone number")))]
pub(crate) async fn list_messages(
    State(chat): State<ChatContext>,
    claim: Claim<OrgMember>,
    list: Deferred<FilteredList<ChatPhoneNumberId>>,
) -> Result<Answer<List<ChatMessage>>, Rejection> {
    let read = claim.with(list, |reads, list| async move {
        let asked = super::asked(reads.organization_id(), &list)?;
        let page = reads.chat_messages(&asked.number, &asked.page).await?;
        Ok((asked, page))
    });
    let (caller, (asked, page)) = read.await?;
    Ok(Answer::ok(super::list(&chat, &caller, &asked, page)?))
}

/// Get chat message
///
/// With recipients, referral, order and conversation window.
#[utoipa::path(get, path = "/v1/organization/chat/messages/{messageId}", tag = "Chat", security(("adminKey" = [])),
    params(("messageId" = ChatMessageId, Path)),
    responses((status = 200, description = "The message", body = ChatMessageDetails)))]
pub(crate) async fn get_message(
    State(chat): State<ChatContext>,
    claim: Claim<Admin>,
    path: Deferred<Path<(ChatMessageId,)>>,
) -> Result<Answer<ChatMessageDetails>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move { reads.chat_message(&id).await });
    let (caller, found) = read.await?;
    Ok(Answer::ok(super::details(&chat, &caller, found)?))
}
