//! What a number of changes adds to counters, as far as one transaction can hold it.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::OrganizationId;
use domain::usage::{Group, Period, Tally, UsageKind};
use domain::{Mode, Timestamp};

use super::Counted;
use crate::engine::commit::MOST_WRITES;

/// The most writes of a batch beside the shard's position.
const MOST: usize = MOST_WRITES - 1;

/// A counter: its period is identified by its beginning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CounterKey {
    pub(super) organization: OrganizationId,
    pub(super) mode: Mode,
    pub(super) kind: UsageKind,
    pub(super) period: Period,
    pub(super) start: Timestamp,
    pub(super) group: Group,
}

/// What has to be added to counters.
#[derive(Debug, Default)]
pub struct Batch {
    pub(super) counters: BTreeMap<CounterKey, Tally>,
}

impl CounterKey {
    fn of(counted: &Counted, period: Period) -> Self {
        CounterKey {
            organization: counted.organization.clone(),
            mode: counted.mode,
            kind: counted.kind,
            period,
            start: period.start(counted.at),
            group: counted.group.clone(),
        }
    }

    /// Returns whether the counter is kept at `now`: a late status can arrive when it has ended.
    fn is_kept(&self, now: Timestamp) -> bool {
        self.ends_at() > now
    }

    pub(super) fn ends_at(&self) -> Timestamp {
        self.start.plus(self.period.length() + self.period.kept())
    }
}

impl Batch {
    /// Adds what a change counts for, unless the batch would no longer fit into one transaction. Returns whether it was added.
    pub fn add(&mut self, changes: &[Counted], now: Timestamp) -> bool {
        let keyed =
            changes.iter().flat_map(|counted| Period::ALL.map(|period| (CounterKey::of(counted, period), counted)));
        let keyed: Vec<_> = keyed.filter(|(key, _)| key.is_kept(now)).collect();

        let new: BTreeSet<_> =
            keyed.iter().map(|(key, _)| key).filter(|key| !self.counters.contains_key(*key)).collect();
        let organizations: BTreeSet<_> =
            self.counters.keys().chain(new.iter().copied()).map(|key| &key.organization).collect();
        if self.counters.len() + new.len() + organizations.len() > MOST {
            return false;
        }
        for (key, counted) in keyed {
            self.counters.entry(key).or_default().merge(&counted.tally);
        }
        true
    }

    /// Returns the organizations whose counters the batch changes.
    pub(super) fn organizations(&self) -> BTreeSet<&OrganizationId> {
        self.counters.keys().map(|key| &key.organization).collect()
    }

    /// Forgets what an organization has that was deleted.
    pub fn forget(&mut self, organization: &OrganizationId) {
        self.counters.retain(|key, _| key.organization != *organization);
    }
}
