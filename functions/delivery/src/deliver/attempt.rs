//! One attempt of a delivery, and its consequences for the delivery, the receiver's health and the webhook.

use std::time::{Duration, Instant};

use domain::events::delivery::{Attempt, Delivery, DeliveryStatus, PROBE_EVERY, ReceiverHealth};
use domain::events::event::OutboxEvent;
use domain::events::webhook::{Webhook, WebhookSecrets};
use domain::id::OrganizationId;
use domain::job::{DeliveryJob, Lane};
use domain::port::random_index;
use domain::{Failure, Timestamp};
use runtime::logging::known_origin;
use store::{Change, Committed, IN_QUEUE, ToDeliver};

use super::post::STOPPED;
use super::queue::acceptable;
use super::sign::{body, headers, standard_headers};
use super::slots::Slots;
use super::{Deliverer, ReceiverResponse};

const INCOMPLETE: &str = "The response ended early.";

/// The shortest and the longest pause of a delivery that is postponed before an attempt.
struct Pauses {
    shortest: Duration,
    longest: Duration,
}

/// The pauses while the receiver is down.
const UNTIL_IT_RECOVERS: Pauses = Pauses { shortest: PROBE_EVERY, longest: Duration::from_secs(3600) };
/// The pauses while the organization's slots for slow receivers are taken. Shorter than the longest delay of a queue
/// message, so that the delivery goes back to the patient queue.
const UNTIL_A_SLOT_IS_FREE: Pauses = Pauses { shortest: Duration::from_secs(5), longest: Duration::from_secs(10 * 60) };

/// The data that an attempt needs: an enabled webhook, its secrets and the event.
pub(super) struct Ready {
    pub(super) webhook: Webhook,
    pub(super) secrets: WebhookSecrets,
    pub(super) event: OutboxEvent,
}

/// An attempt that was made.
pub(super) struct Made {
    pub(super) attempt: Attempt,
    pub(super) retry_after: Option<Duration>,
    pub(super) is_slow: bool,
    /// Whether it was stopped, to be repeated with more time.
    is_stopped: bool,
}

impl Deliverer {
    /// Works on one message of a delivery queue.
    pub(crate) async fn deliver(&self, job: &DeliveryJob, slots: &Slots<'_>) -> Result<(), Failure> {
        let organization = &job.organization_id;
        let org = self.context.store.of(organization);
        let stored = org.to_deliver(&job.app_id, &job.webhook_id, &job.delivery_id, &job.outbox_id).await?;
        let Some(ToDeliver { delivery, webhook, secrets, event, health }) = stored else { return Ok(()) };
        known_origin(event.as_ref().and_then(|event| event.request_id.as_deref()));

        // The message is a duplicate or outdated.
        if delivery.status != DeliveryStatus::Pending || delivery.revision != job.revision {
            return Ok(());
        }
        // Not due yet: the sweep queues it again when it is.
        if delivery.next_attempt_at.is_some_and(|at| at > self.context.now()) {
            return Ok(());
        }
        if delivery.has_ended(self.context.now()) {
            return self.skip(organization, &delivery).await;
        }
        let ready = webhook.filter(|webhook| webhook.disabled_at.is_none()).zip(secrets).zip(event);
        let Some(((webhook, secrets), event)) = ready else { return self.skip(organization, &delivery).await };
        let now = self.context.now();
        let health = health.unwrap_or_default();

        if job.lane == Lane::Prompt && health.is_slow(now) {
            return self.move_to_patient_lane(job).await;
        }
        let mut job = job.clone();

        // Only new deliveries and redeliveries wait for the receiver to recover. Retries already wait by their
        // schedule.
        if delivery.round == 0 && health.is_waiting() && !job.is_probe {
            let is_probe_due = health.probe_at.is_none_or(|at| at <= now);
            job.is_probe = is_probe_due && org.may_probe(&job.webhook_id, now).await?;
            if !job.is_probe {
                return self.postpone(organization, &delivery, job.lane, &UNTIL_IT_RECOVERS).await;
            }
        }

        if job.lane == Lane::Patient && !slots.acquire(organization).await? {
            return self.postpone(organization, &delivery, job.lane, &UNTIL_A_SLOT_IS_FREE).await;
        }
        self.attempt(&job, delivery, &Ready { webhook, secrets, event }, &health).await
    }

