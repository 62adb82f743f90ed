//! Disconnecting accounts of the chat platform, for the operation, for the operator and for the job that continues
//! their unfinished work ([ADR 38](../../../docs/adr/0038-connecting-and-releasing.md)).

mod disconnect;
mod steps;

use domain::port::{Clock, Random};
use platform::Platforms;
use runtime::Context;
use store::Store;

pub use disconnect::BUDGET;

/// The dependencies of a disconnection.
#[derive(Clone, Copy)]
pub struct Accounts<'a> {
    pub store: &'a Store,
    pub platforms: &'a Platforms,
    pub clock: &'a dyn Clock,
    pub random: &'a dyn Random,
}

impl<'a> Accounts<'a> {
    /// Returns the accounts of a function with a context.
    pub fn of(context: &'a Context, platforms: &'a Platforms) -> Self {
        Accounts { store: &context.store, platforms, clock: context.clock.as_ref(), random: context.random() }
    }
}
