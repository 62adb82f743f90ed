//! The bodies of `POST /v1/chat/messages`.
//!
//! A body has a type, and the object that the type names. [`SendChatMessage`] is deserialized with a field for the
//! object of each type, and validated into a [`Sending`]: the sender, the message, and how long it may wait. In the
//! OpenAPI document, each type has a schema of its own.
//!
//! Texts, locations and contact cards are read into the domain's own types; other objects have a type here, which is
//! converted. [`domain::chat::outgoing::Content`] validates the values, and [`platform::render`] those that callers write
//! in the platform's format.

mod interactive;
mod interactive_schema;
mod objects;
mod request;
mod schema;
mod template;
mod template_parts;

pub(crate) use request::queued_for;
pub use request::{SendChatMessage, Sender, Sending};
