//! Deliveries of events to webhooks: their states, their retry schedule and the records of their attempts.

mod health;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use svix_ksuid::{Ksuid, KsuidLike};
use utoipa::ToSchema;

use ring::digest::{SHA256, digest};

use crate::event::EventName;
use crate::id::{AppId, DeliveryId, EventId, Identifier as _, KSUID_LENGTH, RecoveryId, WebhookId, ksuid_time};
use crate::playground::BYTES_POSTED_A_DAY;
use crate::{Open, Timestamp};

pub use health::{PROBE_EVERY, ReceiverHealth, SLOW};

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
/// How long events and deliveries are kept and can be redelivered, from the time of the event on.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// How many bytes of a receiver's response body are kept.
pub const BODY_KEPT: usize = 1024;
/// How many bytes of the names of an attempt's headers are kept.
pub const HEADER_NAMES_KEPT: usize = 512;
/// How many attempts of a delivery are kept, the latest ones. Redeliveries may make more.
pub const ATTEMPTS_SHOWN: usize = 30;

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = WebhookDeliveryStatus)]
pub enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
    /// The webhook was disabled or deleted when the delivery was due, or test mode had posted as much as it may in a day. The
    /// last attempt says so then.
    Skipped,
}

/// One attempt of a delivery.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    pub attempted_at: Timestamp,
    pub status_code: Option<u16>,
    /// Why there is no complete response.
    pub error: Option<String>,
    pub duration_ms: u64,
    /// The first KiB of the response body, as far as it is text.
    pub response_body: Option<String>,
    /// The names of the webhook's own headers that were sent, as far as they fit [`HEADER_NAMES_KEPT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header_names: Vec<String>,
    /// Whether the event was sent to an SQS queue, with message attributes in place of headers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_queue: bool,
}

impl Attempt {
    /// Remembers the names of the webhook's own headers that were sent.
    #[must_use]
    pub fn with_headers<'a>(mut self, names: impl IntoIterator<Item = &'a String>) -> Self {
        let mut bytes = 0;
        let fits = |name: &&String| {
            bytes += name.len();
            bytes <= HEADER_NAMES_KEPT
        };
        self.header_names = names.into_iter().take_while(fits).cloned().collect();
        self
    }

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
    /// The last recovery that attempted it.
    pub recovery_id: Option<RecoveryId>,
    pub revision: u64,
    pub created_at: Timestamp,
}

/// How many bytes of a ksuid are its time, in milliseconds.
const TIME_BYTES: usize = 6;

/// Returns a ksuid with the time of `base`, in milliseconds. The rest is a hash of `parts`, so the same arguments give
/// the same ksuid.
fn derived_ksuid(base: &str, parts: &[&str]) -> String {
    let hash = digest(&SHA256, parts.join("\n").as_bytes());
    let mut bytes = [0; 20];
    let time = Ksuid::from_base62(base).map(|ksuid| *ksuid.bytes()).unwrap_or_default();
    bytes[..TIME_BYTES].copy_from_slice(&time[..TIME_BYTES]);
    bytes[TIME_BYTES..].copy_from_slice(&hash.as_ref()[..20 - TIME_BYTES]);
    Ksuid::from_bytes(bytes).to_base62()
}

/// Says that nothing more is posted in test mode on this day.
pub fn test_mode_has_posted_enough() -> String {
    format!(
        "An organization may post at most {BYTES_POSTED_A_DAY} bytes per day (UTC) to webhooks in test mode. Redeliver on \
         another day."
    )
}

fn ksuid_of(id: &EventId) -> &str {
    let text = id.as_str();
    &text[text.len() - KSUID_LENGTH..]
}

/// Returns the event id that an app sees. It is the same for all webhooks of the app and however often it is derived.
pub fn event_of_app(outbox: &EventId, app: &AppId) -> EventId {
    masked(outbox, app)
}

/// Returns the outbox id of the event that an app sees under this id.
pub fn outbox_of_event(event: &EventId, app: &AppId) -> EventId {
    masked(event, app)
}

/// Returns the event id whose random part is that of `id`, masked with a hash of the app. Masking twice gives `id`, so that
/// an event can be found by the id that an app sees.
fn masked(id: &EventId, app: &AppId) -> EventId {
    let mask = digest(&SHA256, format!("event\n{app}").as_bytes());
    let Ok(ksuid) = Ksuid::from_base62(ksuid_of(id)) else { return id.clone() };
    let mut bytes = *ksuid.bytes();
    for (byte, mask) in bytes[TIME_BYTES..].iter_mut().zip(mask.as_ref()) {
        *byte ^= mask;
    }
    let ksuid = Ksuid::from_bytes(bytes).to_base62();
    format!("{}{ksuid}", EventId::PREFIX).parse().unwrap_or_else(|_| id.clone())
}

