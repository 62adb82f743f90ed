//! The jobs that one function leaves to another in a queue: of the worker, of the sweep and of the deliveries.
//! Consumers accept every version that a running release may have sent. The crate `aws` sends them.

mod delivery;
mod sweep;
mod worker;

use serde::Serialize;

pub use delivery::{DeliveryJob, DeliveryMessage, Lane, RecoveryJob};
pub use sweep::SweepJob;
pub use worker::{Job, QueuedJob, StatusReports};

/// The version of messages that this release sends.
pub const VERSION: u8 = 1;

/// A message of a queue.
pub trait Queued: Serialize {
    /// Returns the body. `origin` is the id of the request from which the work originates, if it is known. Only the
    /// worker's jobs carry it.
    fn body(&self, _origin: Option<String>) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// Returns the message's group in a fair queue: a group that keeps the consumers busy does not delay the others.
    fn group(&self) -> Option<String>;
}
