//! Every test that needs the table, the bucket, several crates, the deployed stack or the repository itself.

#![allow(clippy::unwrap_used, reason = "a test ends where it is surprised")]

mod admin_keys;
mod app_keys;
mod apps;
mod authentication;
mod bad_input;
mod calling;
mod chat_numbers;
mod clients;
mod contract;
mod costs;
mod deliveries;
mod dependencies;
mod docs;
mod end_to_end;
mod event_samples;
mod examples;
mod graph_client;
mod groups;
mod hostile_receivers;
mod idempotency;
mod isolation;
mod lists;
mod live_events;
mod live_tour;
mod media;
mod notifications;
mod operator;
mod phone_numbers;
mod playground;
mod secrets;
mod settings;
mod signup;
mod storage_trouble;
mod sweep;
mod template_sync;
mod two_writers;
mod webhooks;
