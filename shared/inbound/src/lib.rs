//! The reports of the platform and the carrier. The platform's notifications are split into updates, routed to the
//! organization whose account and number they name, and applied idempotently, as are the carrier's receipts and
//! received messages (`carrier`). Only this crate and `platform` know the platform's field names, and only this crate
//! and the crate `carrier` the carrier's.

mod account;
mod apply;
mod carrier;
mod contacts;
mod content;
mod groups;
mod history;
mod jobs;
mod lanes;
mod lenient;
mod messages;
mod notification;
mod numbers;
mod origin;
mod route;
mod seen;
mod simulated;
mod size;
mod statuses;
mod template_components;
mod templates;
mod text;
mod uploads;
mod wire;

pub use apply::Inbox;
pub use carrier::{CarrierUpdate, Reporter, SimulatedSms};
pub use groups::created as created_group;
pub use jobs::{fits, update_jobs};
pub use lanes::in_lanes;
pub use notification::{Malformed, Split, Update, split};
pub use route::{Route, Routed, Routing};
pub use simulated::{
    MOST_UPDATES, OrderedItem, PlannedStep, Replay, Replayed, SharedContent, SimulatedContent, SimulatedMessage,
    SimulatedReferral, SimulatedReply, SimulatedReport, SimulatedSend, TemplateRef, shared_by_simulator,
    simulated_review,
};
pub use size::LARGEST_BODY;
pub use uploads::refer_to_upload;
