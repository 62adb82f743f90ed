//! What a change of a delivery counts for: its new attempts, and its end.

use domain::Failure;
use domain::events::delivery::{Attempt, Delivery, DeliveryStatus};
use domain::id::{Identifier as _, OrganizationId};
use domain::usage::{Group, Tally, UsageKind};

use super::Counted;
use crate::engine::item::{Item, METERED, entity};

/// The upper bounds of the durations that are counted together, in milliseconds, and the names of their counters.
const DURATIONS: [(u64, &str); 8] = [
    (50, "upTo50Ms"),
    (100, "upTo100Ms"),
    (250, "upTo250Ms"),
    (500, "upTo500Ms"),
    (1_000, "upTo1000Ms"),
    (2_500, "upTo2500Ms"),
    (5_000, "upTo5000Ms"),
    (10_000, "upTo10000Ms"),
];
const SLOWER: &str = "slower";

/// Returns the durations that are counted together: the upper bound in milliseconds, if there is one, and the name of the number.
pub fn durations() -> impl Iterator<Item = (Option<u64>, &'static str)> {
    DURATIONS.into_iter().map(|(most, name)| (Some(most), name)).chain([(None, SLOWER)])
}

/// Returns what has to be added to counters; `None` if nothing. Deliveries of releases that did not mark them do not count: their
/// first attempts would be missing.
pub(super) fn difference(
    organization: &OrganizationId,
    before: Option<Item>,
    after: Item,
) -> Result<Option<Counted>, Failure> {
    if !after.contains_key(METERED) {
        return Ok(None);
    }
    let before: Option<Delivery> = before.map(entity).transpose()?;
    let after: Delivery = entity(after)?;

    let mut tally = end(&after).since(&before.as_ref().map(end).unwrap_or_default());
    if let Some(attempt) = new_attempt(before.as_ref(), &after) {
        tally.count("attempts");
        let fits = |(most, _): &&(u64, &str)| attempt.duration_ms <= *most;
        tally.count(DURATIONS.iter().find(fits).map_or(SLOWER, |(_, name)| name));
    }
    let event = serde_json::to_value(&after.event_type).map_err(Failure::internal)?;
    let group = Group::of(&[Some(after.app_id.as_str()), Some(after.webhook_id.as_str()), event.as_str()]);
    let counted = Counted {
        organization: organization.clone(),
        mode: after.app_id.mode(),
        kind: UsageKind::Deliveries,
        at: after.created_at,
        group,
        tally,
    };
    Ok(Some(counted).filter(|counted| !counted.tally.is_zero()))
}

/// Returns the attempt that a change has added. Each change adds at most one, and only the last ones are kept. A skipped delivery was
/// not attempted: its last entry says why.
fn new_attempt<'a>(before: Option<&Delivery>, after: &'a Delivery) -> Option<&'a Attempt> {
    let known = before.map(|before| before.attempts.as_slice()).unwrap_or_default();
    let is_new = known.len() != after.attempts.len() || known.last() != after.attempts.last();
    after.attempts.last().filter(|_| is_new && after.status != DeliveryStatus::Skipped)
}

/// Returns what the state of a delivery counts for.
fn end(delivery: &Delivery) -> Tally {
    let mut tally = Tally::default();
    tally.count("deliveries");
    match delivery.status.known() {
        Some(DeliveryStatus::Delivered) => tally.count("succeeded"),
        Some(DeliveryStatus::Failed) => tally.count("failed"),
        Some(DeliveryStatus::Skipped) => tally.count("skipped"),
        Some(DeliveryStatus::Pending) | None => {}
    }
    tally
}
