//! The wire format of deliveries.

use std::collections::BTreeMap;

use api::{AppScope, Input};
use domain::events::delivery::{Attempt, Delivery, DeliveryStatus};
use domain::events::event::{EventName, OutboxEvent};
use domain::events::webhook::event_name;
use domain::id::{DeliveryId, EventId, WebhookId};
use domain::message::contents::Contents;
use domain::schema::HttpHeaders;
use domain::{Failure, Open, Timestamp};
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;
use views::EventBody;

use crate::webhooks::wire::HIDDEN;

/// The event to send a sample of.
#[derive(Deserialize, ToSchema)]
#[schema(as = SendTestEvent)]
pub(crate) struct TestWebhook {
    /// The event to send. By default, the first one that the webhook subscribes to.
    #[schema(value_type = Option<EventName>)]
    event: Option<String>,
}

impl Input for TestWebhook {
    type Checked = Option<EventName>;

    fn check(self, _context: &Context) -> Result<Option<EventName>, Failure> {
        self.event.map(|event| event_name(&event, "event")).transpose()
    }
}

/// One attempt of a delivery.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookDeliveryAttempt)]
pub(crate) struct AttemptView {
    attempted_at: Timestamp,
    /// The status of the response. 200 if a queue accepted the message.
    status_code: Option<u16>,
    /// Why there is no complete response, or why a queue did not accept the message.
    error: Option<String>,
    /// How long the attempt took, in milliseconds.
    duration_ms: u64,
    /// The first KiB of the response body, as text without control characters. For a queue, the id of the message.
    /// Omitted for session tokens.
    response_body: Option<String>,
    /// The headers that were sent, apart from those that every HTTP request has; for a queue, the message attributes.
    /// `••••••••` replaces the signature and the values of the webhook's own headers. Only in the details of a
    /// delivery.
    #[schema(value_type = Option<HttpHeaders>)]
    headers: Option<BTreeMap<String, String>>,
}

impl From<Attempt> for AttemptView {
    fn from(attempt: Attempt) -> Self {
        AttemptView {
            attempted_at: attempt.attempted_at,
            status_code: attempt.status_code,
            error: attempt.error,
            duration_ms: attempt.duration_ms,
            response_body: attempt.response_body,
            headers: None,
        }
    }
}

impl AttemptView {
    fn with_headers(attempt: &Attempt, event: &EventId, is_test: bool) -> Self {
        let own = attempt.header_names.iter().map(|name| (name.to_lowercase(), HIDDEN.to_owned()));
        let content_type = (!attempt.to_queue).then(|| ("content-type", "application/json".to_owned()));
        let standard = [
            ("webhook-id", event.to_string()),
            ("webhook-timestamp", attempt.attempted_at.seconds().to_string()),
            ("webhook-signature", HIDDEN.to_owned()),
        ];
        let test = is_test.then(|| ("webhook-test", "true".to_owned()));
        let standard =
            content_type.into_iter().chain(standard).chain(test).map(|(name, value)| (name.to_owned(), value));
        AttemptView { headers: Some(own.chain(standard).collect()), ..attempt.clone().into() }
    }
}

/// The delivery of one event to one webhook, with the body and headers that were sent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookDeliveryDetails)]
pub(crate) struct DeliveryDetailsView<'a> {
    #[serde(flatten)]
    delivery: DeliveryView,
    /// The body that every attempt sends. Absent for session tokens, and once the event is no longer kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    payload: Option<EventBody<'a>>,
}

impl<'a> DeliveryDetailsView<'a> {
    pub(super) fn of(
        scope: &'a AppScope,
        delivery: &Delivery,
        event: Option<&'a OutboxEvent>,
    ) -> Result<Self, Failure> {
        let is_test = event.is_some_and(OutboxEvent::is_test);
        let attempt = |attempt| AttemptView::with_headers(attempt, &delivery.event_id, is_test);
        let attempts = delivery.attempts.iter().map(attempt).collect();
        let payload = event.map(|event| EventBody::of(&scope.organization, &scope.app, event)).transpose()?;
        Ok(DeliveryDetailsView { delivery: DeliveryView { attempts, ..delivery.clone().into() }, payload })
    }
}

/// The delivery of one event to one webhook.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookDelivery)]
pub(crate) struct DeliveryView {
    pub(super) id: DeliveryId,
    webhook_id: WebhookId,
    /// The id of the event, sent as `webhook-id` with every attempt.
    event_id: EventId,
    #[schema(value_type = EventName)]
    event_type: Open<EventName>,
    #[schema(value_type = DeliveryStatus)]
    status: Open<DeliveryStatus>,
    /// The latest attempts, at most 30, oldest first. An attempt that was stopped because the receiver is slow, and
    /// then repeated, is included.
    attempts: Vec<AttemptView>,
    /// When the next attempt is due; absent if there is none.
    next_attempt_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<Delivery> for DeliveryView {
    fn from(delivery: Delivery) -> Self {
        DeliveryView {
            id: delivery.id,
            webhook_id: delivery.webhook_id,
            event_id: delivery.event_id,
            event_type: delivery.event_type,
            status: delivery.status,
            attempts: delivery.attempts.into_iter().map(AttemptView::from).collect(),
            next_attempt_at: delivery.next_attempt_at,
            created_at: delivery.created_at,
        }
    }
}

/// A response of a receiver can repeat contents of the event.
impl Contents for DeliveryView {
    fn hide_contents(&mut self) {
        self.attempts.iter_mut().for_each(|attempt| attempt.response_body = None);
    }
}

impl Contents for DeliveryDetailsView<'_> {
    fn hide_contents(&mut self) {
        self.delivery.hide_contents();
        self.payload = None;
    }
}
