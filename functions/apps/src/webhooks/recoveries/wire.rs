//! The wire format of recoveries.

use api::Input;
use api::filter_values::{one_of, period, time};
use domain::events::delivery::DeliveryStatus;
use domain::events::event::EventName;
use domain::events::recovery::{Recovery, RecoveryStatus};
use domain::events::webhook::webhook_events;
use domain::id::{RecoveryId, WebhookId};
use domain::present::present;
use domain::{Failure, Open, Timestamp};
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::Wanted;

/// Which deliveries to attempt again.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecoverWebhook {
    /// Only deliveries of events that occurred at this time or later.
    #[schema(value_type = Timestamp)]
    since: String,
    /// Only deliveries of events that occurred before this time; by default, and at the latest, the time of this request.
    #[schema(value_type = Option<Timestamp>)]
    until: Option<String>,
    /// Only deliveries with these statuses.
    #[schema(value_type = Option<Vec<Recoverable>>, min_items = 1, max_items = 3, default = json!(["FAILED", "SKIPPED"]))]
    statuses: Option<Vec<String>>,
    /// Only deliveries of these events; all by default.
    #[schema(value_type = Option<Vec<EventName>>, min_items = 1)]
    event_types: Option<Vec<String>>,
    /// Counts the matching deliveries, up to 100,000, without attempting any.
    #[schema(default = false)]
    dry_run: Option<bool>,
}

/// The statuses of deliveries that can be recovered.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = RecoverableDeliveryStatus)]
enum Recoverable {
    Failed,
    Skipped,
    Delivered,
}

impl From<Recoverable> for DeliveryStatus {
    fn from(status: Recoverable) -> Self {
        match status {
            Recoverable::Failed => DeliveryStatus::Failed,
            Recoverable::Skipped => DeliveryStatus::Skipped,
            Recoverable::Delivered => DeliveryStatus::Delivered,
        }
    }
}

impl Input for RecoverWebhook {
    const REQUIRED: &'static [&'static str] = &["since"];
    type Checked = Wanted;

    fn check(self, _context: &Context) -> Result<Wanted, Failure> {
        let since = time(&self.since, "since")?;
        let until = self.until.map(|until| time(&until, "until")).transpose()?;
        period(Some(since), until)?;
        let statuses = self.statuses.map_or_else(default_statuses, |statuses| checked(&statuses))?;
        let event_types = self.event_types.map(|events| webhook_events(&events, "eventTypes")).transpose()?;
        let event_types = event_types.unwrap_or_default();
        Ok(Wanted { since, until, statuses, event_types, is_dry_run: self.dry_run.unwrap_or(false) })
    }
}

fn default_statuses() -> Result<Vec<Open<DeliveryStatus>>, Failure> {
    Ok(vec![DeliveryStatus::Failed.into(), DeliveryStatus::Skipped.into()])
}

fn checked(sent: &[String]) -> Result<Vec<Open<DeliveryStatus>>, Failure> {
    const ALLOWED: &str = "FAILED, SKIPPED or DELIVERED";
    if sent.is_empty() {
        return Err(Failure::invalid("statuses", format!("statuses must contain at least one of {ALLOWED}.")));
    }
    let mut statuses: Vec<Open<DeliveryStatus>> = Vec::new();
    for (index, status) in sent.iter().enumerate() {
        let at = format!("statuses[{index}]");
        let status = DeliveryStatus::from(one_of::<Recoverable>(status, &at, ALLOWED)?);
        if statuses.contains(&status.into()) {
            return Err(Failure::invalid(&at, format!("{at} repeats a status. Remove it.")));
        }
        statuses.push(status.into());
    }
    Ok(statuses)
}

/// A job that attempts deliveries of a webhook again.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookRecovery)]
pub(crate) struct RecoveryView {
    id: RecoveryId,
    webhook_id: WebhookId,
    #[schema(value_type = RecoveryStatus)]
    status: Open<RecoveryStatus>,
    /// Why the recovery ended early.
    reason: Option<String>,
    /// Whether the job only counts the matching deliveries.
    dry_run: bool,
    since: Timestamp,
    until: Timestamp,
    /// The statuses of the deliveries that are included.
    #[schema(value_type = Vec<Recoverable>)]
    statuses: Vec<Open<DeliveryStatus>>,
    /// Absent if all events are included.
    #[schema(value_type = Option<Vec<EventName>>)]
    event_types: Option<Vec<Open<EventName>>>,
    /// How many matching deliveries the job has found so far.
    matched: u64,
    /// How many deliveries succeeded.
    delivered: u64,
    /// How many deliveries failed. They are retried on the usual schedule, except after a 410 or if the event cannot be
    /// sent.
    failed: u64,
    /// The time of the last event up to which all matching deliveries were attempted, or counted in a dry run.
    processed_until: Option<Timestamp>,
    created_at: Timestamp,
    ended_at: Option<Timestamp>,
}

impl From<Recovery> for RecoveryView {
    fn from(recovery: Recovery) -> Self {
        RecoveryView {
            processed_until: recovery.processed_until(),
            id: recovery.id,
            webhook_id: recovery.webhook_id,
            status: recovery.status,
            reason: recovery.reason,
            dry_run: recovery.is_dry_run,
            since: recovery.selection.since,
            until: recovery.selection.until,
            statuses: recovery.selection.statuses,
            event_types: Some(recovery.selection.event_types).filter(|events| !events.is_empty()),
            matched: recovery.progress.matched,
            delivered: recovery.progress.delivered,
            failed: recovery.progress.failed,
            created_at: recovery.created_at,
            ended_at: recovery.ended_at,
        }
    }
}
