//! Histories that wait to be imported. The worker imports them, because only it is permitted to store messages.

use std::time::Duration;

use domain::Failure;
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::job::{Job, VERSION};
use store::DueItem;

use super::Sweeper;

/// After how long the sweep queues an import again, unless the worker has reported progress.
const REQUEUE_AFTER: Duration = Duration::from_secs(15 * 60);

impl Sweeper {
    /// Queues the import of a number's history.
    pub(super) async fn queue_import(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        number: &ChatPhoneNumberId,
    ) -> Result<(), Failure> {
        let Some(line) = self.store().of(organization).history_line(number).await? else { return Ok(()) };
        let until = self.context().now().plus(REQUEUE_AFTER);
        if !self.store().postpone_as_seen(item, until, line.revision).await? {
            return Ok(());
        }
        let job = Job::ImportHistory { v: VERSION, organization_id: organization.clone(), number_id: number.clone() };
        self.jobs.send(&[job]).await
    }
}
