//! Queued messages that wait. The sweep queues those whose queue message was lost or whose turn was too far away for a
//! queue message, and ends those whose time is over.

use std::time::Duration;

use aws::queue::{Job, VERSION};
use domain::id::OrganizationId;
use domain::{Failure, Timestamp};
use outbound::{Unsent, end_waiting};
use store::{DueItem, Message, QUEUED_AGAIN_AFTER};

use super::Sweeper;

impl Sweeper {
    /// Queues a message that waits until `end` at the latest, or ends it. The attempt's own condition decides who sends
    /// the message, so one queue message too many does no harm.
    pub(super) async fn process_waiting<M: Message>(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        stored: M,
        end: Timestamp,
    ) -> Result<(), Failure> {
        let (now, revision) = (self.context().now(), stored.kept().revision);
        if end <= now {
            return end_waiting(self.context(), organization, stored, &Unsent::Expired).await;
        }
        let at = stored.kept().queue_at.unwrap_or(now).min(end);
        // The index is eventually consistent, and the worker may have given the message an appointment.
        if at > now {
            return self.store().postpone_as_seen(item, at, revision).await.map(|_| ());
        }
        // The longer a message is overdue, the longer the pause before it is queued again.
        let overdue = Duration::from_secs(at.seconds_until(now));
        let later = now.plus(overdue.max(QUEUED_AGAIN_AFTER)).min(end);
        if !self.store().postpone_as_seen(item, later, revision).await? {
            return Ok(());
        }
        let job = Job::Send {
            v: VERSION,
            organization_id: organization.clone(),
            number_id: stored.number(),
            message_id: stored.id().clone().into(),
        };
        self.sends.send(&[job]).await
    }
}
