//! Recoveries: jobs that retry a webhook's failed and skipped deliveries after its receiver was down.

mod progress;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::events::delivery::{Delivery, DeliveryStatus};
use crate::events::event::EventName;
use crate::id::{AppId, DeliveryId, RecoveryId, WebhookId, ksuid_time};
use crate::{Open, Timestamp};

pub use progress::{LONGEST, Tally};

/// How many deliveries of a recovery are attempted at the same time.
pub const IN_FLIGHT: usize = 50;
/// How many deliveries of a webhook are recovered per day (UTC). A dry run counts as many as could still be recovered.
pub const RECOVERED_PER_DAY: u64 = 100_000;
/// How many dry runs a webhook may have per hour.
pub const DRY_RUNS_AN_HOUR: u64 = 3;
/// How many deliveries a recovery reads at most.
pub const LOOKED_AT: u64 = 1_000_000;
/// How long recoveries are kept: as long as deliveries.
pub const KEPT: Duration = crate::events::delivery::KEPT;
const DAY: i64 = 24 * 3600;

/// The status of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = WebhookRecoveryStatus)]
pub enum RecoveryStatus {
    Running,
    /// All matching deliveries were attempted.
    Completed,
    /// The recovery ended early; `reason` says why.
    Stopped,
}

/// Which deliveries a recovery attempts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Selection {
    /// Only deliveries of events from this time on.
    pub since: Timestamp,
    /// Only deliveries of events before this time.
    pub until: Timestamp,
    pub statuses: Vec<Open<DeliveryStatus>>,
    /// Only these events; all if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub event_types: Vec<Open<EventName>>,
}

/// The progress of a recovery.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The last delivery up to which all matching ones were attempted.
    pub position: Option<DeliveryId>,
    pub looked_at: u64,
    pub matched: u64,
    pub delivered: u64,
    /// Deliveries whose attempt failed. They are retried on the usual schedule, except after a 410 or if the event
    /// cannot be sent.
    pub failed: u64,
    /// Whether the next round is a probe with one delivery, and how many probes have failed in a row.
    pub is_probing: bool,
    pub failed_probes: usize,
    /// The day (UTC) of `recovered_today`, in days since 1970.
    pub day: i64,
    pub recovered_today: u64,
}

/// A recovery of a webhook's deliveries.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recovery {
    pub id: RecoveryId,
    pub webhook_id: WebhookId,
    pub app_id: AppId,
    pub status: Open<RecoveryStatus>,
    /// Whether matching deliveries are only counted.
    pub is_dry_run: bool,
    pub selection: Selection,
    pub progress: Progress,
    /// Why it ended early.
    pub reason: Option<String>,
    /// When the sweep continues the recovery if no round has; `None` once it has ended.
    pub check_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub revision: u64,
    pub created_at: Timestamp,
}

/// The state that all recoveries of a webhook share: the running one, and how many deliveries were recovered on the
/// last day (UTC) with a recovery.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryHead {
    pub running: Option<RecoveryId>,
    pub day: i64,
    pub recovered_today: u64,
    pub revision: u64,
}

fn day_of(time: Timestamp) -> i64 {
    time.seconds().div_euclid(DAY)
}

/// Returns the seconds until the next day (UTC) begins.
pub fn left_of_day(now: Timestamp) -> u32 {
    u32::try_from(DAY - now.seconds().rem_euclid(DAY)).unwrap_or(1)
}

impl RecoveryHead {
    /// Returns whether no more deliveries of the webhook can be recovered today (UTC).
    pub fn is_used_up(&self, now: Timestamp) -> bool {
        self.day == day_of(now) && self.recovered_today >= RECOVERED_PER_DAY
    }
}

impl Selection {
    fn matches(&self, delivery: &Delivery) -> bool {
        self.statuses.contains(&delivery.status)
            && (self.event_types.is_empty() || self.event_types.contains(&delivery.event_type))
    }
}

impl Recovery {
    /// Returns a recovery that begins with a probe.
    pub fn new(
        id: RecoveryId,
        app: &AppId,
        webhook: &WebhookId,
        selection: Selection,
        is_dry_run: bool,
        head: &RecoveryHead,
        now: Timestamp,
    ) -> Self {
        let (day, recovered_today) = (head.day, head.recovered_today);
        let mut recovery = Recovery {
            id,
            webhook_id: webhook.clone(),
            app_id: app.clone(),
            status: RecoveryStatus::Running.into(),
            is_dry_run,
            selection,
            progress: Progress { is_probing: true, day, recovered_today, ..Progress::default() },
            reason: None,
            check_at: None,
            ended_at: None,
            revision: 1,
            created_at: now,
        };

        recovery.turn_day(now);
        recovery
    }

    pub fn is_running(&self) -> bool {
        self.status == RecoveryStatus::Running
    }

    /// Returns whether a delivery is to be attempted.
    pub fn matches(&self, delivery: &Delivery) -> bool {
        self.selection.matches(delivery)
    }

    /// Returns the time of the last event up to which all matching deliveries were attempted.
    pub fn processed_until(&self) -> Option<Timestamp> {
        ksuid_time(self.progress.position.as_ref()?.ksuid())
    }
}
