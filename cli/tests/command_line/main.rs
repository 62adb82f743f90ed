//! The real binary against the local stack. `make test` deploys a stack and sets the variables that these tests read.

#![allow(clippy::unwrap_used, reason = "a test ends where it is surprised")]

mod accounts;
mod api;
mod credentials;
mod kit;
mod links;
mod listen;
mod messages;
mod objects;
mod templates;
mod tour;
mod trigger;