    /// Queues the delivery in the patient queue.
    async fn move_to_patient_lane(&self, job: &DeliveryJob) -> Result<(), Failure> {
        let patient = DeliveryJob { lane: Lane::Patient, ..job.clone() };
        self.patient.send(&[patient]).await
    }

    /// Ends a delivery whose webhook is deleted or disabled, or whose event has ended.
    async fn skip(&self, organization: &OrganizationId, before: &Delivery) -> Result<(), Failure> {
        let mut after = before.clone();
        after.skip();
        self.write(organization, before, &after).await.map(|_| ())
    }

    /// Postpones a delivery without an attempt. The pause grows with the age of the delivery.
    async fn postpone(
        &self,
        organization: &OrganizationId,
        before: &Delivery,
        lane: Lane,
        pauses: &Pauses,
    ) -> Result<(), Failure> {
        let now = self.context.now();
        let age = Duration::from_secs(before.created_at.seconds_until(now));
        let jitter =
            Duration::from_secs(random_index(self.context.random(), pauses.shortest.as_secs() as usize) as u64);
        let mut after = before.clone();
        after.next_attempt_at = Some(now.plus((age / 2).clamp(pauses.shortest, pauses.longest) + jitter));
        after.revision += 1;
        if self.write(organization, before, &after).await? {
            self.send(organization, &after, lane).await
        } else {
            Ok(())
        }
    }

    /// Makes the attempt, records it, and queues the next one.
    async fn attempt(
        &self,
        job: &DeliveryJob,
        before: Delivery,
        ready: &Ready,
        health: &ReceiverHealth,
    ) -> Result<(), Failure> {
        let organization = &job.organization_id;
        let org = self.context.store.of(organization);
        let Some(made) = self.make(job.lane, organization, &before, ready).await? else {
            return self.hold_back(organization, &before).await;
        };
        let Made { attempt, retry_after, is_slow: slow, is_stopped } = made;
        if is_stopped {
            return self.repeat_patiently(job, &before, &ready.webhook, attempt).await;
        }
        let (succeeded, gone) = (attempt.has_succeeded(), attempt.is_gone());
        let mut after = before.clone();
        let jitter = u32::try_from(random_index(self.context.random(), 1001)).unwrap_or(0);
        after.note(attempt, retry_after, jitter, self.context.now());

        if !self.write(organization, &before, &after).await? {
            return Ok(());
        }
        // The attempt is recorded: a later failure must not repeat it.
        let noted = match (succeeded, slow || *health != ReceiverHealth::default()) {
            (false, _) => self.note_failure(&org, &ready.webhook, gone).await,
            // A healthy receiver has no health record.
            (true, false) => Ok(()),
            (true, true) => org.note_success(&ready.webhook.id, health, slow, self.context.now()).await,
        };

        if noted.is_err() {
            tracing::warn!(webhook = %ready.webhook.id, "the health of the receiver could not be recorded");
        }
        self.send(organization, &after, job.lane).await
    }

    /// Makes one attempt: signs the event's body and sends it. `None` if the daily bytes of test mode are used up.
    pub(super) async fn make(
        &self,
        lane: Lane,
        organization: &OrganizationId,
        delivery: &Delivery,
        Ready { webhook, secrets, event }: &Ready,
    ) -> Result<Option<Made>, Failure> {
        let queue = webhook.queue();
        let body = body(organization, delivery, event)?;
        let body = if queue.is_some() { acceptable(body)? } else { body };
        if !self.may_post(organization, delivery, body.len()).await? {
            return Ok(None);
        }
        let (attempted_at, started) = (self.context.now(), Instant::now());
        let standard = standard_headers(delivery, event, secrets, &body, attempted_at)?;
        let url = &webhook.url;
        let response = match (&queue, lane) {
            (Some(queue), _) => Some(self.send_to_queue(queue, organization, delivery, standard, &body).await?),
            (None, Lane::Patient) => Some(self.poster.post(url, headers(standard, secrets)?, body).await),
            (None, Lane::Prompt) => self.poster.post_within(self.prompt, url, headers(standard, secrets)?, body).await,
        };
        let is_stopped = response.is_none();
        let response = response.unwrap_or(Err(STOPPED.as_str()));
        let retry_after = response.as_ref().ok().and_then(|response| response.retry_after);
        let attempt = attempt_of(response, attempted_at, started).with_headers(secrets.headers.keys());
        let attempt = Attempt { to_queue: queue.is_some(), ..attempt };
        report(delivery, &attempt);
        Ok(Some(Made { attempt, retry_after, is_slow: started.elapsed() >= self.prompt, is_stopped }))
    }

