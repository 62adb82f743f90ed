//! The health of webhook receivers: whether they fail, and whether they are slow.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// The health of a webhook's receiver. A healthy receiver has no such record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiverHealth {
    /// The number of failures since the last success.
    #[serde(default)]
    pub failures: u32,
    pub first_failure_at: Option<Timestamp>,
    /// When the next new delivery may probe whether the receiver has recovered.
    pub probe_at: Option<Timestamp>,
    /// Until when its deliveries use the queue for slow receivers.
    pub slow_until: Option<Timestamp>,
}

/// After how many failures in a row new deliveries wait.
pub const FAILURES_TO_WAIT: u32 = 5;
/// How many failures in a row, over how many days, disable a webhook.
pub const FAILURES_TO_DISABLE: u32 = 20;
pub const DAYS_TO_DISABLE: u32 = 5;
/// How long a receiver counts as slow after a slow response.
pub const SLOW: Duration = Duration::from_secs(7 * 24 * 3600);
/// How old the record of a slow response may be before the next one renews it.
const SLOW_RENEWED_AFTER: Duration = Duration::from_secs(3600);
/// How often a failing receiver is probed.
pub const PROBE_EVERY: Duration = Duration::from_secs(60);

impl ReceiverHealth {
    /// Returns whether new deliveries wait while one delivery per minute probes the receiver.
    pub fn is_waiting(&self) -> bool {
        self.failures >= FAILURES_TO_WAIT
    }

    pub fn is_slow(&self, now: Timestamp) -> bool {
        self.slow_until.is_some_and(|until| now < until)
    }

    /// Returns whether a slow success at `now` needs no record, because a slow response was recorded within the last
    /// hour and there has been no failure since.
    pub fn is_known_slow(&self, now: Timestamp) -> bool {
        self.failures == 0 && self.is_slow(now.plus(SLOW - SLOW_RENEWED_AFTER))
    }

    /// Returns whether the receiver has failed for so long, and so often, without a success that its webhook is disabled.
    pub fn is_hopeless(&self, now: Timestamp) -> bool {
        let since = self.first_failure_at.is_some_and(|first| first.plus_days(DAYS_TO_DISABLE) <= now);
        since && self.failures >= FAILURES_TO_DISABLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowness_is_remembered_for_a_week() {
        let (now, hour) = (Timestamp::from_millis(0), Duration::from_secs(3600));
        let health = ReceiverHealth { slow_until: Some(now.plus(SLOW)), ..ReceiverHealth::default() };
        let week = 7 * 24 * hour;
        assert!(health.is_slow(now.plus(week - hour)) && !health.is_slow(now.plus(week)));
        assert!(health.is_known_slow(now.plus(hour / 2)) && !health.is_known_slow(now.plus(hour)));
        assert!(!ReceiverHealth { failures: 1, ..health }.is_known_slow(now));
    }
}
