//! The context of every handler: the store, the clock, randomness, the installation's settings and its metrics.

use std::sync::Arc;

use aws::origin;
use domain::audit::{Entry, Retention, Trail};
use domain::due::DueClass;
use domain::events::webhook::AddressPolicy;
use domain::message::step::Step;
use domain::port::{Clock, Random, SystemClock};
use domain::{Mode, Timestamp};
use ring::rand::SystemRandom;
use store::Store;

use crate::metrics::{Metric, Metrics, Monitoring};
use crate::once_per_hour::OncePerHour;
use crate::organization_limits::KnownLimits;
use crate::proven::Proven;
use crate::rates::Rates;

/// The dependencies of handlers.
#[derive(Clone)]
pub struct Context {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub installation: Arc<Installation>,
    pub metrics: Metrics,
    pub proven: Proven,
    /// The keys whose use was recorded in this hour.
    pub key_uses: OncePerHour,
    /// The credentials of which no more refusals are entered in this hour.
    pub full_denials: OncePerHour,
    pub rates: Rates,
    pub organization_limits: KnownLimits,
    pub audit_retention: Retention,
}

/// The settings that differ between installations.
#[derive(Clone, Debug)]
pub struct Installation {
    /// The URL of the error reference, without a trailing slash.
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
            proven: Proven::default(),
            key_uses: OncePerHour::default(),
            full_denials: OncePerHour::default(),
            rates: Rates::default(),
            organization_limits: KnownLimits::default(),
            audit_retention: Retention::default(),
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Publishes the value of a metric at the current time.
    pub fn publish(&self, metric: Metric, value: u64) {
        self.metrics.publish(metric, None, value, self.now());
    }

    /// Returns which metrics the installation has.
    pub fn monitoring(&self) -> Monitoring {
        self.metrics.monitoring()
    }

    /// Publishes the value of a metric for a class of due work.
    pub fn publish_due(&self, metric: Metric, class: DueClass, value: u64) {
        self.metrics.publish(metric, Some(class), value, self.now());
    }

    /// Counts and logs a value of the platform that is not in this API's closed set for the field.
    pub fn unknown_platform_value(&self, field: &str, value: &str) {
        tracing::warn!(field, value = %domain::error::provider::shown(value), "the platform sent an unknown value");
        self.publish(Metric::UnknownPlatformValues, 1);
    }

    /// Returns an entry of the audit log, which says that something of this mode was done now.
    pub fn entry(&self, trail: &Trail, mode: Mode) -> Entry {
        Entry::new(trail, mode, self.now(), self.random(), self.audit_retention, origin::current())
    }

    /// Returns the step of a message that says who has requested it.
    pub fn requested(&self, trail: &Trail) -> Step {
        Step::Requested { request_id: origin::current(), by: trail.actor.id.clone() }
    }

    pub fn random(&self) -> &dyn Random {
        self.random.as_ref()
    }
}
