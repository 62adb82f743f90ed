//! The context of every handler: the store, the clock, randomness, the installation's settings and its metrics.

use std::sync::Arc;

use domain::Timestamp;
use domain::port::{Clock, Random, SystemClock};
use domain::webhook::AddressPolicy;
use ring::rand::SystemRandom;
use store::Store;

use crate::metrics::{Metric, Metrics};

/// The dependencies of handlers.
#[derive(Clone)]
pub struct Context {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub installation: Arc<Installation>,
    pub metrics: Metrics,
}

/// The settings that differ between installations.
#[derive(Clone, Debug)]
pub struct Installation {
    /// The address of the error reference, without a slash at its end.
    pub docs_url: String,
    pub webhook_addresses: AddressPolicy,
}

impl Context {
    pub fn new(store: Store, installation: Installation, metrics: Metrics) -> Self {
        Context {
            store,
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom::new()),
            installation: Arc::new(installation),
            metrics,
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Publishes the value of a metric at the current time.
    pub fn publish(&self, metric: Metric, value: u64) {
        self.metrics.publish(metric, value, self.now());
    }

    pub fn random(&self) -> &dyn Random {
        self.random.as_ref()
    }
}
