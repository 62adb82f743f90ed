//! From events in the outbox to the organizations' webhooks, in three functions: *dispatch* makes the deliveries of an event, *deliver*
//! posts one attempt, and *sweep* looks after what is due: retries, events that were missed, media past their end.

mod deliver;
mod dispatch;
mod dispatcher;
mod sweep;

pub use deliver::{Addresses, Answered, DEADLINE, Deliverer, Poster, Resolver, SystemResolver};
pub use dispatch::StreamRecords;
pub use dispatcher::Dispatcher;
pub use sweep::{Sweeper, Swept};
