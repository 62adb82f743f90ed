//! The limits of an organization: on the number of its objects, and quotas per hour or UTC day (`quota.rs`). Both are
//! counted in the transaction of the change that uses them, so that a rejected request counts nothing. The exception is
//! the quota for sending, which is counted before the transaction.
//!
//! A counter holds the number of objects of a kind in a mode (`counter.rs`), and a change counts the objects that it
//! creates and deletes (`counting.rs`). Another version may have counted differently. A refusal that may be based on
//! such counters is in doubt (`doubt.rs`): the objects are recounted (`recount.rs`), and the change is retried.

pub(crate) mod counter;
mod counting;
pub(crate) mod doubt;
pub(crate) mod quota;
pub(crate) mod recount;

pub use quota::{DailySends, DailyUploads, Quota, SendQuota};
