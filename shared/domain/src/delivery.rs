//! Deliveries of events to webhooks: their states, their retry schedule and the records of their attempts.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use svix_ksuid::{Ksuid, KsuidLike};
use utoipa::ToSchema;

use ring::digest::{SHA256, digest};

use crate::event::EventName;
use crate::id::{AppId, DeliveryId, EventId, Identifier as _, KSUID_LENGTH, WebhookId};
use crate::{Open, Timestamp};

/// The waits after the first to the ninth failed attempt. The tenth attempt is the last.
const WAITS: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3600),
    Duration::from_secs(5 * 3600),
    Duration::from_secs(10 * 3600),
    Duration::from_secs(14 * 3600),
    Duration::from_secs(20 * 3600),
    Duration::from_secs(24 * 3600),
];
/// The highest number of attempts per round.
pub const ATTEMPTS: usize = WAITS.len() + 1;
/// The longest `Retry-After` of a receiver that is honoured.
pub const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);
/// How long events and deliveries are kept and can be redelivered.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// How many bytes of a receiver's response body are kept.
pub const BODY_KEPT: usize = 1024;
/// How many attempts of a delivery are kept, the latest ones. Redeliveries may make more.
const ATTEMPTS_SHOWN: usize = 30;

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
    /// The webhook was disabled when the delivery was due.
    Skipped,
}

/// One attempt of a delivery.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryAttempt)]
pub struct Attempt {
    pub attempted_at: Timestamp,
    pub status_code: Option<u16>,
    /// Why there is no complete response.
    pub error: Option<String>,
    pub duration_ms: u64,
    /// The first KiB of the response body, as far as it is text.
    pub response_body: Option<String>,
}

impl Attempt {
    /// Returns whether the receiver responded completely and with a 2xx status.
    pub fn has_succeeded(&self) -> bool {
        self.error.is_none() && self.status_code.is_some_and(|status| (200..300).contains(&status))
    }

    /// Returns whether the receiver responded with 410 Gone, which means that it wants no further events.
    pub fn is_gone(&self) -> bool {
        self.status_code == Some(410)
    }
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
    pub revision: u64,
    pub created_at: Timestamp,
}

/// Returns a ksuid with the time of `base` that is derived from `parts` alone.
fn derived_ksuid(base: &str, parts: &[&str]) -> String {
    let hash = digest(&SHA256, parts.join("\n").as_bytes());
    let mut bytes = [0; 20];
    let time = Ksuid::from_base62(base).map(|ksuid| *ksuid.bytes()).unwrap_or_default();
    bytes[..6].copy_from_slice(&time[..6]);
    bytes[6..].copy_from_slice(&hash.as_ref()[..14]);
    Ksuid::from_bytes(bytes).to_base62()
}

fn ksuid_of(id: &EventId) -> &str {
    let text = id.as_str();
    &text[text.len() - KSUID_LENGTH..]
}

/// Returns the event id that the webhooks of an app see. It is the same for all webhooks of the app and however often
/// it is derived.
pub fn event_of_app(outbox: &EventId, app: &AppId) -> EventId {
    let ksuid = derived_ksuid(ksuid_of(outbox), &["event", outbox.as_str(), app.as_str()]);
    format!("{}{ksuid}", EventId::PREFIX).parse().unwrap_or_else(|_| outbox.clone())
}

impl Delivery {
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
        let ksuid = derived_ksuid(ksuid_of(outbox), &["delivery", event_id.as_str(), webhook.as_str()]);
        Some(Delivery {
            id: format!("{}{ksuid}", DeliveryId::PREFIX).parse().ok()?,
            webhook_id: webhook.clone(),
            app_id: app.clone(),
            event_id,
            event_type: kind,
            status: DeliveryStatus::Pending.into(),
            attempts: Vec::new(),
            round: 0,
            next_attempt_at: Some(now),
            outbox_id: outbox.clone(),
            revision: 1,
            created_at: now,
        })
    }

    /// Records an attempt and schedules the next one: after the wait of the schedule plus up to a fifth of it (`jitter`
    /// from 0 to 1,000), or after the `Retry-After` of the receiver, whichever is later.
    pub fn note(&mut self, attempt: Attempt, retry_after: Option<Duration>, jitter: u32, now: Timestamp) {
        let wait = WAITS.get(self.round as usize).copied();
        let (succeeded, gone) = (attempt.has_succeeded(), attempt.is_gone());
        self.attempts.push(attempt);
        if self.attempts.len() > ATTEMPTS_SHOWN {
            self.attempts.remove(0);
        }
        self.round += 1;
        self.revision += 1;
        self.next_attempt_at = None;
        match wait {
            _ if succeeded => self.status = DeliveryStatus::Delivered.into(),
            Some(wait) if !gone => {
                let wait = wait + wait / 5 * jitter.min(1000) / 1000;
                let asked = retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER);
                self.next_attempt_at = Some(now.plus(wait.max(asked)));
            }
            _ => self.status = DeliveryStatus::Failed.into(),
        }
    }

    /// Skips the delivery, because its webhook is disabled.
    pub fn skip(&mut self) {
        self.status = DeliveryStatus::Skipped.into();
        self.next_attempt_at = None;
        self.revision += 1;
    }

    /// Restarts the schedule for a redelivery. The earlier attempts are kept.
    pub fn again(&mut self, now: Timestamp) {
        self.status = DeliveryStatus::Pending.into();
        self.round = 0;
        self.next_attempt_at = Some(now);
        self.revision += 1;
    }
}

