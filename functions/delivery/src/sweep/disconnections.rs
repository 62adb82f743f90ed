//! Disconnections of accounts that nobody has finished. The worker continues them, because only it can call the platform.

use std::time::Duration;

use aws::queue::{Job, VERSION};
use domain::Failure;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use store::DueItem;

use super::Sweeper;

/// When the sweep queues a disconnection again. Longer than the tries of one job take, so that a disconnection that cannot
/// be finished has one job at a time.
const REQUEUE_AFTER: Duration = Duration::from_secs(40 * 60);

impl Sweeper {
    /// Queues the rest of a disconnection.
    pub(super) async fn queue_disconnection(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        profile: &ChatBusinessProfileId,
    ) -> Result<(), Failure> {
        // Postponed first: if the job cannot be sent, the item is postponed again, to be retried sooner.
        self.store().postpone(item, self.context().now().plus(REQUEUE_AFTER)).await?;
        let job =
            Job::DisconnectAccount { v: VERSION, organization_id: organization.clone(), profile_id: profile.clone() };
        self.jobs.send(&[job]).await
    }
}
