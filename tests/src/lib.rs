//! The test kit: the APIs of all functions in one process, over a table and bucket of the AWS emulator.
//!
//! `make test` starts the emulator and sets `TEST_AWS_ENDPOINT` to its URL.

#![allow(clippy::unwrap_used, reason = "a test ends where it is surprised")]
// The future of a request holds those of all functions; the compiler looks deep into it.
#![recursion_limit = "256"]

pub mod carrier;
pub mod catalogue;
pub mod chat;
pub mod clock;
pub mod contract;
pub mod deployed;
pub mod emulator;
pub mod faults;
pub mod functions;
pub mod logs;
pub mod memory;
pub mod meter;
pub mod needs;
pub mod privileges;
pub mod provider;
pub mod receiver;
pub mod request;
mod rounds;
pub mod samples;
pub mod settings;
pub mod sms;
pub mod standin;
pub mod topics;
pub mod world;

pub use request::{Call, Reply};
pub use world::{Service, World};
