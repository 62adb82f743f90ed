//! Tests that need the table, the bucket, several crates, the deployed stack or the files of the repository.

#![recursion_limit = "256"]
#![allow(clippy::unwrap_used, reason = "a test ends where it is surprised")]

mod chat;
mod contract;
mod events;
mod identity;
mod insight;
mod media;
mod operation;
mod sending;
mod sms;
mod testing;
