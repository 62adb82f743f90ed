//! Events to dispatch, written in the transaction of the change that they tell of.

use std::time::Duration;

use domain::event::OutboxEvent;
use domain::{Failure, Timestamp};

use crate::change::{Change, Refused};
use crate::item::{NewItem, value};
use crate::keys;

/// The table's stream wakes the dispatcher at once; what it misses is due for the sweep.
const DUE_AFTER: Duration = Duration::from_secs(5 * 60);
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// Repeated notifications come for a week at most.
const SEEN_KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

impl Change {
    pub fn emit(&mut self, event: &OutboxEvent) -> Result<(), Failure> {
        let item = NewItem::new(&keys::event(&self.organization, &event.id), event)?
            .with("organizationId", value(&self.organization)?)
            .due(event.created_at.plus(DUE_AFTER))
            .expiring(event.created_at.plus(KEPT));
        self.create(item, crate::change::fail_with(|| Failure::internal("a fresh event id exists already")));
        Ok(())
    }

    /// An update is applied once: where it was applied already, nothing else of this change is done.
    pub fn once(&mut self, update_hash: &str, now: Timestamp) {
        let item = NewItem::marker(&keys::seen(&self.organization, update_hash)).expiring(now.plus(SEEN_KEPT));
        self.create(item, Box::new(|_| Refused::AlreadyDone));
    }
}