/// Returns the id of the delivery of an event, by the id that the app sees, to one of the app's webhooks.
pub fn delivery_of_event(event: &EventId, webhook: &WebhookId) -> Option<DeliveryId> {
    let ksuid = derived_ksuid(ksuid_of(event), &["delivery", event.as_str(), webhook.as_str()]);
    format!("{}{ksuid}", DeliveryId::PREFIX).parse().ok()
}

/// Returns whether an event has ended, with its deliveries. The table removes them later.
pub fn has_ended(event: &EventId, now: Timestamp) -> bool {
    ksuid_time(ksuid_of(event)).is_some_and(|at| at.plus(KEPT) <= now)
}

/// Returns a time from which on events have not ended.
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

    /// Records an attempt that was stopped because the receiver is slow. It is repeated now, with more time, and does
    /// not count towards the attempts of the schedule.
    pub fn note_stopped(&mut self, attempt: Attempt, now: Timestamp) {
        self.keep(attempt);
        self.revision += 1;
        self.next_attempt_at = Some(now);
    }

    fn keep(&mut self, attempt: Attempt) {
        self.attempts.push(attempt);
        if self.attempts.len() > ATTEMPTS_SHOWN {
            self.attempts.remove(0);
        }
    }

    /// Records an attempt and schedules the next one: after the wait of the schedule plus up to a fifth of it (`jitter`
    /// from 0 to 1,000), or after the `Retry-After` of the receiver, whichever is later.
    pub fn note(&mut self, attempt: Attempt, retry_after: Option<Duration>, jitter: u32, now: Timestamp) {
        let wait = WAITS.get(self.round as usize).copied();
        let (succeeded, gone) = (attempt.has_succeeded(), attempt.is_gone());
        self.keep(attempt);
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

    /// Skips the delivery, because its webhook is disabled or deleted.
    pub fn skip(&mut self) {
        self.status = DeliveryStatus::Skipped.into();
        self.next_attempt_at = None;
        self.revision += 1;
    }

    /// Skips the delivery of a test app, because the organization has posted as much as it may in a day. The log says why, so
    /// there is an attempt without a request.
    pub fn hold_back(&mut self, now: Timestamp) {
        self.keep(Attempt {
            attempted_at: now,
            status_code: None,
            error: Some(format!("The event was not sent. {}", test_mode_has_posted_enough())),
            duration_ms: 0,
            response_body: None,
            header_names: Vec::new(),
            to_queue: false,
        });
        self.skip();
    }

    /// Restarts the schedule for a redelivery. The earlier attempts are kept.
    pub fn again(&mut self, now: Timestamp) {
        self.status = DeliveryStatus::Pending.into();
        self.round = 0;
        self.next_attempt_at = Some(now);
        self.revision += 1;
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
        Attempt {
            attempted_at: at,
            status_code: Some(status),
            error: None,
            duration_ms: 1,
            response_body: None,
            header_names: Vec::new(),
            to_queue: false,
        }
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
    fn an_event_is_found_by_the_id_that_an_app_sees() {
        let delivery = delivery();
        let (seen, app) = (&delivery.event_id, &delivery.app_id);
        assert_eq!(outbox_of_event(seen, app), delivery.outbox_id);
        assert_eq!(delivery_of_event(seen, &delivery.webhook_id), Some(delivery.id.clone()));
        let other = "app_1ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
        assert_ne!(event_of_app(&delivery.outbox_id, &other), *seen);
        assert_ne!(outbox_of_event(seen, &other), delivery.outbox_id);
    }

    #[test]
    fn the_names_of_headers_are_bounded() {
        let names: Vec<String> = (0..20).map(|n| format!("{n:0100}")).collect();
        let attempt = failed(Timestamp::from_millis(0), 500).with_headers(&names);
        assert_eq!(attempt.header_names, names[..5]);
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
    fn a_stopped_attempt_is_kept_and_does_not_count() {
        let mut delivery = delivery();
        let (now, revision) = (Timestamp::from_millis(9000), delivery.revision);
        let stopped = Attempt { status_code: None, error: Some("slow".to_owned()), ..failed(now, 0) };
        delivery.note_stopped(stopped.clone(), now);
        assert_eq!((delivery.round, delivery.revision, delivery.next_attempt_at), (0, revision + 1, Some(now)));
        assert_eq!(
            (delivery.attempts.as_slice(), delivery.status),
            ([stopped].as_slice(), DeliveryStatus::Pending.into())
        );
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
