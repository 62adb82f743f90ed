use api::{Admin, Answer, Claim, Deferred, FilteredList, List, ListQuery, OrgMember, Path, Rejection};
use axum::extract::State;
use domain::chat::{ChatMessage, ChatMessageDetails};
use domain::id::{ChatMessageId, ChatPhoneNumberId};

use crate::ChatContext;

/// List chat messages
///
/// Returns the messages of one chat phone number, newest first, without their related records.
#[utoipa::path(get, path = "/v1/organization/chat/messages", tag = "Chat",
    security(("adminKey" = []), ("session" = [])),
    params(ListQuery, ("chatPhoneNumberId" = ChatPhoneNumberId, Query)),
    responses((status = 200, description = "A page of messages", body = List<ChatMessage>),
        (status = 404, description = "No such chat phone number")))]
pub(crate) async fn list_messages(
    State(chat): State<ChatContext>,
    claim: Claim<OrgMember>,
    list: Deferred<FilteredList<ChatPhoneNumberId>>,
) -> Result<Answer<List<ChatMessage>>, Rejection> {
    let read = claim.with(list, |reads, list| async move {
        let request = super::list_request(reads.organization_id(), &list)?;
        let page = reads.chat_messages(&request.number, &request.page).await?;
        Ok((request, page))
    });
    let (caller, (request, page)) = read.await?;
    Ok(Answer::ok(super::list(&chat, &caller, &request, page)?))
}

/// Get a chat message
///
/// Returns one message with its recipients, referral, order and conversation window.
#[utoipa::path(get, path = "/v1/organization/chat/messages/{messageId}", tag = "Chat", security(("adminKey" = [])),
    params(("messageId" = ChatMessageId, Path)),
    responses((status = 200, description = "The message", body = ChatMessageDetails)))]
pub(crate) async fn get_message(
    State(chat): State<ChatContext>,
    claim: Claim<Admin>,
    path: Deferred<Path<(ChatMessageId,)>>,
) -> Result<Answer<ChatMessageDetails>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move { reads.chat_message(&id).await });
    let (caller, stored) = read.await?;
    Ok(Answer::ok(super::details(&chat, &caller, stored)?))
}
