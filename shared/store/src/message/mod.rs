//! What chat and SMS messages have in common in the table: the record of sending, the lists, and the log. A message is an
//! item collection: the main item, and items of what is long or rarely read. Lists read only the main items.

mod attempt;
mod listed;
mod log;
mod record;

pub use attempt::WaitingPage;
pub(crate) use listed::ListItem;
pub use log::MessageFilter;
pub use record::{Kept, MainItem, Message, QUEUED_AGAIN_AFTER, QueuedContent, UNRESOLVED_AFTER};
