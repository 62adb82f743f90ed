//! The erasure of a contact: its record, and the reads and deletions that it consists of. Each deletion can be
//! repeated. Items that lead to others are deleted last, so that a repeated erasure finds the rest.
//!
//! It looks through all numbers that the organization has or had (`numbers.rs`), and erases the messages (`message.rs`)
//! and the records of the contact (`contact.rs`). A marker of each erased message is kept for a while, so that late
//! statuses do not bring the message back. The deletion of a whole organization consists of the same steps, and of
//! ending all access (`access.rs`) and emptying its
//! lists (`organization.rs`).

mod access;
mod contact;
mod message;
mod numbers;
mod organization;

use std::time::Duration;

use domain::due::DueClass;
use domain::erasure::Erasure;
use domain::{Failure, Timestamp};

use crate::engine::change::{Change, stale};
use crate::engine::expression::Update;
use crate::engine::item::{NewItem, entity, number};
use crate::{Reads, keys};

pub use message::{GroupMessage, MessageToErase};

/// After how long without progress the sweep queues a running erasure again.
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

    /// Records the progress of an erasure. While it is unfinished, it becomes due again after a while. Stale if another
    /// job has recorded progress.
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
