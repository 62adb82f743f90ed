//! The timelines of messages, for app keys.

use api::{Answer, AppCaller, List, ListQuery, Path, Rejection};
use axum::extract::State;
use domain::id::{ChatMessageId, SmsMessageId};
use runtime::Context;

use super::entry::Entry;

/// Get the timeline of a chat message of the app
///
/// Returns everything that has happened to a message, oldest first: the request or the notification, waiting, attempts, the
/// outcome, statuses, events, and each attempt to deliver one to a webhook, as long as deliveries exist (30 days). It has
/// the events and deliveries of the key's app. Of a message that has waited often, only the last waits are known.
#[utoipa::path(get, path = "/v1/chat/messages/{messageId}/timeline",
    operation_id = "chat.messages.timeline.list", tag = "Messages", 
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("messageId" = ChatMessageId, Path), ListQuery),
    responses((status = 200, description = "A page of the timeline", body = List<Entry>)))]
pub(crate) async fn list_own_chat_timeline(
    State(context): State<Context>,
    caller: AppCaller,
    Path((id,)): Path<(ChatMessageId,)>,
    query: ListQuery,
) -> Result<Answer<List<Entry>>, Rejection> {
    Ok(Answer::ok(super::own_chat(&context, &caller, &id, &query).await?))
}

/// Get the timeline of an SMS message of the app
///
/// Returns everything that has happened to a message, oldest first, as for chat messages.
#[utoipa::path(get, path = "/v1/sms/{messageId}/timeline",
    operation_id = "sms.timeline.list", tag = "Messages", 
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("messageId" = SmsMessageId, Path), ListQuery),
    responses((status = 200, description = "A page of the timeline", body = List<Entry>)))]
pub(crate) async fn list_own_sms_timeline(
    State(context): State<Context>,
    caller: AppCaller,
    Path((id,)): Path<(SmsMessageId,)>,
    query: ListQuery,
) -> Result<Answer<List<Entry>>, Rejection> {
    Ok(Answer::ok(super::own_sms(&context, &caller, &id, &query).await?))
}
