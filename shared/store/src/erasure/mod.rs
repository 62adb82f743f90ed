//! The erasure of a contact: its record, and the reads and deletions that it consists of. Each deletion can be repeated.
//! What leads to other items goes last, so that an interrupted erasure finds the rest.

mod contact;
mod message;
mod numbers;
mod organization;

use std::time::Duration;

use domain::due::DueClass;
use domain::erasure::Erasure;
use domain::{Failure, Timestamp};

use crate::change::{Change, stale};
use crate::expression::Update;
use crate::item::{NewItem, entity, number};
use crate::{Reads, keys};

pub use message::{GroupMessage, MessageToErase};

/// When the sweep queues a running erasure again that makes no progress.
pub const ERASURE_QUEUED_AGAIN_AFTER: Duration = Duration::from_secs(15 * 60);

impl Reads {
    /// Returns an erasure of the organization, which may be done.
    pub async fn erasure(&self, reference: &str) -> Result<Option<Erasure>, Failure> {
        self.table.get(&keys::erasure(&self.organization, reference)).await?.map(entity).transpose()
    }
}

impl Change {
    /// Creates an erasure, or begins its next run. It is due at once. Stale if it has changed since `before` was read.
    pub fn begin_erasure(&mut self, before: Option<&Erasure>, begun: &Erasure, now: Timestamp) -> Result<(), Failure> {
        let key = keys::erasure(&self.organization, &begun.reference);
        let Some(before) = before else {
            self.create(NewItem::new(&key, begun)?.due(DueClass::Apps, now), stale());
            return Ok(());
        };
        let update = Update::between(key, before, begun, &[])?.due(DueClass::Apps, now);
        self.update(update.when("#revision = :seenRevision").value(":seenRevision", number(before.revision)), stale());
        Ok(())
    }

    /// Records the progress of an erasure. One that goes on is due again after a while, one that is done is not. Stale if
    /// another job has recorded progress.
    pub fn advance_erasure(&mut self, before: &Erasure, after: &Erasure, now: Timestamp) -> Result<(), Failure> {
        let update = Update::between(keys::erasure(&self.organization, &before.reference), before, after, &[])?;
        let update = match after.is_running() {
            true => update.due(DueClass::Apps, now.plus(ERASURE_QUEUED_AGAIN_AFTER)),
            false => update.not_due(),
        };
        self.update(update.when("#revision = :seenRevision").value(":seenRevision", number(before.revision)), stale());
        Ok(())
    }
}
