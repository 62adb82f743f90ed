//! Deliveries of events to webhooks: their states, and how long they are kept.

mod attempt;
mod health;
mod ids;
mod schedule;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::events::event::EventName;
use crate::id::{AppId, DeliveryId, EventId, RecoveryId, WebhookId, ksuid_time};
use crate::{Open, Timestamp};

pub use attempt::{Attempt, BODY_KEPT, HEADER_NAMES_KEPT};
pub use health::{DAYS_TO_DISABLE, FAILURES_TO_DISABLE, FAILURES_TO_WAIT, PROBE_EVERY, ReceiverHealth, SLOW};
use ids::ksuid_of;
pub use ids::{delivery_of_event, event_of_app, outbox_of_event};
pub use schedule::{ATTEMPTS, ATTEMPTS_SHOWN, LONGEST_RETRY_AFTER, test_mode_has_posted_enough};

/// How long events and deliveries are kept and can be redelivered, from the time of the event on.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = WebhookDeliveryStatus)]
pub enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
    /// The webhook was disabled or deleted when the delivery was due, or the daily limit of test mode was reached; the
    /// last attempt says so in that case.
    Skipped,
}

/// The delivery of one event to one webhook.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    pub id: DeliveryId,
    pub webhook_id: WebhookId,
    pub app_id: AppId,
    /// The event id that the receiver sees, the same in all attempts.
    pub event_id: EventId,
    pub event_type: Open<EventName>,
    pub status: Open<DeliveryStatus>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Attempt>,
    /// The number of attempts since the last redelivery, which restarts the schedule.
    pub round: u32,
    pub next_attempt_at: Option<Timestamp>,
    /// The outbox id of the event, whose data becomes the request body.
    pub outbox_id: EventId,
    /// The last recovery that attempted it.
    pub recovery_id: Option<RecoveryId>,
    pub revision: u64,
    pub created_at: Timestamp,
}

/// Returns whether an event has ended, with its deliveries. The table removes them later.
pub fn has_ended(event: &EventId, now: Timestamp) -> bool {
    ksuid_time(ksuid_of(event)).is_some_and(|at| at.plus(KEPT) <= now)
}

/// Returns a time since when no event has ended.
pub fn oldest_kept(now: Timestamp) -> Timestamp {
    now.minus(KEPT).plus(Duration::from_millis(1))
}

impl Delivery {
    /// Returns whether the delivery has ended, with its event.
    pub fn has_ended(&self, now: Timestamp) -> bool {
        has_ended(&self.outbox_id, now)
    }

    /// Returns a pending delivery, due now. Its id is derived from event, app and webhook, so that a repeated dispatch
    /// creates the same delivery.
    pub fn new(
        outbox: &EventId,
        kind: Open<EventName>,
        app: &AppId,
        webhook: &WebhookId,
        now: Timestamp,
    ) -> Option<Self> {
        let event_id = event_of_app(outbox, app);
        Some(Delivery {
            id: delivery_of_event(&event_id, webhook)?,
            webhook_id: webhook.clone(),
            app_id: app.clone(),
            event_id,
            event_type: kind,
            status: DeliveryStatus::Pending.into(),
            attempts: Vec::new(),
            round: 0,
            next_attempt_at: Some(now),
            outbox_id: outbox.clone(),
            recovery_id: None,
            revision: 1,
            created_at: now,
        })
    }
}
