//! Phone numbers to unlink from the carrier. The worker unlinks them, because only it is permitted to change the
//! carrier's numbers.

use std::time::Duration;

use domain::Failure;
use domain::id::{OrganizationId, PhoneNumberId};
use domain::job::{Job, VERSION};
use domain::sms::carrier_link::LinkState;
use store::DueItem;

use super::Sweeper;

/// After how long the sweep queues a release again. Longer than all attempts of one job take, so that a number that
/// cannot be released has one job at a time.
const REQUEUE_AFTER: Duration = Duration::from_secs(40 * 60);

impl Sweeper {
    /// Queues the release of a number.
    pub(super) async fn queue_release(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        id: &PhoneNumberId,
    ) -> Result<(), Failure> {
        let Some(number) = self.store().of(organization).phone_number(id).await? else { return Ok(()) };
        let (now, revision) = (self.context().now(), number.revision);
        if number.carrier.is_none_or(|link| link.state != LinkState::Releasing) {
            return self.store().no_longer_due_as_seen(item, revision).await;
        }
        if !self.store().postpone_as_seen(item, now.plus(REQUEUE_AFTER), revision).await? {
            return Ok(());
        }
        let job = Job::ReleaseNumber { v: VERSION, organization_id: organization.clone(), number_id: id.clone() };
        self.jobs.send(&[job]).await
    }
}
