use api::idempotency::Planned;
use api::{Answer, AppCaller, Input, Json, Once, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::Failure;
use domain::id::{ChatMessageId, Identifier as _};
use runtime::Context;
use serde::{Deserialize, Serialize};
use store::Change;
use utoipa::ToSchema;

use crate::SendingContext;

/// The inbound message that was read or is being replied to.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InboundMessage {
    /// An inbound message of one of the app's numbers.
    #[schema(value_type = ChatMessageId)]
    message_id: String,
}

impl Input for InboundMessage {
    const REQUIRED: &'static [&'static str] = &["messageId"];
    type Checked = ChatMessageId;

    fn check(self, _context: &Context) -> Result<ChatMessageId, Failure> {
        ChatMessageId::in_param(&self.message_id, "messageId")
    }
}

/// Confirms success.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatMessageSignal)]
pub(crate) struct Success {
    /// Always `true`.
    success: bool,
}

/// Mark a WhatsApp message as read
///
/// Shows the sender of an inbound message that it was read, and all earlier messages of the conversation too.
#[utoipa::path(post, path = "/v1/chat/messages/read", operation_id = "chat.messages.markRead", tag = "Messages",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    request_body = InboundMessage,
    responses((status = 200, description = "WhatsApp was notified", body = Success),
        (status = 404, description = "No such inbound message of the app's numbers, or the number is not connected"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed"),
        (status = 503, description = "WhatsApp could not be reached or did not respond in time")))]
pub(crate) async fn mark_message_read(
    State(sending): State<SendingContext>,
    caller: AppCaller,
    once: Once,
    body: Json<InboundMessage>,
) -> Result<Response, Rejection> {
    signal(&sending, &caller, once, body, false).await
}

/// Show a WhatsApp user that a reply is being written
///
/// Shows the sender of an inbound message that a reply is being written, for at most 25 seconds, and marks the message as
/// read.
#[utoipa::path(post, path = "/v1/chat/messages/typing", operation_id = "chat.messages.showTyping", tag = "Messages",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    request_body = InboundMessage,
    responses((status = 200, description = "WhatsApp was notified", body = Success),
        (status = 404, description = "No such inbound message of the app's numbers, or the number is not connected"),
        (status = 422, description = "WhatsApp rejected the request"),
        (status = 502, description = "WhatsApp failed"),
        (status = 503, description = "WhatsApp could not be reached or did not respond in time")))]
pub(crate) async fn show_typing(
    State(sending): State<SendingContext>,
    caller: AppCaller,
    once: Once,
    body: Json<InboundMessage>,
) -> Result<Response, Rejection> {
    signal(&sending, &caller, once, body, true).await
}

async fn signal(
    sending: &SendingContext,
    caller: &AppCaller,
    once: Once,
    body: Json<InboundMessage>,
    is_typing: bool,
) -> Result<Response, Rejection> {
    let attempt = once.attempt(sending.context(), body.fingerprint);
    let told = super::mark_read(sending, caller, &body.input, is_typing).await;
    let planned = told
        .map(|()| Planned { change: Change::new(&caller.organization), answer: Answer::ok(Success { success: true }) });
    attempt.finish(planned).await
}
