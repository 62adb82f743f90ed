//! Adding to counters. One transaction adds to them and moves the position of the shard of the stream, so that whatever is
//! repeated or was interrupted counts once.

use std::time::Duration;

use domain::id::OrganizationId;
use domain::usage::Tally;
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};

use super::batch::{Batch, CounterKey};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{TTL, VERSION, entity, number, value};
use crate::engine::operation::Operation;
use crate::{Store, keys};

/// How long the position of a shard is kept: longer than the stream keeps its records.
const POSITION_KEPT: Duration = Duration::from_secs(3 * 24 * 3600);

/// How late records may be counted before the shard counts as behind.
const BEHIND: Duration = Duration::from_secs(60);
/// How long after a shard was counted last it may still be at work on what waits there.
const AT_WORK: Duration = Duration::from_secs(5 * 60);

/// Up to where a shard of the table's stream is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MeterPosition {
    /// The sequence number of the last record that is counted.
    pub sequence: String,
    /// When that record was written.
    pub counted_until: Timestamp,
    /// When it was counted.
    pub written_at: Timestamp,
}

/// Returns the time up to which everything is counted, by the positions of all shards; `None` if nothing was counted yet. The shard
/// with the sweep's sign of life has the newest position; others may have records that wait for their batch. A shard whose records
/// were late when they were counted has more of them, unless nothing was counted there since: it was closed, or is quiet.
pub(crate) fn counted_until(positions: &[MeterPosition], now: Timestamp) -> Option<Timestamp> {
    let newest = positions.iter().map(|position| position.counted_until).max()?;
    let is_behind = |position: &&MeterPosition| {
        position.counted_until.plus(BEHIND) < position.written_at && position.written_at.plus(AT_WORK) > now
    };
    let behind = positions.iter().filter(is_behind).map(|position| position.counted_until).min();
    let newest = newest.minus(BEHIND);
    Some(behind.map_or(newest, |behind| newest.min(behind)))
}

/// The outcome of adding a batch to counters.
#[derive(Debug, PartialEq, Eq)]
pub enum CountOutcome {
    Counted,
    /// Nothing was added: the shard has another position by now.
    Stale,
    /// Nothing was added, because these organizations are being deleted.
    Deleted(Vec<OrganizationId>),
}

impl Store {
    /// Returns the position of a shard; `None` before its first record is counted.
    pub async fn meter_position(&self, shard: &str) -> Result<Option<MeterPosition>, Failure> {
        self.table.get(&keys::meter_position(shard)).await?.map(entity).transpose()
    }

    /// Adds a batch to counters and moves the position of the shard, or does neither. `seen` is the position that was read.
    pub async fn count(
        &self,
        shard: &str,
        seen: Option<&MeterPosition>,
        next: &MeterPosition,
        batch: &Batch,
    ) -> Result<CountOutcome, Failure> {
        let organizations = batch.organizations();
        let moved = moved(shard, seen, next)?;
        if organizations.is_empty() {
            let alone = self.table.try_update(moved).await?;
            return Ok(if alone.is_ok() { CountOutcome::Counted } else { CountOutcome::Stale });
        }
        let mut operations = vec![Operation::Update(moved)];
        for organization in &organizations {
            operations.push(Operation::Check(keys::deletion(organization), Condition::absent()));
        }
        for (key, tally) in batch.counters.iter().filter(|(_, tally)| !tally.is_zero()) {
            operations.push(Operation::Update(added(key, tally)));
        }

        let Some(refused) = self.table.transact(&operations).await? else { return Ok(CountOutcome::Counted) };
        if refused.contains(&0) {
            return Ok(CountOutcome::Stale);
        }
        let deleted = organizations.into_iter().enumerate().filter(|(place, _)| refused.contains(&(place + 1)));
        Ok(CountOutcome::Deleted(deleted.map(|(_, organization)| organization.clone()).collect()))
    }

    /// Writes the item that gives `meter` something to count. Without it, an idle installation could not be distinguished from
    /// one that no longer counts. Returns since when the item has been written.
    pub async fn beat(&self, now: Timestamp) -> Result<Timestamp, Failure> {
        let update = Update::new(keys::heartbeat()).set("beatAt", &now)?.set_if_absent("since", &now)?;
        let item = self.table.update(update, || Failure::internal("an unconditional write was refused")).await?;
        Ok(entity::<Heartbeat>(item)?.since)
    }
}

#[derive(Deserialize)]
struct Heartbeat {
    since: Timestamp,
}

/// Returns the update that moves the position of a shard, if it is the one that was read.
fn moved(shard: &str, seen: Option<&MeterPosition>, next: &MeterPosition) -> Result<Update, Failure> {
    let ends_at = next.written_at.plus(POSITION_KEPT).seconds();
    let moved = Update::overwriting(keys::meter_position(shard), next, &[])?.set_value(TTL, number(ends_at));
    Ok(match seen {
        None => moved.when("attribute_not_exists(PK)"),
        Some(seen) => moved.when("#sequence = :seen").value(":seen", value(&seen.sequence)?),
    })
}

/// Returns the update that adds to a counter, which need not exist.
fn added(key: &CounterKey, tally: &Tally) -> Update {
    let partition = keys::usage(&key.organization, key.mode, key.kind, key.period);
    let counter = keys::usage_counter(partition, &key.period.name(key.start), &key.group);
    let update = Update::new(counter).set_value(VERSION, number(1)).set_value(TTL, number(key.ends_at().seconds()));
    let numbers = tally.numbers().filter(|(_, amount)| !amount.is_zero());
    numbers.fold(update, |update, (name, amount)| update.add_number(name, amount.normalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1000;

    fn position(counted_until: i64, written_at: i64) -> MeterPosition {
        let at = |seconds: i64| Timestamp::from_millis(seconds * SECOND);
        MeterPosition { sequence: "1".to_owned(), counted_until: at(counted_until), written_at: at(written_at) }
    }

    /// The shard with the newest position may have overtaken others, which have records that wait.
    #[test]
    fn everything_is_counted_up_to_the_shard_that_is_behind() {
        let until = |positions: &[MeterPosition], now: i64| {
            let now = Timestamp::from_millis(now * SECOND);
            counted_until(positions, now).map(|at| at.millis() / SECOND)
        };
        assert_eq!(until(&[], 1000), None);
        // All shards are on time: a record of another one can wait for its batch for less than a minute.
        assert_eq!(until(&[position(990, 995), position(700, 705)], 1000), Some(930));
        // One works on what is five minutes old, and has more of it.
        assert_eq!(until(&[position(990, 995), position(690, 995)], 1000), Some(690));
        // It was closed then, or has become quiet.
        assert_eq!(until(&[position(1990, 1995), position(690, 995)], 2000), Some(1930));
    }
}
