//! Queued messages that wait. The sweep queues those whose queue message was lost or whose turn was too far away for a
//! queue message, and ends those whose time is over.

use std::time::Duration;

use domain::id::OrganizationId;
use domain::job::{Job, VERSION};
use domain::{Failure, Timestamp};
use outbound::{QueuedChannel, Unsent, end_waiting};
use store::{DueItem, MessageKind as _, QUEUED_AGAIN_AFTER, Stored};

use super::Sweeper;
use super::report::Report;

/// How long after its turn a message counts as late if no worker has processed it.
const LATE_AFTER: Duration = Duration::from_secs(5 * 60);

impl Sweeper {
    /// Queues a message that waits until `end` at the latest, or ends it. The attempt's own condition ensures that the
    /// message is sent once, so a surplus queue message does no harm.
    pub(super) async fn process_waiting<C: QueuedChannel>(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        stored: Stored<C::Record>,
        end: Timestamp,
        report: &Report,
    ) -> Result<(), Failure> {
        let (now, revision) = (self.context().now(), stored.kept.revision);
        let at = stored.kept.queue_at.unwrap_or(now).min(end);
        if at.plus(LATE_AFTER) <= now {
            report.note_late();
        }
        if end <= now {
            let number = C::number(&self.store().of(organization), C::number_id(&stored)).await?;
            let why = C::lost(number.as_ref(), &stored).map_or(Unsent::Expired, Unsent::Refused);
            return end_waiting::<C>(self.context(), organization, stored, &why).await;
        }

        // The index is eventually consistent, and the worker may have given the message an appointment.
        if at > now {
            return self.store().postpone_as_seen(item, at, revision).await.map(|_| ());
        }
        // The pause before a message is queued again grows with the time for which it is overdue.
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