    /// Records a stopped attempt, and repeats it from the patient queue. The receiver can get the event twice.
    async fn repeat_patiently(
        &self,
        job: &DeliveryJob,
        before: &Delivery,
        webhook: &Webhook,
        stopped: Attempt,
    ) -> Result<(), Failure> {
        let mut after = before.clone();
        after.note_stopped(stopped, self.context.now());
        if !self.write(&job.organization_id, before, &after).await? {
            return Ok(());
        }
        if self.context.store.of(&job.organization_id).suspect_slow(&webhook.id, self.context.now()).await.is_err() {
            tracing::warn!(webhook = %webhook.id, "the health of the receiver could not be recorded");
        }
        self.move_to_patient_lane(&DeliveryJob { revision: after.revision, ..job.clone() }).await
    }

    /// Stores the changed delivery. Returns `false` if a concurrent writer changed it first; that writer then also queues it.
    pub(super) async fn write(
        &self,
        organization: &OrganizationId,
        before: &Delivery,
        after: &Delivery,
    ) -> Result<bool, Failure> {
        let mut change = Change::new(organization);
        change.update_delivery(before, after, self.context.now())?;
        match self.context.store.commit(&change).await? {
            // The SDK repeats a call whose response was lost, and then finds its own write.
            Committed::Stale => self.is_stored(organization, after).await,
            _ => Ok(true),
        }
    }

    async fn is_stored(&self, organization: &OrganizationId, delivery: &Delivery) -> Result<bool, Failure> {
        let stored = self.context.store.of(organization).delivery(&delivery.webhook_id, &delivery.id).await?;
        Ok(stored.as_ref() == Some(delivery))
    }

    /// Queues the next attempt if it is due soon. The sweep queues later ones when they are due.
    pub(super) async fn send(
        &self,
        organization: &OrganizationId,
        delivery: &Delivery,
        lane: Lane,
    ) -> Result<(), Failure> {
        let now = self.context.now();
        match delivery.next_attempt_at {
            Some(at) if at <= now.plus(IN_QUEUE) => {
                let millis = u64::try_from(at.millis() - now.millis()).unwrap_or(0);
                let delay = Duration::from_secs(millis.div_ceil(1000)).min(IN_QUEUE);
                let next = DeliveryJob { lane, ..DeliveryJob::of(organization, delivery) };
                self.lane(lane).send_after(&[next], delay).await
            }
            _ => Ok(()),
        }
    }
}

fn report(delivery: &Delivery, attempt: &Attempt) {
    let (status, error) = (attempt.status_code, attempt.error.as_deref());
    tracing::info!(
        delivery = %delivery.id, webhook = %delivery.webhook_id, status, error, durationMs = attempt.duration_ms,
        "delivery attempted"
    );
}

fn attempt_of(response: Result<ReceiverResponse, &'static str>, attempted_at: Timestamp, started: Instant) -> Attempt {
    let (status_code, error, response_body) = match response {
        Ok(response) => (
            Some(response.status),
            response.is_incomplete.then(|| INCOMPLETE.to_owned()),
            Some(response.body).filter(|body| !body.is_empty()),
        ),
        Err(reason) => (None, Some(reason.to_owned()), None),
    };
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Attempt { attempted_at, status_code, error, duration_ms, response_body, header_names: Vec::new(), to_queue: false }
}