/// The health of a webhook's receiver. A healthy receiver has no such record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiverHealth {
    /// The number of failures since the last success.
    #[serde(default)]
    pub failures: u32,
    pub first_failure_at: Option<Timestamp>,
    /// When the next new delivery may probe whether the receiver has recovered.
    pub probe_at: Option<Timestamp>,
    /// Until when its deliveries use the queue for slow receivers.
    pub slow_until: Option<Timestamp>,
}

const FAILURES_TO_WAIT: u32 = 5;
const FAILURES_TO_DISABLE: u32 = 20;
const DAYS_TO_DISABLE: u32 = 5;
/// How long a receiver counts as slow after a slow response.
pub const SLOW: Duration = Duration::from_secs(3600);
/// How often a failing receiver is probed.
pub const PROBE_EVERY: Duration = Duration::from_secs(60);

impl ReceiverHealth {
    /// Returns whether new deliveries wait while one delivery per minute probes the receiver.
    pub fn is_waiting(&self) -> bool {
        self.failures >= FAILURES_TO_WAIT
    }

    pub fn is_slow(&self, now: Timestamp) -> bool {
        self.slow_until.is_some_and(|until| now < until)
    }

    /// Returns whether the receiver has failed for five days without a success, at least twenty times.
    pub fn is_hopeless(&self, now: Timestamp) -> bool {
        let since = self.first_failure_at.is_some_and(|first| first.plus_days(DAYS_TO_DISABLE) <= now);
        since && self.failures >= FAILURES_TO_DISABLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery() -> Delivery {
        let outbox = "evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        let app = "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        let webhook = "whk_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        Delivery::new(&outbox, EventName::MessagesSmsSent.into(), &app, &webhook, Timestamp::from_millis(0))
            .expect("a delivery")
    }

    fn failed(at: Timestamp, status: u16) -> Attempt {
        Attempt { attempted_at: at, status_code: Some(status), error: None, duration_ms: 1, response_body: None }
    }

    #[test]
    fn ids_depend_on_event_app_and_webhook_alone() {
        assert_eq!(delivery(), delivery());
        assert_ne!(delivery().event_id, delivery().outbox_id);
        let other = "whk_1ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        let same = delivery();
        let elsewhere = Delivery::new(&same.outbox_id, same.event_type.clone(), &same.app_id, &other, same.created_at);
        let elsewhere = elsewhere.expect("a delivery");
        assert_eq!(elsewhere.event_id, same.event_id);
        assert_ne!(elsewhere.id, same.id);
    }

    #[test]
    fn ten_attempts_at_their_offsets_and_no_more() {
        for (jitter, factor) in [(0, 100), (500, 110), (1000, 120)] {
            let mut delivery = delivery();
            let mut now = delivery.created_at;
            let mut offsets = Vec::new();
            while let Some(at) = delivery.next_attempt_at {
                offsets.push((at.millis() - now.millis()) / 1000);
                now = at;
                delivery.note(failed(now, 500), None, jitter, now);
            }
            let minutes = |n: i64| n * 60;
            let plain = [
                0,
                5,
                minutes(5),
                minutes(30),
                minutes(120),
                minutes(300),
                minutes(600),
                minutes(840),
                minutes(1200),
                minutes(1440),
            ];
            let expected: Vec<i64> = plain.iter().map(|seconds| seconds * factor / 100).collect();
            assert_eq!((offsets, delivery.status), (expected, DeliveryStatus::Failed.into()));
            assert_eq!(delivery.attempts.len(), ATTEMPTS);
        }
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_but_not_for_less() {
        let now = Timestamp::from_millis(0);
        for (asked, expected) in [(1, 5), (60, 60), (10_000_000, 86_400)] {
            let mut delivery = delivery();
            delivery.note(failed(now, 503), Some(Duration::from_secs(asked)), 0, now);
            assert_eq!(delivery.next_attempt_at.map(|at| at.seconds()), Some(expected));
        }
        let mut gone = delivery();
        gone.note(failed(now, 410), None, 0, now);
        assert_eq!((gone.status.clone(), gone.next_attempt_at), (DeliveryStatus::Failed.into(), None));
        let mut redelivered = gone;
        redelivered.again(now);
        redelivered.note(failed(now, 204), None, 0, now);
        assert_eq!((redelivered.status, redelivered.attempts.len()), (DeliveryStatus::Delivered.into(), 2));
    }
}
