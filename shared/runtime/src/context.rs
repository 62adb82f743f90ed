//! What every handler may use: the table, the time, randomness, the installation's settings, and its metrics.

use std::sync::Arc;

use domain::Timestamp;
use domain::port::{Clock, Random, SystemClock};
use domain::webhook::AddressPolicy;
use ring::rand::SystemRandom;
use store::Store;

use crate::metrics::{Metric, Metrics};

#[derive(Clone)]
pub struct Context {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub installation: Arc<Installation>,
    pub metrics: Metrics,
}

/// What differs between installations.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Where the error reference is published, without a slash at its end.
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

    pub fn publish(&self, metric: Metric, value: u64) {
        self.metrics.publish(metric, value, self.now());
    }

    pub fn random(&self) -> &dyn Random {
        self.random.as_ref()
    }
}
