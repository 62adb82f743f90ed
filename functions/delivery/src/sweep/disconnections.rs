//! Unfinished disconnections of accounts. The worker continues them, because only it can call the platform.

use std::time::Duration;

use domain::Failure;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::job::{Job, VERSION};
use store::DueItem;

use super::Sweeper;

/// After how long the sweep queues a disconnection again. Longer than all attempts of one job take, so that a
/// disconnection that cannot be finished has one job at a time.
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
