//! Tests of the requests of `POST /v1/chat/messages`, and of the resulting bodies for the platform and fields of the
//! log.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod bodies;
mod guide;
mod kit;
mod limits;
mod log;
mod properties;
mod refusals;
mod template_kinds;
mod template_limits;
mod templates;
