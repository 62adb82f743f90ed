//! Reading and writing the table, independent of the items in it. Business logic reads items and collects the writes of
//! its decision in a `Change`. Each write is an operation with a condition (`expression.rs`) and an interpretation of
//! the condition's failure. A commit (`commit.rs`) is one conditional write or one transaction, with the record of an
//! idempotent request among its items. A decision based on outdated data is repeated (`settle.rs`), as often as a
//! budget allows.
//!
//! `table.rs` and `page.rs` read, strongly consistent; only the index of due items (`due/`) is not. `item.rs` converts
//! entities to items and back, and `bulk.rs` packs many objects into few transactions. `idempotency.rs` keeps responses
//! for retries and records applied updates; `failure_text.rs` is the stored form of failures.

mod budget;
pub(crate) mod bulk;
pub(crate) mod change;
pub(crate) mod commit;
mod due;
pub(crate) mod dynamodb_error;
pub(crate) mod expression;
pub(crate) mod failure_text;
mod idempotency;
pub(crate) mod item;
pub(crate) mod log;
pub(crate) mod operation;
pub(crate) mod page;
pub(crate) mod response_record;
mod settle;
pub(crate) mod table;
pub(crate) mod transaction;

pub use budget::Budget;
pub use bulk::{BULK_WRITES, packed};
pub use change::Change;
pub use commit::Committed;
pub use due::{Due, DueItem, DuePage, UnknownDue};
pub use failure_text::{failure_from_text, failure_to_text};
pub use page::{Page, PageRequest};
pub use response_record::{RESPONSE_KEPT, RecordKey, ResponseRecord, SealedResponse};
