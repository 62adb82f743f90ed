//! Delivers events from the outbox to webhooks, in three Lambda functions: *dispatch* creates the deliveries of an
//! event and adds it to feeds, *deliver* makes one attempt, and *sweep* processes due items: retries, missed events,
//! expired media, abandoned signups.

mod deliver;
mod dispatch;
mod dispatcher;
mod feeds;
mod sweep;

pub use deliver::{
    Addresses, DEADLINE, Deliverer, LARGEST_HEAD, PROMPT, Poster, ReceiverResponse, Resolver, SystemResolver,
};
pub use dispatch::StreamRecords;
pub use dispatcher::{Dispatcher, Waiting};
pub use sweep::{Looked, SweepEvent, Sweeper, Swept};
