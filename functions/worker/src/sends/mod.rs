//! Queued messages. The worker sends each when its turn comes: when the number has a slot, and neither the number nor
//! the recipient pauses. A message that has to wait is marked as due in the table, and its queue message is deleted
//! (docs/adr/0026-queued-sends.md).

mod line;

use std::time::Duration;

use domain::id::OrganizationId;
use domain::identity::credential::hex;
use domain::job::{Job, VERSION};
use domain::message::MessageId;
use domain::message::pace::RateLimit;
use domain::message::step::{Deferral, Step};
use domain::number::NumberId;
use domain::port::{random_bytes, random_index};
use domain::{ErrorCode, Failure, Timestamp};
use futures_util::future::try_join;
use outbound::{ChatChannel, IdOf, Posted, QueuedChannel, SmsChannel, Unsent, end_waiting};
use runtime::Context;
use store::{MessageKind, OrganizationStore, QUEUED_AGAIN_AFTER, Stored, Turn, Waiting};

use crate::Worker;

pub(crate) use line::RenewedLine;

/// The longest delay of a queue message. SQS allows 15 minutes.
const LONGEST_DELAY: Duration = Duration::from_secs(14 * 60);
/// The wait after an attempt that certainly did not send the message, although the provider reported no rate limit: as
/// long as the message has waited so far, within these limits.
const SHORTEST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);
/// The number of attempts to record an outcome, with a pause in between.
const RECORDINGS: u32 = 3;
/// The seconds over which messages that the same pause has stopped are spread when it ends.
const SPREAD_SECONDS: usize = 5;

/// How early a queue message may arrive for an appointment, because the clocks of functions differ a little.
const EARLY: Duration = Duration::from_millis(500);

/// Until when a message waits, and why.
struct Pausing {
    until: Timestamp,
    why: Deferral,
}

/// One turn of a queued message.
pub(crate) struct QueuedSend<'a> {
    pub(crate) worker: &'a Worker,
    pub(crate) organization: &'a OrganizationId,
    pub(crate) number: &'a NumberId,
    pub(crate) message: &'a MessageId,
}

