//! Stalled recoveries: the message of their next round was lost, or a round was killed.

use domain::Failure;
use domain::id::{RecoveryId, WebhookId};
use domain::job::RecoveryJob;
use store::DueItem;

use super::Sweeper;

impl Sweeper {
    /// Queues the next round of a recovery. The revision decides which round begins, so a surplus message does no harm.
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
        self.dispatcher.queue.send(&[RecoveryJob::of(organization, &recovery)]).await
    }
}
