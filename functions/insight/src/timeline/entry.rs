//! An entry of a timeline, as the API shows it.

use domain::events::delivery::{Delivery, event_of_app};
use domain::events::event::EventName;
use domain::id::{AppId, DeliveryId, EventId, WebhookId};
use domain::message::reason::{MessageProvider, Reason};
use domain::message::step::Deferral;
use domain::schema::ShortText;
use domain::{Open, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::steps::Reported;

/// What has happened to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = TimelineKind)]
pub(crate) enum Kind {
    /// A request created the message.
    Requested,
    /// It was put into the queue.
    Queued,
    /// The notification of a received message, or of one that was sent elsewhere, arrived.
    Received,
    /// Its turn had not come, so it waits.
    Deferred,
    /// The provider was called to send it.
    Attempted,
    /// The provider has accepted it.
    Accepted,
    /// The provider's response is not known.
    Unknown,
    /// It was not sent.
    Refused,
    /// Its time in the queue ran out, and it was not sent.
    Expired,
    /// The provider has sent it on.
    Sent,
    /// The provider has delivered it.
    Delivered,
    /// The recipient has read it.
    Read,
    /// The provider could not deliver it.
    Failed,
    /// Its medium was fetched from the provider.
    MediaFetched,
    /// Its sender has edited it.
    Edited,
    /// Its sender has revoked it.
    Revoked,
    /// An event reports it.
    Event,
    /// The event was sent to a webhook, or could not be.
    Delivery,
}

/// The kind of who requested a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = RequesterKind)]
pub(crate) enum RequesterKind {
    /// A key of the app.
    Key,
    /// A member, with a key of a session.
    Member,
}

/// Who requested a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Requester)]
pub(crate) struct Requester {
    kind: RequesterKind,
    #[schema(value_type = ShortText)]
    id: String,
}

impl Requester {
    pub(super) fn of(id: &str) -> Self {
        let kind = if id.starts_with("mem_") { RequesterKind::Member } else { RequesterKind::Key };
        Requester { kind, id: id.to_owned() }
    }
}

/// Something that has happened to a message. Which fields it has beside `at`, `recordedAt` and `kind` follows from `kind`.
#[skip_serializing_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TimelineEntry)]
pub(crate) struct Entry {
    /// When it happened: for statuses, by the provider's clock.
    pub(super) at: Timestamp,
    /// When it was recorded here, by which the timeline is sorted.
    pub(super) recorded_at: Timestamp,
    pub(super) kind: Kind,
    /// `REQUESTED`: the id that the response had as `X-Request-Id`.
    pub(super) request_id: Option<String>,
    /// `REQUESTED`: who has requested the message. Only for keys of the app that sent it, and of the organization.
    pub(super) by: Option<Requester>,
    /// `DEFERRED`: until when the message waits.
    pub(super) until: Option<Timestamp>,
    /// `DEFERRED`: why the message waits.
    pub(super) reason: Option<Deferral>,
    /// Statuses of chat messages: whose.
    pub(super) recipient_id: Option<String>,
    /// `REFUSED`, `EXPIRED` and `FAILED`: this API's code.
    pub(super) error_code: Option<String>,
    /// `REFUSED`, `EXPIRED` and `FAILED`: what happened.
    pub(super) error_message: Option<String>,
    pub(super) provider: Option<MessageProvider>,
    /// `EVENT` and `DELIVERY`: the app that gets the event.
    pub(super) app_id: Option<AppId>,
    /// `EVENT` and `DELIVERY`: the id under which the app gets the event.
    pub(super) event_id: Option<EventId>,
    /// `EVENT` and `DELIVERY`.
    #[schema(value_type = Option<EventName>)]
    pub(super) event_type: Option<Open<EventName>>,
    /// `DELIVERY`.
    pub(super) webhook_id: Option<WebhookId>,
    /// `DELIVERY`.
    pub(super) delivery_id: Option<DeliveryId>,
    /// `DELIVERY`: the number of the attempt, from 1 on.
    pub(super) attempt: Option<u32>,
    /// `DELIVERY`: the status of the response.
    pub(super) status_code: Option<u16>,
    /// `DELIVERY`: why there is no complete response.
    pub(super) error: Option<String>,
    /// `DELIVERY`: how long the attempt took, in milliseconds.
    pub(super) duration_ms: Option<u64>,
    /// The place in the list.
    #[serde(skip)]
    pub(super) place: String,
}

impl Entry {
    pub(super) fn new(kind: Kind, at: Timestamp, recorded_at: Timestamp) -> Self {
        Entry {
            at,
            recorded_at,
            kind,
            request_id: None,
            by: None,
            until: None,
            reason: None,
            recipient_id: None,
            error_code: None,
            error_message: None,
            provider: None,
            app_id: None,
            event_id: None,
            event_type: None,
            webhook_id: None,
            delivery_id: None,
            attempt: None,
            status_code: None,
            error: None,
            duration_ms: None,
            place: String::new(),
        }
    }

    /// Returns an entry of something that happened when it was recorded.
    pub(super) fn now(kind: Kind, at: Timestamp) -> Self {
        Self::new(kind, at, at)
    }

    pub(super) fn because(self, reason: Option<Reason>) -> Self {
        let Some(Reason { code, message, provider }) = reason else { return self };
        Entry { error_code: code, error_message: Some(message), provider, ..self }
    }

    pub(super) fn of_event(event: &Reported, app: &AppId) -> Self {
        Entry {
            app_id: Some(app.clone()),
            event_id: Some(event_of_app(&event.id, app)),
            event_type: Some(event.name.into()),
            ..Self::now(Kind::Event, event.at)
        }
    }

    /// Returns an entry for each attempt of a delivery that is still known.
    pub(super) fn of_delivery(delivery: &Delivery) -> impl Iterator<Item = Self> {
        delivery.attempts.iter().zip(1..).map(|(attempt, number)| Entry {
            app_id: Some(delivery.app_id.clone()),
            event_id: Some(delivery.event_id.clone()),
            event_type: Some(delivery.event_type.clone()),
            webhook_id: Some(delivery.webhook_id.clone()),
            delivery_id: Some(delivery.id.clone()),
            attempt: Some(number),
            status_code: attempt.status_code,
            error: attempt.error.clone(),
            duration_ms: Some(attempt.duration_ms),
            ..Self::now(Kind::Delivery, attempt.attempted_at)
        })
    }

    pub(super) fn hide_requester(&mut self) {
        (self.by, self.request_id) = (None, None);
    }
}
