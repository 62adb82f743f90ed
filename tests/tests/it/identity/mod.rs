//! Organizations, apps, keys and sessions: who may do what, and what nobody may.

mod admin_keys;
mod app_key_operations;
mod app_keys;
mod apps;
mod audit;
mod authentication;
mod contents;
mod escalation;
mod isolation;
mod key_uses;
mod limits_by_mode;
mod operator;
mod organization_deletion;
pub(crate) mod people;
mod rate_limits;
mod rotation;
mod scopes;
mod secrets;
mod settings;
