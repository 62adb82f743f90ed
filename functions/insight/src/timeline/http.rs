//! The timelines of messages, for callers of the organization.

use api::{Admin, Answer, List, ListQuery, Path, Rejection};
use axum::extract::State;
use domain::id::{ChatMessageId, SmsMessageId};
use runtime::Context;

use super::entry::Entry;

/// Get the timeline of a chat message
///
/// Returns everything that has happened to a message, oldest first: the request or the notification, waiting, attempts, the
/// outcome, statuses, events, and each attempt to deliver one to a webhook, as long as deliveries exist (30 days). It has the
/// deliveries to the apps that the number is assigned to now, and to the one that has sent the message. Of a message that has
/// waited often, only the last waits are known.
#[utoipa::path(get, path = "/v1/organization/chat/messages/{messageId}/timeline",
    operation_id = "organization.chat.messages.timeline.list", tag = "Messages", security(("adminKey" = [])),
    params(("messageId" = ChatMessageId, Path), ListQuery),
    responses((status = 200, description = "A page of the timeline", body = List<Entry>)))]
pub(crate) async fn list_chat_timeline(
    State(context): State<Context>,
    caller: Admin,
    Path((id,)): Path<(ChatMessageId,)>,
    query: ListQuery,
) -> Result<Answer<List<Entry>>, Rejection> {
    Ok(Answer::ok(super::chat(&context, &caller, &id, &query).await?))
}

/// Get the timeline of an SMS message
///
/// Returns everything that has happened to a message, oldest first, as for chat messages.
#[utoipa::path(get, path = "/v1/organization/sms/messages/{messageId}/timeline",
    operation_id = "organization.sms.messages.timeline.list", tag = "Messages", security(("adminKey" = [])),
    params(("messageId" = SmsMessageId, Path), ListQuery),
    responses((status = 200, description = "A page of the timeline", body = List<Entry>)))]
pub(crate) async fn list_sms_timeline(
    State(context): State<Context>,
    caller: Admin,
    Path((id,)): Path<(SmsMessageId,)>,
    query: ListQuery,
) -> Result<Answer<List<Entry>>, Rejection> {
    Ok(Answer::ok(super::sms(&context, &caller, &id, &query).await?))
}
