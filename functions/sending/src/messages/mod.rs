//! Chat messages that apps send.

mod interactive;
mod objects;
mod request;
mod schema;
mod template;

pub(crate) use request::queued_for;
pub use request::{SendChatMessage, Sender, Sending};
