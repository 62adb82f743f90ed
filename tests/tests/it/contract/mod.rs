//! What all operations have in common: the document, errors, lists and repeated requests.

mod bad_input;
mod clients;
mod defaults;
mod docs;
mod error_codes;
mod error_examples;
mod error_messages;
mod examples;
mod idempotency;
mod limits;
mod lists;
mod odd_bytes;
mod other_bodies;
mod routes;
mod walk;
