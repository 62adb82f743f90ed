use api::{AppCaller, Claim, Deferred, Json, Once, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::sms::SmsMessage;
use outbound::SmsChannel;

use super::super::{Prepared, prepared, send};
use super::request::SendSms;
use super::{Ahead, check};
use crate::SendingContext;

/// Send an SMS or MMS message
///
/// Sends a message from a phone number of the key's app. With `mediaId`, it is an MMS. With `queue`, the message is
/// stored and sent later.
///
/// The carrier is called at most once for a message. What a response says:
///
/// - 201: the carrier accepted the message.
/// - 202: the message waits in the queue (`PENDING`), or its outcome is not known (`UNKNOWN`). Do not send it again: get it again, or
///   wait for its events. The first status from the carrier turns `UNKNOWN` into `ACCEPTED`, usually within seconds; otherwise it stays.
/// - 410: the message of an earlier request with this `Idempotency-Key` has since been erased. It is not sent again.
/// - Other 4xx, and 503 with `error`: the message was not sent. If it was stored, `X-Message-Id` has its id. Only 409 with
///   `Retry-After` means that an earlier request with this `Idempotency-Key` is still in progress.
/// - 500, 503 with `message` in place of `error`, or no response: it is not known. Repeat the request with the same
///   `Idempotency-Key`, never with a new one.
///
/// A repeated request with the same `Idempotency-Key` sends no second message. It returns the message as it is now: 202 while its
/// outcome is `PENDING` or `UNKNOWN`, 200 if it is `ACCEPTED` or `EXPIRED`, and the same error if it is `REFUSED`. After 429 and
/// 503, by which the message was not sent, it tries again.
#[utoipa::path(post, path = "/v1/sms", operation_id = "sms.send", tag = "Messages",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    request_body = SendSms,
    responses((status = 201, description = "The carrier accepted the message", body = SmsMessage),
        (status = 202, description = "The message waits in the queue, or its outcome is unknown", body = SmsMessage),
        (status = 200, description = "Only for a repeated request: the message of the first request with this `Idempotency-Key`", body = SmsMessage),
        (status = 403, description = "`from` is not assigned to the app of this key, or may not send to the country of `to`"),
        (status = 404, description = "No such medium of the app"),
        (status = 409, description = "The number is not linked to the carrier"),
        (status = 410, description = "The message of an earlier request with this `Idempotency-Key` no longer exists: it was erased, or lost when the installation was restored"),
        (status = 422, description = "The carrier rejected the message"),
        (status = 503, description = "This installation has no carrier, or the carrier could not be reached")))]
pub(crate) async fn send_sms(
    State(sending): State<SendingContext>,
    claim: Claim<AppCaller>,
    input: Deferred<(Once, Json<SendSms>)>,
) -> Result<Response, Rejection> {
    send(&sending, Box::pin(prepare(&sending, claim, input))).await
}

/// Checks the request and stores the message.
async fn prepare(
    sending: &SendingContext,
    claim: Claim<AppCaller>,
    input: Deferred<(Once, Json<SendSms>)>,
) -> Result<Prepared<SmsChannel>, Rejection> {
    let read = claim.with(input, |reads, (once, body)| async move {
        let ahead = Ahead::read(&reads, &body.input).await?;
        Ok((once, body, ahead))
    });
    let (caller, (once, Json { input, fingerprint }, ahead)) = read.await?;
    let attempt = once.attempt(sending.context(), fingerprint);
    let checked = Box::pin(check(sending, &caller, &input, ahead)).await;
    prepared(sending, caller, &attempt, checked).await
}
