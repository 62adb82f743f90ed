//! Stalled recoveries: the message of their next round was lost, or a round was killed.

use std::time::Duration;

use aws::queue::RecoveryJob;
use domain::Failure;
use domain::id::{RecoveryId, WebhookId};
use store::DueItem;

use super::Sweeper;

impl Sweeper {
    /// Queues the next round of a recovery. The revision decides which round begins, so one message too many does no harm.
    pub(super) async fn continue_recovery(
        &self,
        item: &DueItem,
        webhook: &WebhookId,
        id: &RecoveryId,
    ) -> Result<(), Failure> {
        let organization = &item.organization;
        let Some(recovery) = self.store().of(organization).recovery(webhook, id).await? else { return Ok(()) };
        let (now, revision) = (self.context().now(), recovery.revision);
        let Some(at) = recovery.check_at.filter(|_| recovery.is_running()) else {
            return self.store().no_longer_due_as_seen(item, revision).await;
        };
        // The index is eventually consistent, and a round may have begun since.
        if at > now {
            return self.store().postpone_as_seen(item, at, revision).await.map(|_| ());
        }
        if !self.postpone_overdue(item, at, revision).await? {
            return Ok(());
        }
        self.dispatcher.queue.send_recovery(&RecoveryJob::of(organization, &recovery), Duration::ZERO).await
    }
}
