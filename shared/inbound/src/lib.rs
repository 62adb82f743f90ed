//! The platform's notifications: they are split into updates, routed to the organization whose account and number they
//! name, and applied idempotently. Only this crate and `platform` know the platform's field names.

mod account;
mod apply;
mod contacts;
mod content;
mod groups;
mod lanes;
mod lenient;
mod messages;
mod notification;
mod numbers;
mod route;
mod statuses;
mod templates;
mod wire;

pub use apply::Inbox;
pub use groups::created as created_group;
pub use lanes::in_lanes;
pub use notification::{ACCOUNT_FIELDS, Malformed, NUMBER_FIELDS, Split, Update, split};
pub use route::{Route, Routed, Routing};
