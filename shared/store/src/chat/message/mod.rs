//! Chat messages. A message is an item collection: the main item and the items of its related records. Lists read only
//! the main items, and every status update writes the main item, so fields that may be long (JSON that the platform
//! produced) are in items of their own.
//!
//! `record.rs` defines the chat-specific part of a message. `parts.rs` writes its related records and the reference from the
//! platform's id; it also lists the items that a status writes. `named.rs` stores edits and revocations that arrive
//! before their message.

mod data;
mod media;
mod named;
mod parts;
mod record;
mod revisions;

pub use media::{InboundMedia, InboundRecord};
pub use named::NamedMessage;
pub(super) use record::MessageReference;
pub use record::{ChatRecord, Reported};
pub use revisions::{EarlyRevisions, Revisions};
