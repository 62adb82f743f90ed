//! The bound on what an organization posts in test mode. A simulated message costs its sender nothing, can be large, and can
//! have many webhooks, whose addresses may belong to somebody who never asked for events. Live deliveries are not counted.
//!
//! A write per delivery would cost as much as the delivery's own record. So an instance of the function counts small bodies
//! in its memory, and writes when they have come to [`COUNTED_AT_ONCE`]. What an instance has not counted yet when it ends is
//! the most that is posted beyond the bound.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::Failure;
use domain::delivery::Delivery;
use domain::id::OrganizationId;

use super::Deliverer;

/// How many bytes are counted in one write. A larger body is counted before it is posted.
const COUNTED_AT_ONCE: u64 = 64 * 1024;
/// The most organizations whose bytes are in memory. Those of others are counted at each delivery.
const ORGANIZATIONS: usize = 10_000;

/// The bytes that an instance has posted in test mode and not counted yet, by organization.
#[derive(Clone, Default)]
pub(super) struct Uncounted(Arc<Mutex<HashMap<OrganizationId, u64>>>);

impl Uncounted {
    /// Adds bytes. Returns all of the organization if they are to be counted now; they are then no longer here.
    fn add(&self, organization: &OrganizationId, bytes: u64) -> Option<u64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = all.get(organization).copied().unwrap_or(0) + bytes;
        let has_room = all.len() < ORGANIZATIONS || all.contains_key(organization);
        if sum < COUNTED_AT_ONCE && has_room {
            all.insert(organization.clone(), sum);
            return None;
        }
        all.remove(organization);
        Some(sum)
    }

    /// Takes back bytes that could not be counted.
    fn put_back(&self, organization: &OrganizationId, bytes: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry(organization.clone()).or_default() += bytes;
    }
}

impl Deliverer {
    /// Counts the bytes of a delivery of a test app. Returns `false` if that is more than the organization has left for the
    /// day.
    pub(super) async fn may_post(
        &self,
        organization: &OrganizationId,
        delivery: &Delivery,
        bytes: usize,
    ) -> Result<bool, Failure> {
        let (bytes, uncounted) = (bytes as u64, &self.poster.uncounted);
        if !delivery.app_id.mode().is_test() {
            return Ok(true);
        }
        let Some(due) = uncounted.add(organization, bytes) else { return Ok(true) };
        let org = self.context.store.of(organization);
        let counted = org.may_post_in_test_mode(due, self.context.now()).await;
        if !matches!(counted, Ok(true)) {
            // This delivery is not posted.
            uncounted.put_back(organization, due - bytes);
        }
        counted
    }

    /// Skips a delivery of a test app without a request, and says why.
    pub(super) async fn hold_back(&self, organization: &OrganizationId, before: &Delivery) -> Result<(), Failure> {
        let mut after = before.clone();
        after.hold_back(self.context.now());
        let webhook = &before.webhook_id;
        tracing::info!(delivery = %before.id, %webhook, "test mode has posted as much as it may in a day");
        self.write(organization, before, &after).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_in_steps_for_each_organization() {
        let [one, other] = ["org_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "org_1ujtsYcgvSTl8PAuAdqWYSMnLOv"]
            .map(|id| id.parse::<OrganizationId>().expect("an id"));
        let uncounted = Uncounted::default();
        assert_eq!(uncounted.add(&one, COUNTED_AT_ONCE - 1), None);
        assert_eq!(uncounted.add(&other, 1), None);
        assert_eq!(uncounted.add(&one, 2), Some(COUNTED_AT_ONCE + 1));
        assert_eq!(uncounted.add(&one, COUNTED_AT_ONCE), Some(COUNTED_AT_ONCE));
        uncounted.put_back(&one, COUNTED_AT_ONCE - 1);
        assert_eq!(uncounted.add(&one, 1), Some(COUNTED_AT_ONCE));
        assert_eq!(uncounted.add(&one, 1), None);
    }
}
