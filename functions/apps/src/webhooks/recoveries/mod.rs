//! Recoveries of a webhook's deliveries. The deliver function works on them.

mod answers;
pub(crate) mod http;
pub(crate) mod own_http;
mod wire;

use std::time::Duration;

use api::AppScope;
use domain::audit::{Entry, TargetKind};
use domain::events::delivery::DeliveryStatus;
use domain::events::event::EventName;
use domain::events::recovery::{RECOVERED_PER_DAY, Recovery, RecoveryHead, Selection, left_of_day};
use domain::events::webhook::Webhook;
use domain::id::RecoveryId;
use domain::{Failure, Open, Timestamp};
use runtime::Context;
use store::{Change, Quota};

use super::deliveries::expect_enabled;
use super::expect_may_see;

/// How long after its creation a recovery without a round counts as lost. The sweep then queues it.
const OVERDUE_AFTER: Duration = Duration::from_secs(5 * 60);

/// The validated body of the operation.
pub(crate) struct Wanted {
    since: Timestamp,
    until: Option<Timestamp>,
    statuses: Vec<Open<DeliveryStatus>>,
    event_types: Vec<Open<EventName>>,
    is_dry_run: bool,
}

/// The webhook, and the item that its recoveries share.
type Stored = (Result<Webhook, Failure>, Result<Option<RecoveryHead>, Failure>);

fn no_such_recovery() -> Failure {
    Failure::not_found("recoveryId", "recovery")
}

/// Decides on a new recovery, of events that have occurred so far.
fn begin(
    context: &Context,
    scope: &AppScope,
    webhook: Result<Webhook, Failure>,
    head: Result<Option<RecoveryHead>, Failure>,
    wanted: &Wanted,
) -> Result<(Recovery, Change), Failure> {
    let (webhook, seen, now) = (webhook?, head?, context.now());
    expect_may_see(scope, &webhook)?;
    let head = seen.clone().unwrap_or_default();
    if !wanted.is_dry_run {
        expect_enabled(&webhook)?;
    }
    if let Some(running) = &head.running {
        let message = format!("A recovery of this webhook is still running: {running}. Wait until it has ended.");
        return Err(Failure::conflict(message).with_param("webhookId"));
    }
    if head.is_used_up(now) {
        let message = format!("At most {RECOVERED_PER_DAY} deliveries of a webhook are recovered per day (UTC).");
        return Err(Failure::quota(message, left_of_day(now)));
    }

    let selection = Selection {
        since: wanted.since,
        until: wanted.until.unwrap_or(now).min(now),
        statuses: wanted.statuses.clone(),
        event_types: wanted.event_types.clone(),
    };
    let id = RecoveryId::mint(now, context.random());
    let mut recovery = Recovery::new(id, &scope.app, &webhook.id, selection, wanted.is_dry_run, &head, now);
    recovery.check_at = Some(now.plus(OVERDUE_AFTER));

    let mut change = Change::new(&scope.organization);
    match wanted.is_dry_run {
        true => change.spend_dry_run(&webhook.id, now)?,
        false => change.spend(&Quota::manual_deliveries(&webhook.id), 1, now)?,
    }
    change.create_recovery(&recovery, seen.as_ref())?;
    change.enter(&entry(context, scope, &recovery))?;
    Ok((recovery, change))
}

/// Returns the entry of the audit log for a recovery. Its target is the webhook, whose deliveries it repeats.
fn entry(context: &Context, scope: &AppScope, recovery: &Recovery) -> Entry {
    let (id, since) = (recovery.id.to_string(), recovery.selection.since.to_string());
    let entry = context.entry(&scope.trail, scope.app.mode()).about(TargetKind::Webhook, &recovery.webhook_id);
    entry.field("recoveryId", None, Some(&id)).field("since", None, Some(&since))
}

/// Returns a recovery of an existing webhook.
fn found(webhook: Result<Webhook, Failure>, recovery: Result<Option<Recovery>, Failure>) -> Result<Recovery, Failure> {
    webhook?;
    recovery?.ok_or_else(no_such_recovery)
}
