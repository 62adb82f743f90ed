//! The audit log: who changed what in an organization, and whether it worked.
//!
//! A [`Trail`] says who is doing something. It becomes an [`Entry`], which names the target and its fields before and
//! after, and which is stored in the transaction of the change.

mod audited;
mod changes;
mod entry;
mod target;
mod trail;

pub use audited::Audited;
pub use changes::FieldChange;
pub use entry::{DEFAULT_RETENTION_DAYS, Entry, Outcome, Retention};
pub use target::{Target, TargetKind, last_four};
pub use trail::{Actor, ActorKind, Trail};

/// How many refusals of one credential are entered per hour. The others are only counted.
pub const DENIALS_PER_HOUR: u32 = 10;
