use api::idempotency::Planned;
use api::{Answer, Claim, Deferred, Input, Json, Once, Rejection, Tester};
use axum::extract::State;
use axum::response::Response;
use domain::id::{ChatPhoneNumberId, Identifier as _};
use domain::present::present;
use domain::schema::{JsonObject, Line};
use domain::{Failure, text};
use http::StatusCode;
use inbound::Replayed;
use runtime::{Context, logging};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::Change;
use utoipa::ToSchema;

use super::Notification;
use crate::context::PlaygroundContext;

/// The longest name of a field, in characters.
const FIELD_LENGTH: usize = 100;

/// A change as WhatsApp reports it: `field` and `value` are those of `entry[].changes[]` in a notification. The account
/// and the number in `value` are replaced by those of `target`.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SimulateNotification {
    #[schema(inline, value_type = Line<{ FIELD_LENGTH }>)]
    field: String,
    /// The value of the change, in WhatsApp's format.
    #[schema(value_type = JsonObject)]
    value: Map<String, Value>,
    /// The test number that the notification is about. With an app key, a number of the app; by default, the one that
    /// was created with the app. With a test admin key, any test number of the organization, which is required.
    #[schema(value_type = Option<ChatPhoneNumberId>)]
    #[serde(default, deserialize_with = "present")]
    target: Option<String>,
}

impl Input for SimulateNotification {
    const REQUIRED: &'static [&'static str] = &["field", "value"];
    type Checked = Notification;

    fn check(self, _context: &Context) -> Result<Notification, Failure> {
        Ok(Notification {
            field: text::bounded(&self.field, "field", FIELD_LENGTH)?,
            value: self.value,
            target: self.target.map(|target| ChatPhoneNumberId::in_param(&target, super::TARGET)).transpose()?,
        })
    }
}

/// The result of a simulated notification.
#[derive(Serialize, ToSchema)]
pub(crate) struct SimulatedNotification {
    /// The number of updates that have changed something.
    applied: usize,
    /// The updates that were ignored, each with the reason. In a live notification, they would be ignored too.
    ignored: Vec<IgnoredUpdate>,
}

/// An update that was ignored.
#[derive(Serialize, ToSchema)]
pub(crate) struct IgnoredUpdate {
    /// Why the update was ignored.
    reason: String,
}

impl From<Replayed> for SimulatedNotification {
    fn from(replayed: Replayed) -> Self {
        let ignored = replayed.ignored.into_iter().map(|reason| IgnoredUpdate { reason }).collect();
        SimulatedNotification { applied: replayed.applied, ignored }
    }
}

/// Simulate a notification of WhatsApp
///
/// Applies a notification in WhatsApp's own format to a test number, for example one that you have captured. It is
/// split and applied like a live one, at most 25 updates at once. `ignored` lists the updates that would have no effect
/// in a live notification either.
#[utoipa::path(post, path = "/v1/playground/notifications",
    operation_id = "playground.notifications.simulate", tag = "Test mode",
    security(("testAppKey" = []), ("adminKey" = [])), request_body = SimulateNotification,
    responses((status = 202, description = "The number of updates that were applied, and those that were ignored", body = SimulatedNotification),
        (status = 403, description = "The key is a live key"),
        (status = 404, description = "No such `target`, or it is not assigned to the app")))]
pub(crate) async fn simulate_notification(
    State(playground): State<PlaygroundContext>,
    claim: Claim<Tester>,
    input: Deferred<(Once, Json<SimulateNotification>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (once, body)| async move {
        let number = match &body.input.target {
            Some(target) => reads.chat_phone_number(target).await,
            None => Ok(None),
        };
        Ok((once, body, number))
    });
    let (caller, (once, Json { input, fingerprint }, number)) = read.await?;
    if let Some(target) = &input.target {
        logging::known_object(target);
    }

    let attempt = match once.begin(&playground.inbox.context, fingerprint).await {
        Ok(attempt) => attempt,
        Err(response) => return Ok(*response),
    };
    let applied = match number {
        Ok(number) => Box::pin(super::apply(&playground.inbox, &caller, &input, number)).await,
        Err(failure) => Err(failure),
    };

    let change = Change::new(caller.organization());
    let answer = |replayed| Answer { status: StatusCode::ACCEPTED, body: SimulatedNotification::from(replayed) };
    attempt.finish(applied.map(|replayed| Planned { change, answer: answer(replayed) })).await
}
