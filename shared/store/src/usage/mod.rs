//! Usage: counters of messages and deliveries by hour, by day and by group. The function `meter` adds to them what the table's
//! stream reports (`change.rs`, `batch.rs`, `counting.rs`), the API reads them (`reading.rs`).
//!
//! What an item counts for depends on its content alone. A change of an item counts for the difference between what it counts for
//! now and before, so the counters are at any time the sums over all items, whatever happens to the items: later statuses change
//! the counters of the hour in which the message was created. Removals are ignored, so what retention or an erasure takes away
//! has been counted.

mod batch;
mod change;
mod counting;
mod delivery;
mod gaps;
mod rate_card;
mod reading;

use domain::id::OrganizationId;
use domain::usage::{Group, Tally, UsageKind};
use domain::{Mode, Timestamp};

pub use batch::Batch;
pub use change::ItemChange;
pub(crate) use counting::counted_until;
pub use counting::{CountOutcome, MeterPosition};
pub use delivery::durations;
pub use gaps::Gap;
pub(crate) use gaps::Gaps;
pub use reading::{UsageCounter, UsageSpan};

/// What an item counts for.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    pub organization: OrganizationId,
    pub mode: Mode,
    pub kind: UsageKind,
    /// The time in whose hour and day it counts.
    pub at: Timestamp,
    pub group: Group,
    pub tally: Tally,
}
