use api::{AppCaller, Claim, Deferred, Json, Once, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::chat::ChatMessageDetails;
use outbound::ChatChannel;

use super::super::{Prepared, prepared, send};
use super::{check, read_ahead};
use crate::SendingContext;
use crate::messages::SendChatMessage;

/// Send a WhatsApp message
///
/// Sends a message from a WhatsApp number of the key's app. With `queue`, the message is stored and sent later.
///
/// WhatsApp is called at most once for a message. What a response says:
///
/// - 201: WhatsApp accepted the message.
/// - 202: the message waits in the queue (`PENDING`), or its outcome is not known (`UNKNOWN`). Do not send it again: get it again, or
///   wait for its events. The first status from WhatsApp turns `UNKNOWN` into `ACCEPTED`, usually within seconds; otherwise it stays.
/// - 410: the message of an earlier request with this `Idempotency-Key` has since been erased. It is not sent again.
/// - Other 4xx, and 503 with `error`: the message was not sent. If it was stored, `X-Message-Id` has its id. Only 409 with
///   `Retry-After` means that an earlier request with this `Idempotency-Key` is still in progress.
/// - 500, 503 with `message` in place of `error`, or no response: it is not known. Repeat the request with the same
///   `Idempotency-Key`, never with a new one.
///
/// A repeated request with the same `Idempotency-Key` sends no second message. It returns the message as it is now: 202 while its
/// outcome is `PENDING` or `UNKNOWN`, 200 if it is `ACCEPTED` or `EXPIRED`, and the same error if it is `REFUSED`. After 429 and
/// 503, by which the message was not sent, it tries again.
#[utoipa::path(post, path = "/v1/chat/messages", operation_id = "chat.messages.send", tag = "Messages",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    request_body = SendChatMessage,
    responses((status = 201, description = "WhatsApp accepted the message", body = ChatMessageDetails),
        (status = 202, description = "The message waits in the queue, or its outcome is unknown", body = ChatMessageDetails),
        (status = 200, description = "Only for a repeated request: the message of the first request with this `Idempotency-Key`", body = ChatMessageDetails),
        (status = 403, description = "`from` is not assigned to the app of this key"),
        (status = 404, description = "The number is not connected, or the message refers to an object that does not exist"),
        (status = 410, description = "The message of an earlier request with this `Idempotency-Key` no longer exists: it was erased, or lost when the installation was restored"),
        (status = 422, description = "WhatsApp rejected the message, or the parameters do not match the template")))]
pub(crate) async fn send_chat_message(
    State(sending): State<SendingContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Once, Json<SendChatMessage>)>,
) -> Result<Response, Rejection> {
    // Boxed, because this future would otherwise contain both parts in full.
    send(&sending, Box::pin(prepare(&sending, claim, input))).await
}

/// Checks the request and stores the message.
async fn prepare(
    sending: &SendingContext,
    claim: Claim<AppCaller>,
    input: Deferred<(Once, Json<SendChatMessage>)>,
) -> Result<Prepared<ChatChannel>, Rejection> {
    let credential = claim.credential_hash();
    let read = claim.with(input, |reads, (once, body)| {
        let credential = &credential;
        async move {
            let ahead = Box::pin(read_ahead(sending, &reads, credential, &body.input)).await?;
            Ok((once, body, ahead))
        }
    });
    let (caller, (once, Json { input, fingerprint }, ahead)) = read.await?;
    let attempt = once.attempt(sending.context(), fingerprint);
    let checked = Box::pin(check(sending, &caller, &credential, &input, ahead)).await;
    prepared(sending, caller, &attempt, checked).await
}
