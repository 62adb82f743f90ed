//! Brings events from the outbox to webhooks, in three Lambda functions: *dispatch* creates the deliveries of an event,
//! *deliver* makes one attempt, and *sweep* processes due items: retries, missed events, expired media, abandoned signups.

mod deliver;
mod dispatch;
mod dispatcher;
mod sweep;

pub use deliver::{Addresses, DEADLINE, Deliverer, Poster, ReceiverResponse, Resolver, SystemResolver};
pub use dispatch::StreamRecords;
pub use dispatcher::Dispatcher;
pub use sweep::{Sweeper, Swept};
