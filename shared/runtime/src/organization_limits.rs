//! The rate limits of organizations, as this process has read them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::id::OrganizationId;
use domain::identity::rate::RateLimit;
use domain::{Failure, Timestamp};
use store::{OrganizationLimits, Store};

/// How long the limits are used before they are read again.
const KEPT: Duration = Duration::from_secs(60);

/// The limits, and until when they are used.
#[derive(Clone, Debug, Default)]
pub struct KnownLimits(Arc<Mutex<Option<(OrganizationLimits, Timestamp)>>>);

impl KnownLimits {
    /// Returns the limit of an organization. Reads the limits once per minute; if that fails, those of before stay.
    pub async fn of(&self, store: &Store, organization: &OrganizationId, now: Timestamp) -> Option<RateLimit> {
        if !self.known(|known| known.as_ref().is_some_and(|(_, until)| now < *until)) {
            let read = store.organization_limits().await;
            self.known(|known| renew(known, read, now));
        }
        let rate = self.known(|known| known.as_ref().and_then(|(limits, _)| limits.of(organization)));
        rate.map(RateLimit::of_organization)
    }

    fn known<T>(&self, access: impl FnOnce(&mut Option<(OrganizationLimits, Timestamp)>) -> T) -> T {
        access(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn renew(
    known: &mut Option<(OrganizationLimits, Timestamp)>,
    read: Result<OrganizationLimits, Failure>,
    now: Timestamp,
) {
    let until = now.plus(KEPT);
    let limits = match (read, known.take()) {
        (Ok(limits), _) => limits,
        (Err(failure), before) => {
            tracing::warn!("the limits of organizations were not read: {}", failure.message());
            before.map(|(limits, _)| limits).unwrap_or_default()
        }
    };
    *known = Some((limits, until));
}
