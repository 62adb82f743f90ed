//! Messages in the table, chat and SMS alike: an item collection of the main item, and items of what is long or rarely
//! read. Lists read only the main items, and every status writes the main item.
//!
//! [`Stored`] is a message of either kind with the state of sending it; [`MessageKind`] is what the kinds supply.

mod attempt;
mod kind;
mod listed;
mod log;
mod read;
mod stored;
mod write;

pub use attempt::WaitingPage;
pub(crate) use kind::Related;
pub use kind::{MessageKind, MessageKindId};
pub(crate) use listed::ListItem;
pub use log::MessageFilter;
pub use stored::{Kept, QUEUED_AGAIN_AFTER, QueuedContent, Stored, UNRESOLVED_AFTER};
