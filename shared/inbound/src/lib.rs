//! What the platform tells: notifications split into updates, routed to the organization whose number and account they name,
//! and applied, each once however often it comes. Only this crate and `platform` speak the platform's field names.

mod account;
mod apply;
mod contacts;
mod content;
mod groups;
mod lanes;
mod loose;
mod messages;
mod notification;
mod numbers;
mod route;
mod statuses;
mod templates;
mod wire;

pub use apply::Inbox;
pub use groups::made as made_group;
pub use lanes::in_lanes;
pub use notification::{ACCOUNT_FIELDS, Malformed, NUMBER_FIELDS, Split, Update, split};
pub use route::{Route, Routed, Routing};
