//! The limits of an organization: on the number of its objects, and quotas per hour or UTC day (`quota.rs`). Both are
//! counted in the transaction of the change that uses them, so that a rejected request counts nothing. The exception is
//! the quota for sending, which is counted before the transaction.
//!
//! Rate limits are in requests per second (`bucket.rs`), for keys, apps and organizations (`of_organizations.rs`).
//!
//! A counter holds the number of objects of a kind in a mode (`counter.rs`), and a change counts the objects that it
//! creates and deletes (`counting.rs`). Another version may have counted differently. A refusal that may be based on
//! such counters is in doubt (`doubt.rs`): the objects are recounted (`recount.rs`), and the change is retried.

mod bucket;
pub(crate) mod counter;
mod counting;
pub(crate) mod doubt;
mod of_organizations;
pub(crate) mod quota;
pub(crate) mod recount;

pub use bucket::Leased;
pub use of_organizations::{LIMITED_ORGANIZATIONS, OrganizationLimits};
pub use quota::{DailySends, DailyUploads, Quota, SendQuota};
