//! Messages whose attempt has no outcome, because the function was stopped or could not record it. It is unknown
//! whether the provider accepted such a message, so it is not sent again.

use domain::Failure;
use domain::id::{ChatMessageId, OrganizationId, SmsMessageId};
use outbound::{ChatChannel, QueuedChannel, SmsChannel};
use store::{Change, DueItem, MessageKind as _, Stored, UNRESOLVED_AFTER};

use super::Sweeper;
use super::report::Report;

impl Sweeper {
    /// Processes a due message: one that is being sent, or one with a medium.
    pub(super) async fn process_message(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        id: &ChatMessageId,
        report: &Report,
    ) -> Result<(), Failure> {
        match self.store().of(organization).message(id).await? {
            None => self.store().no_longer_due(item).await,
            Some(stored) if stored.outcome().is_some() => {
                self.process_send::<ChatChannel>(item, organization, stored, report).await
            }
            Some(stored) => self.process_message_media(item, organization, &stored).await,
        }
    }

    /// Processes a due SMS message, which is always an outbound one.
    pub(super) async fn process_sms(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        id: &SmsMessageId,
        report: &Report,
    ) -> Result<(), Failure> {
        match self.store().of(organization).message(id).await? {
            None => self.store().no_longer_due(item).await,
            Some(stored) => self.process_send::<SmsChannel>(item, organization, stored, report).await,
        }
    }

    /// Processes a message to send: one that waits for its turn, or one whose attempt has no outcome.
    async fn process_send<C: QueuedChannel>(
        &self,
        item: &DueItem,
        organization: &OrganizationId,
        before: Stored<C::Record>,
        report: &Report,
    ) -> Result<(), Failure> {
        if let Some(end) = before.waits_until() {
            return self.process_waiting::<C>(item, organization, before, end, report).await;
        }

        let (now, revision) = (self.context().now(), before.kept.revision);
        let Some(attempted_at) = before.kept.attempted_at.filter(|_| before.is_being_sent()) else {
            return self.store().no_longer_due_as_seen(item, revision).await;
        };
        let unresolved_at = attempted_at.plus(UNRESOLVED_AFTER);
        if unresolved_at > now {
            return self.store().postpone_as_seen(item, unresolved_at, revision).await.map(|_| ());
        }

        let mut after = before.clone();
        after.mark_unknown(now);
        after.note_outcome(Some(&before), now);
        after.kept.revision += 1;
        let mut change = Change::new(organization);
        change.update_message(&before, &after)?;
        // Stale if the outcome was recorded concurrently. Then there is nothing left to do.
        self.store().commit(&change).await.map(|_| ())
    }
}