impl QueuedSend<'_> {
    /// Sends the message, or makes it wait. Does nothing if the message no longer waits, because an attempt is recorded
    /// or it has ended, or before its appointment, for which another queue message or the sweep will return.
    pub(crate) async fn perform(&self) -> Result<(), Failure> {
        match (self.message, self.number) {
            (MessageId::Chat(message), NumberId::Chat(number)) => {
                Box::pin(self.turn::<ChatChannel>(message, number)).await
            }
            (MessageId::Sms(message), NumberId::Phone(number)) => {
                Box::pin(self.turn::<SmsChannel>(message, number)).await
            }
            _ => Err(Failure::permanent("a job names a message and a number of different kinds")),
        }
    }

    async fn turn<C: QueuedChannel>(&self, message: &IdOf<C>, number: &C::NumberId) -> Result<(), Failure> {
        let org = self.store();
        let (stored, number) = try_join(org.message(message), C::number(&org, number)).await?;
        let Some(stored) = stored else { return Ok(()) };
        if stored.number() != *self.number {
            return Err(Failure::permanent("the job names another number than its message"));
        }
        let Some(end) = stored.waits_until() else { return Ok(()) };

        let now = self.context().now();
        // A message that can never be sent takes no slot.
        if let Some(failure) = C::lost(number.as_ref(), &stored) {
            if let Some(reset_at) = number.as_ref().and_then(C::line_reset_at) {
                self.renew_line(reset_at).await?;
            }
            return self.end::<C>(stored, Unsent::Refused(failure)).await;
        }
        if end <= now {
            return self.end::<C>(stored, Unsent::Expired).await;
        }

        let appointment = stored.kept.appointment_at;
        if appointment.is_some_and(|at| at > now.plus(EARLY)) {
            return Ok(());
        }
        let Some(number) = number else { return Ok(()) };
        // A message to a paused recipient takes no slot of the number.
        let recipient = C::recipient(&stored);
        if let Some(recipient) = &recipient
            && let Some(until) = org.recipient_paused_until(self.number, recipient, now).await?
        {
            return self.wait(&stored, self.spread(until), Deferral::PairRateLimit).await;
        }

        let (has_appointment, line_reset_at) = (appointment.is_some(), C::line_reset_at(&number));
        let slots = || C::slots(&org, &number, now);
        match org.take_turn(self.number, &Waiting { now, end, has_appointment, line_reset_at }, slots).await? {
            Turn::Now => Box::pin(self.check_and_attempt::<C>(stored, &number, recipient.as_deref())).await,
            Turn::Appointment(at) => self.wait(&stored, at, Deferral::Pace).await,
            // The sweep ends it then.
            Turn::Never => {
                let step = self.deferred(end, Deferral::Pace);
                org.wait(&stored, end, end, &[step]).await.map(|_| ())
            }
        }
    }

    fn context(&self) -> &Context {
        &self.worker.inbox.context
    }

    fn store(&self) -> OrganizationStore {
        self.context().store.of(self.organization)
    }

    /// Repeats the checks that were made when the message was queued, and makes the one attempt to send it.
    async fn check_and_attempt<C: QueuedChannel>(
        &self,
        stored: Stored<C::Record>,
        number: &C::Number,
        recipient: Option<&str>,
    ) -> Result<(), Failure> {
        let (org, now) = (self.store(), self.context().now());
        let ready = match Box::pin(C::check_again(&self.worker.outbound, &org, number, &stored)).await? {
            Ok(ready) => ready,
            // Without a carrier, for example, the message waits as it does if the carrier cannot be reached.
            Err(failure) => {
                return match Box::pin(self.waits_after(&failure, recipient, stored.created_at(), now)).await? {
                    Some(Pausing { until, why }) => self.wait(&stored, until, why).await,
                    None => self.end::<C>(stored, Unsent::Refused(failure)).await,
                };
            }
        };

        let attempt_id = hex(&random_bytes::<16>(self.context().random()));
        let Some(message) = org.begin_attempt(&stored, attempt_id, now).await? else { return Ok(()) };
        let posted = Box::pin(C::post(&self.worker.outbound, self.organization, &message, ready)).await;
        for _ in 1..RECORDINGS {
            match Box::pin(self.conclude::<C>(&message, &posted, now, recipient)).await {
                Err(failure) if failure.is_temporary() => tokio::time::sleep(self.worker.first_pause).await,
                concluded => return concluded,
            }
        }
        Box::pin(self.conclude::<C>(&message, &posted, now, recipient)).await
    }

    /// Records the outcome of the attempt, or makes the message wait again. Only this invocation knows the provider's
    /// response, so it retries for longer than a request would wait.
    async fn conclude<C: QueuedChannel>(
        &self,
        message: &Stored<C::Record>,
        posted: &Posted,
        began: Timestamp,
        recipient: Option<&str>,
    ) -> Result<(), Failure> {
        if let Posted::Refused(failure) = posted
            && let Some(pausing) = Box::pin(self.waits_after(failure, recipient, message.created_at(), began)).await?
        {
            let at = pausing.until;
            let steps = [Step::Attempted { at: began.into() }, self.deferred(at, pausing.why)];
            let code = failure.code().map_or("none", ErrorCode::as_str);
            tracing::info!(message = %self.message, code, "a queued message waits");
            if self.store().wait_after_attempt(message, at, self.due_for(at), &steps).await?
                && let Err(failure) = self.enqueue_at(at).await
            {
                // The message is due in the table, so the sweep queues it.
                tracing::error!(message = %self.message, "a message was not queued: {}", failure.log_text());
            }
            return Ok(());
        }
        self.worker.outbound.record::<C>(self.organization, message.clone(), posted).await.map(|_| ())
    }

    /// Returns until when a message waits whose attempt was refused; `None` if the refusal is final. A rate limit of
    /// the provider pauses the number or the recipient.
    async fn waits_after(
        &self,
        failure: &Failure,
        recipient: Option<&str>,
        created_at: Timestamp,
        began: Timestamp,
    ) -> Result<Option<Pausing>, Failure> {
        let (org, now) = (self.store(), self.context().now());
        let (until, why) = match (RateLimit::of_refusal(failure), recipient) {
            (Some(RateLimit::Recipient), Some(to)) => {
                (org.pause_recipient(self.number, to, began, now).await?, Deferral::PairRateLimit)
            }
            (Some(limit), _) => (org.pause_number(self.number, limit, began, now).await?, Deferral::RateLimit),
            // The provider is unavailable, or this service could not call it.
            (None, _) if failure.kind().is_fault() && !is_final(failure) => {
                let waited = Duration::from_secs(created_at.seconds_until(now));
                (now.plus(waited.clamp(SHORTEST_WAIT, LONGEST_WAIT)), Deferral::Unavailable)
            }
            (None, _) => return Ok(None),
        };
        Ok(Some(Pausing { until: self.spread(until), why }))
    }

    /// Makes the message wait until its appointment. It stays due in the table, in case the queue message is lost.
    async fn wait<M: MessageKind>(&self, stored: &Stored<M>, at: Timestamp, why: Deferral) -> Result<(), Failure> {
        let queue_at = stored.kept.queue_at.filter(|queue_at| *queue_at > at).unwrap_or_else(|| self.due_for(at));
        if self.store().wait(stored, at, queue_at, &[self.deferred(at, why)]).await? {
            self.enqueue_at(at).await?;
        }
        Ok(())
    }

    fn deferred(&self, until: Timestamp, why: Deferral) -> Step {
        Step::Deferred { at: self.context().now().into(), until: until.into(), why }
    }

    /// Returns when the sweep queues a message with an appointment: at that time if no queue message can be delayed so
    /// long, and otherwise some time later.
    fn due_for(&self, at: Timestamp) -> Timestamp {
        if at > self.context().now().plus(LONGEST_DELAY) { at } else { at.plus(QUEUED_AGAIN_AFTER) }
    }

    /// Queues the message for its appointment. The sweep does so for appointments that are far away.
    async fn enqueue_at(&self, at: Timestamp) -> Result<(), Failure> {
        let millis = u64::try_from(at.millis() - self.context().now().millis()).unwrap_or(0);
        let delay = Duration::from_secs(millis.div_ceil(1000));
        if delay > LONGEST_DELAY {
            return Ok(());
        }
        let job = Job::Send {
            v: VERSION,
            organization_id: self.organization.clone(),
            number_id: self.number.clone(),
            message_id: self.message.clone(),
        };
        self.worker.sends.queue.send_later(&[(job, delay)]).await
    }

    fn spread(&self, at: Timestamp) -> Timestamp {
        at.plus(Duration::from_secs(random_index(self.context().random(), SPREAD_SECONDS) as u64))
    }

    async fn end<C: QueuedChannel>(&self, stored: Stored<C::Record>, why: Unsent) -> Result<(), Failure> {
        if let Unsent::Refused(failure) = &why {
            tracing::info!(message = %self.message, "a queued message is refused: {}", failure.message());
        }
        Box::pin(end_waiting::<C>(self.context(), self.organization, stored, &why)).await
    }
}

/// Returns whether a failure of the provider itself is final for the message.
fn is_final(failure: &Failure) -> bool {
    matches!(failure.code(), Some(ErrorCode::PlatformApiError | ErrorCode::CarrierApiError))
}
