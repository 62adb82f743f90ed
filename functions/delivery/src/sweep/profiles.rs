//! Live business profiles whose daily check is due. The worker makes the check, because it can call the platform.

use domain::Failure;
use domain::chat::health::next_check;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::job::{Job, VERSION};
use store::DueItem;

use super::Sweeper;

impl Sweeper {
    /// Queues the check of a profile, and postpones the profile to its time on the next day. A lost check is repeated
    /// on the next day.
    pub(super) async fn queue_check(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        id: &ChatBusinessProfileId,
    ) -> Result<(), Failure> {
        let Some(profile) = self.store().of(organization).chat_business_profile(id).await? else { return Ok(()) };
        let (now, revision) = (self.context().now(), profile.revision);
        if profile.disconnected_at.is_some() {
            return self.store().no_longer_due_as_seen(item, revision).await;
        }
        if !self.store().postpone_as_seen(item, next_check(id, now), revision).await? {
            return Ok(());
        }
        let job = Job::CheckProfile { v: VERSION, organization_id: organization.clone(), profile_id: id.clone() };
        self.jobs.send(&[job]).await
    }
}
