//! What every handler may use: the table, the time, randomness, and the installation's settings.

use std::sync::Arc;

use domain::Timestamp;
use domain::port::{Clock, Random, SystemClock};
use domain::webhook::AddressPolicy;
use ring::rand::SystemRandom;
use store::Store;

#[derive(Clone)]
pub struct Context {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub installation: Arc<Installation>,
}

/// What differs between installations.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Where the error reference is published, without a slash at its end.
    pub docs_url: String,
    pub webhook_addresses: AddressPolicy,
}

impl Context {
    pub fn new(store: Store, installation: Installation) -> Self {
        Context {
            store,
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom::new()),
            installation: Arc::new(installation),
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn random(&self) -> &dyn Random {
        self.random.as_ref()
    }
}
