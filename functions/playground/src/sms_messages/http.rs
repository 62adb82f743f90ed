use api::idempotency::Planned;
use api::{Answer, Claim, Deferred, Input, Json, Once, Rejection, TestApp};
use axum::extract::State;
use axum::response::Response;
use domain::chat::Direction;
use domain::id::{AppId, SmsMessageId};
use domain::schema::SmsText;
use domain::sms::{SmsMessage, SmsStatus, TEXT_LENGTH};
use domain::{E164, Failure, Open, Timestamp, text};
use runtime::Context;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Sms;

/// A simulated SMS message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SmsMessage)]
pub(crate) struct SmsMessageView {
    id: SmsMessageId,
    app_id: AppId,
    from: E164,
    to: E164,
    text: String,
    direction: Direction,
    /// Inbound messages are `received`. Outbound messages are `sent`, or `failed` if the recipient's number ends in 0000.
    #[schema(value_type = SmsStatus)]
    status: Open<SmsStatus>,
    created_at: Timestamp,
}

impl From<SmsMessage> for SmsMessageView {
    fn from(message: SmsMessage) -> Self {
        let SmsMessage { id, app_id, from, to, text, direction, status, created_at } = message;
        SmsMessageView { id, app_id, from, to, text, direction, status, created_at }
    }
}

/// The SMS message to simulate.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SimulateSmsMessage {
    #[schema(value_type = E164)]
    from: String,
    #[schema(value_type = E164)]
    to: String,
    #[schema(value_type = SmsText)]
    text: String,
}

impl Input for SimulateSmsMessage {
    const REQUIRED: &'static [&'static str] = &["from", "to", "text"];
    type Checked = Sms;

    fn check(self, _context: &Context) -> Result<Sms, Failure> {
        Ok(Sms {
            from: E164::in_field(&self.from, "from")?,
            to: E164::in_field(&self.to, "to")?,
            text: text::message_text(&self.text, "text", TEXT_LENGTH)?,
        })
    }
}

/// Simulate an SMS message
///
/// Stores an SMS message and emits its events. Exactly one of `from` and `to` must be a system number of the app: the message
/// is outbound if it is `from`, and inbound if it is `to`.
#[utoipa::path(post, path = "/v1/playground/sms/messages", tag = "Playground", security(("testAppKey" = [])),
    request_body = SimulateSmsMessage, responses((status = 201, description = "The message", body = SmsMessageView),
        (status = 403, description = "The key does not belong to a test app")))]
pub(crate) async fn simulate_sms_message(
    State(context): State<Context>,
    claim: Claim<TestApp>,
    input: Deferred<(Once, Json<SimulateSmsMessage>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (once, body)| async move {
        let known = reads.system_numbers(&[&body.input.from, &body.input.to]).await;
        Ok((once, body, known))
    });
    let (caller, (once, body, known)) = read.await?;
    let planned = known
        .and_then(|known| super::simulate(&context, &caller, &body.input, &known))
        .map(|(message, change)| Planned { change, answer: Answer::created(SmsMessageView::from(message)) });
    once.attempt(&context, body.fingerprint).finish(planned).await
}
