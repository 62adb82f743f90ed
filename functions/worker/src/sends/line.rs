//! Renewing the line of a number after the number was unassigned from an app or stopped sending. The waiting messages
//! have appointments of the old line. Those that can never be sent end now instead of at their appointments. The others
//! take their turn, and make new appointments.

use std::time::Duration;

use domain::id::{Identifier as _, OrganizationId, first_ksuid_at};
use domain::job::{Job, VERSION};
use domain::message::{LONGEST_WAIT, MessageId};
use domain::number::NumberId;
use domain::{Failure, Timestamp};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use outbound::{ChatChannel, IdOf, QueuedChannel, SmsChannel, Unsent, end_waiting};
use store::OrganizationStore;
use tokio::time::Instant;

use super::QueuedSend;
use crate::Worker;

/// How many list items a page has, and how many messages of it are processed at once.
const PAGE: usize = 100;
const AT_ONCE: usize = 10;
/// How long an invocation starts new pages. The next job continues.
const BEGINS_PAGES: Duration = Duration::from_secs(20);

impl QueuedSend<'_> {
    /// Gets the line of the number renewed, once per reset. The first message that can never be sent triggers it.
    pub(super) async fn renew_line(&self, reset_at: Timestamp) -> Result<(), Failure> {
        let org = self.store();
        if org.line_renewed_at(self.number).await?.is_some_and(|renewed| renewed >= reset_at) {
            return Ok(());
        }
        // Queued before it is recorded: after an interruption the line is queued again, and the second job finds little
        // to do.
        let line = RenewedLine { worker: self.worker, organization: self.organization, number: self.number };
        line.queue_rest(None).await?;
        org.note_line_renewed(self.number, reset_at, self.context().now()).await
    }
}

/// The work on the messages that wait in a line.
pub(crate) struct RenewedLine<'a> {
    pub(crate) worker: &'a Worker,
    pub(crate) organization: &'a OrganizationId,
    pub(crate) number: &'a NumberId,
}

impl RenewedLine<'_> {
    /// Processes the messages that were queued before the one with the ksuid `before`, newest first. The rest is left
    /// to another job when the time is up.
    pub(crate) async fn perform(&self, before: Option<&str>) -> Result<(), Failure> {
        match self.number {
            NumberId::Chat(id) => Box::pin(self.pages::<ChatChannel>(id, before)).await,
            NumberId::Phone(id) => Box::pin(self.pages::<SmsChannel>(id, before)).await,
        }
    }

    async fn pages<C: QueuedChannel>(&self, id: &C::NumberId, before: Option<&str>) -> Result<(), Failure> {
        let (org, started) = (self.worker.inbox.context.store.of(self.organization), Instant::now());
        let number = C::number(&org, id).await?;
        let oldest = first_ksuid_at(self.now().minus(LONGEST_WAIT));
        let mut before = before.map(str::to_owned);
        loop {
            if started.elapsed() >= BEGINS_PAGES {
                return self.queue_rest(before).await;
            }

            let page = org.waiting_messages(self.number, &oldest, before.as_deref(), PAGE).await?;
            let (org, number) = (&org, number.as_ref());
            let work = page.waiting.into_iter().map(|id| async move { self.renew::<C>(org, number, id).await });
            stream::iter(work).buffer_unordered(AT_ONCE).try_collect::<()>().await?;

            let Some(next) = page.next else { return Ok(()) };
            before = Some(next);
        }
    }

    fn now(&self) -> Timestamp {
        self.worker.inbox.context.now()
    }

    /// Ends a waiting message that can never be sent, and queues another one that has an appointment.
    async fn renew<C: QueuedChannel>(
        &self,
        org: &OrganizationStore,
        number: Option<&C::Number>,
        id: MessageId,
    ) -> Result<(), Failure> {
        let Ok(id) = IdOf::<C>::try_from(id) else { return Ok(()) };
        let waiting = org.message(&id).await?.filter(|stored| stored.waits_until().is_some());
        let Some(stored) = waiting else { return Ok(()) };
        if let Some(failure) = C::lost(number, &stored) {
            let (context, organization) = (&self.worker.inbox.context, self.organization);
            return Box::pin(end_waiting::<C>(context, organization, stored, &Unsent::Refused(failure))).await;
        }

        if stored.kept.appointment_at.is_none() || !org.forget_appointment(&stored, self.now()).await? {
            return Ok(());
        }
        let job = Job::Send {
            v: VERSION,
            organization_id: self.organization.clone(),
            number_id: self.number.clone(),
            message_id: id.into(),
        };
        self.worker.sends.queue.send(&[job]).await
    }

    async fn queue_rest(&self, before: Option<String>) -> Result<(), Failure> {
        tracing::info!(number = self.number.as_str(), "the line of a number begins anew");
        let job = Job::RenewLine {
            v: VERSION,
            organization_id: self.organization.clone(),
            number_id: self.number.clone(),
            before,
        };
        self.worker.inbox.queue.send(&[job]).await
    }
}
