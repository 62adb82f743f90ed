use api::idempotency::Planned;
use api::{Answer, Claim, Deferred, Input, Json, Once, Rejection, TestApp};
use axum::extract::State;
use axum::response::Response;
use domain::schema::SmsText;
use domain::sms::{SmsMessage, TEXT_LENGTH};
use domain::{E164, Failure, text};
use runtime::Context;
use serde::Deserialize;
use store::Change;
use utoipa::ToSchema;

use super::Inbound;
use crate::context::PlaygroundContext;

/// The SMS message that a simulated user sends to the app.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SimulateInboundSms {
    /// The user's phone number. Any number will do; it becomes a playground user of the organization.
    #[schema(value_type = E164)]
    from: String,
    /// A test phone number that is assigned to the app. A number of the form +1 NPA 555 01XX that the organization does not
    /// have yet becomes a system number of the app.
    #[schema(value_type = E164)]
    to: String,
    #[schema(value_type = SmsText)]
    text: String,
}

impl Input for SimulateInboundSms {
    const REQUIRED: &'static [&'static str] = &["from", "to", "text"];
    type Checked = Inbound;

    fn check(self, _context: &Context) -> Result<Inbound, Failure> {
        let from = E164::in_field(&self.from, "from")?;
        let to = E164::in_field(&self.to, "to")?;
        let text = text::message_text(&self.text, "text", TEXT_LENGTH)?;
        if from == to {
            return Err(super::own_number());
        }
        Ok(Inbound { from, to, text })
    }
}

/// Simulate an inbound SMS message
///
/// Simulates an SMS message to a test number. It is processed like a live one: it is stored, and its event is sent.
/// `from` is any number; each new one is a playground user of the organization, of which there can be 1,000.
#[utoipa::path(post, path = "/v1/playground/sms/inbound",
    operation_id = "playground.sms.simulateInbound", tag = "Test mode", security(("testAppKey" = [])),
    request_body = SimulateInboundSms, responses((status = 201, description = "The message", body = SmsMessage),
        (status = 403, description = "The key does not belong to a test app"),
        (status = 404, description = "`to` is not assigned to the app, and cannot be assigned to it")))]
pub(crate) async fn simulate_inbound_sms(
    State(playground): State<PlaygroundContext>,
    claim: Claim<TestApp>,
    input: Deferred<(Once, Json<SimulateInboundSms>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (once, body)| async move {
        let seen = super::read(&reads, &body.input).await;
        Ok((once, body, seen))
    });
    let (caller, (once, Json { input, fingerprint }, seen)) = read.await?;
    let attempt = match once.begin(&playground.inbox.context, fingerprint).await {
        Ok(attempt) => attempt,
        Err(response) => return Ok(*response),
    };
    let identity = attempt.identity();
    let received = Box::pin(super::receive(&playground.inbox, &caller, &input, seen, identity.as_deref())).await;
    let change = Change::new(&caller.app.organization);
    attempt.finish(received.map(|message| Planned { change, answer: Answer::created(message) })).await
}
