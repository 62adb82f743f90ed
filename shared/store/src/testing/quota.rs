//! The quotas of an organization for what its test apps store and post per UTC day.

use domain::testing::playground::{BYTES_POSTED_A_DAY, BYTES_STORED_A_DAY};
use domain::{Failure, Timestamp};

use crate::OrganizationStore;
use crate::engine::change::Change;
use crate::limits::quota::{DAY, Quota, is_used_up};

impl Quota {
    /// The quota of an organization for the bytes that its test apps store.
    pub fn stored_by_test_apps() -> Self {
        let most = BYTES_STORED_A_DAY;
        let message = format!(
            "The test apps of an organization may store at most {most} bytes per day (UTC): uploads and simulated notifications."
        );
        Quota { scope: "testStorage".to_owned(), attribute: "storedBytes", most, period: DAY, message }
    }

    /// The quota of an organization for the bytes that are posted to the webhooks of its test apps.
    fn posted_in_test_mode() -> Self {
        let most = BYTES_POSTED_A_DAY;
        let message = format!("An organization may post at most {most} bytes per day (UTC) to webhooks in test mode.");
        Quota { scope: "testPosts".to_owned(), attribute: "postedBytes", most, period: DAY, message }
    }
}

impl OrganizationStore {
    /// Counts bytes that are about to be posted to a webhook of a test app. Returns `false`, and counts nothing, if that is
    /// more than is left for the day.
    pub async fn may_post_in_test_mode(&self, bytes: u64, now: Timestamp) -> Result<bool, Failure> {
        let mut change = Change::new(&self.organization);
        let spent = match change.spend(&Quota::posted_in_test_mode(), bytes, now) {
            Ok(()) => self.table.commit(&change).await.map(|_| ()),
            Err(failure) => Err(failure),
        };
        match spent {
            Ok(()) => Ok(true),
            Err(failure) if is_used_up(&failure) => Ok(false),
            Err(failure) => Err(failure),
        }
    }
}
