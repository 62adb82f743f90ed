//! The requests of `POST /v1/chat/messages`, and what the platform and the log get of them.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod bodies;
mod guide;
mod kit;
mod limits;
mod log;
mod properties;
mod refusals;
mod templates;
