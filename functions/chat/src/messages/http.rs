use api::{Admin, Answer, List, ListBy, ListQuery, MessageFilters, OfNumber, OrgMember, Path, Rejection};
use axum::extract::State;
use domain::chat::{ChatMessage, ChatMessageDetails};
use domain::id::{ChatMessageId, ChatPhoneNumberId};

use crate::ChatContext;

/// List chat messages
///
/// Returns the messages of one chat phone number, newest first, without their related records; for session tokens, also
/// without their texts, media, locations, reactions and buttons. A filtered page looks at up to 200 messages, and can be
/// short or empty although more follow: only `nextCursor: null` is the end.
#[utoipa::path(get, path = "/v1/organization/chat/messages", tag = "Chat",
    security(("adminKey" = []), ("session" = [])),
    params(ListQuery, ("chatPhoneNumberId" = ChatPhoneNumberId, Query), MessageFilters),
    responses((status = 200, description = "A page of messages", body = List<ChatMessage>),
        (status = 404, description = "No such chat phone number")))]
pub(crate) async fn list_messages(
    State(chat): State<ChatContext>,
    caller: OrgMember,
    list: ListBy<OfNumber<ChatPhoneNumberId>>,
) -> Result<Answer<List<ChatMessage>>, Rejection> {
    Ok(Answer::ok(super::list(&chat, &caller, &list).await?))
}

/// Get a chat message
///
/// Returns one message with its recipients, referral, order and conversation window.
#[utoipa::path(get, path = "/v1/organization/chat/messages/{messageId}", tag = "Chat", security(("adminKey" = [])),
    params(("messageId" = ChatMessageId, Path)),
    responses((status = 200, description = "The message", body = ChatMessageDetails)))]
pub(crate) async fn get_message(
    State(chat): State<ChatContext>,
    caller: Admin,
    Path((id,)): Path<(ChatMessageId,)>,
) -> Result<Answer<ChatMessageDetails>, Rejection> {
    Ok(Answer::ok(super::details(&chat, &caller, &id).await?))
}
