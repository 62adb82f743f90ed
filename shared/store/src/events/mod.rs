//! Events, from the change that they report to the webhooks of the organization's apps. A change stores its event in
//! the outbox, in its own transaction (`outbox.rs`). The dispatcher creates a delivery for each webhook that listens to
//! the event, and appends the event to the feeds of apps. It finds webhooks by their app, or in the list of those that
//! listen to the whole organization.
//!
//! An attempt reads delivery, webhook, secrets, event and health of the receiver at once (`delivery.rs`). Failures and
//! slowness are kept with the receiver's health; slow receivers share a few slots. The log shows deliveries
//! (`delivery_log.rs`), and a recovery walks through those that failed (`delivery_walk.rs`). A webhook's address may also
//! be a queue that the organization may use (`destination.rs`).

mod delivery;
mod delivery_log;
mod delivery_walk;
mod destination;
mod feed;
mod health;
pub(crate) mod organization_webhook;
mod outbox;
mod recovery;
mod slot;
mod webhook;

pub use delivery::{IN_QUEUE, ToDeliver};
pub use delivery_log::DeliveryFilter;
pub use delivery_walk::DeliveryWalk;
pub use feed::EVENTS_PER_APPEND;
pub use recovery::ToRecover;
pub use slot::Slot;
pub use webhook::WebhookUpdate;
