use api::{Admin, Answer, List, ListBy, ListQuery, MessageFilters, OfNumber, OrgMember, Path, Rejection};
use axum::extract::State;
use domain::chat::{ChatMessage, ChatMessageDetails};
use domain::id::{ChatMessageId, ChatPhoneNumberId};

use crate::ChatContext;

/// List WhatsApp messages
///
/// Returns the messages of one WhatsApp number, newest first, without recipients, referral, order and conversation
/// window; for session tokens, also without their texts, media, locations, reactions and buttons. A filtered page looks
/// at up to 200 messages, so it can be short or empty although more follow. The list ends when `nextCursor` is `null`.
#[utoipa::path(get, path = "/v1/organization/chat/messages",
    operation_id = "organization.chat.messages.list", tag = "Messages",
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

/// Get a WhatsApp message
///
/// Returns a message with its recipients, referral, order and conversation window.
#[utoipa::path(get, path = "/v1/organization/chat/messages/{messageId}",
    operation_id = "organization.chat.messages.get", tag = "Messages", security(("adminKey" = [])),
    params(("messageId" = ChatMessageId, Path)),
    responses((status = 200, description = "The message", body = ChatMessageDetails)))]
pub(crate) async fn get_message(
    State(chat): State<ChatContext>,
    caller: Admin,
    Path((id,)): Path<(ChatMessageId,)>,
) -> Result<Answer<ChatMessageDetails>, Rejection> {
    Ok(Answer::ok(super::details(&chat, &caller, &id).await?))
}
