//! Bytes that were posted in test mode and are not counted yet.
//!
//! A write per delivery would cost as much as the delivery's own record. So an instance of the function counts small
//! bodies in its memory, and writes their sum when it reaches [`COUNTED_AT_ONCE`]. The limit can be exceeded by the
//! bytes that instances have not counted yet when they end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::id::OrganizationId;

/// How many bytes are counted in one write. A larger body is counted before it is posted.
const COUNTED_AT_ONCE: u64 = 64 * 1024;
/// The highest number of organizations whose bytes are in memory. Bytes of others are counted at each delivery.
const ORGANIZATIONS: usize = 10_000;

/// The bytes that an instance has posted in test mode and not counted yet, by organization.
#[derive(Clone, Default)]
pub(super) struct Uncounted(Arc<Mutex<HashMap<OrganizationId, u64>>>);

impl Uncounted {
    /// Adds bytes. Returns the organization's sum, and removes it from memory, if it must be counted now.
    pub(super) fn add(&self, organization: &OrganizationId, bytes: u64) -> Option<u64> {
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

    /// Adds bytes back that could not be counted.
    pub(super) fn put_back(&self, organization: &OrganizationId, bytes: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *all.entry(organization.clone()).or_default() += bytes;
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
