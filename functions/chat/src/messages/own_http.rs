//! The message log for app keys.

use api::{Answer, AppCaller, Claim, Deferred, List, ListBy, ListQuery, MessageFilters, OfApp, Path, Rejection};
use axum::extract::State;
use domain::chat::{ChatMessage, ChatMessageDetails};
use domain::id::{ChatMessageId, ChatPhoneNumberId};

use super::own;
use crate::ChatContext;

/// List the app's WhatsApp messages
///
/// Returns the messages of one WhatsApp number of the key's app since the number was assigned to the app, newest first,
/// without recipients, referral, order and conversation window. `chatPhoneNumberId` can be omitted if the app has only
/// one WhatsApp number. A filtered page looks at up to 200 messages, so it can be short or empty although more follow.
/// The list ends when `nextCursor` is `null`.
#[utoipa::path(get, path = "/v1/chat/messages", operation_id = "chat.messages.list", tag = "Messages",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(ListQuery, ("chatPhoneNumberId" = Option<ChatPhoneNumberId>, Query), MessageFilters),
    responses((status = 200, description = "A page of messages", body = List<ChatMessage>),
        (status = 404, description = "No such chat phone number, or it is not assigned to the app")))]
pub(crate) async fn list_own_messages(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    list: Deferred<ListBy<OfApp<ChatPhoneNumberId>>>,
) -> Result<Answer<List<ChatMessage>>, Rejection> {
    let read = claim.with(list, |reads, list| async move {
        let number = match &list.filters.number {
            Some(number) => reads.chat_phone_number(number).await?,
            None => None,
        };
        Ok((list, number))
    });
    let (caller, (list, number)) = read.await?;
    Ok(Answer::ok(own::list(&chat, &caller, &list, number).await?))
}

/// Get a WhatsApp message of the app
///
/// Returns a message with its recipients, referral, order and conversation window, if it was stored while its number
/// was assigned to the key's app.
#[utoipa::path(get, path = "/v1/chat/messages/{messageId}", operation_id = "chat.messages.get", tag = "Messages",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("messageId" = ChatMessageId, Path)),
    responses((status = 200, description = "The message", body = ChatMessageDetails)))]
pub(crate) async fn get_own_message(
    State(chat): State<ChatContext>,
    caller: AppCaller,
    Path((id,)): Path<(ChatMessageId,)>,
) -> Result<Answer<ChatMessageDetails>, Rejection> {
    Ok(Answer::ok(own::details(&chat, &caller, &id).await?))
}
