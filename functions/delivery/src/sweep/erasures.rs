//! Unfinished erasures. The worker continues them, because it reads and deletes messages anyway.

use domain::Failure;
use domain::id::OrganizationId;
use domain::job::{Job, VERSION};
use store::{DueItem, ERASURE_QUEUED_AGAIN_AFTER};

use super::Sweeper;

impl Sweeper {
    /// Queues a job of an erasure: its first one, or one that replaces a lost job.
    pub(super) async fn queue_erasure(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        reference: &str,
    ) -> Result<(), Failure> {
        let Some(erasure) = self.store().of(organization).erasure(reference).await? else { return Ok(()) };
        if !erasure.is_running() {
            return self.store().no_longer_due_as_seen(item, erasure.revision).await;
        }
        let later = self.context().now().plus(ERASURE_QUEUED_AGAIN_AFTER);
        if !self.store().postpone_as_seen(item, later, erasure.revision).await? {
            return Ok(());
        }
        let (organization_id, reference) = (organization.clone(), erasure.reference);
        self.jobs.send(&[Job::EraseContact { v: VERSION, organization_id, reference }]).await
    }
}
