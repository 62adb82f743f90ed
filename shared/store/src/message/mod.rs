//! The common parts of chat and SMS messages. [`Stored`] is a message of either kind with the state of sending it; the
//! kinds implement [`MessageKind`] (`chat/message/`, `sms/record.rs`). A message is an item collection: the main item,
//! and further items for long or rarely read data. Lists read only the main items, and every status writes the main
//! item.
//!
//! A message is written with its list items in one change (`stored.rs`). A queued message has its content in an item of
//! its own, and waits until its number has a slot (`pace/`); then its attempt is one conditional write (`queued.rs`).
//! Lists are read by number or by contact, and filtered by the attributes of the list items (`log.rs`).

mod failures;
mod kind;
mod log;
mod pace;
mod queued;
mod read;
mod stored;
mod usage;

pub use failures::{FailedMessage, FailureFilter};
pub(crate) use kind::Related;
pub use kind::{MessageKind, MessageKindId};
pub use log::MessageFilter;
pub use pace::{Turn, Waiting};
pub use queued::{QUEUED_AGAIN_AFTER, QueuedContent, WaitingPage};
pub(crate) use stored::ListItem;
pub use stored::{Kept, Stored, UNRESOLVED_AFTER};
pub use usage::Facts;
pub(crate) use usage::{counted, sms_channel};
