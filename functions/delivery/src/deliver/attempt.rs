//! One attempt of a delivery, and its consequences for the delivery, the receiver's health and the webhook.

use std::time::{Duration, Instant};

use aws::queue::{DeliveryJob, Lane};
use domain::delivery::{Attempt, Delivery, DeliveryStatus, PROBE_EVERY, ReceiverHealth};
use domain::event::OutboxEvent;
use domain::id::OrganizationId;
use domain::port::random_index;
use domain::webhook::{Webhook, WebhookSecrets};
use domain::{Failure, Timestamp};
use runtime::Metric;
use store::{Change, Committed, IN_QUEUE, OrganizationStore, ToDeliver};

use super::sign::{body, headers};
use super::{Deliverer, ReceiverResponse};

/// Deliveries to slower receivers move to the patient queue, so that they do not delay others.
const PROMPT: Duration = Duration::from_secs(2);
/// The longest pause between two checks of a delivery whose receiver is down.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
const INCOMPLETE: &str = "The response ended early.";

/// What an attempt needs: an enabled webhook, its secrets and the event.
struct Ready {
    webhook: Webhook,
    secrets: WebhookSecrets,
    event: OutboxEvent,
}

impl Deliverer {
    /// Works on one message of a delivery queue.
    pub(crate) async fn deliver(&self, job: &DeliveryJob) -> Result<(), Failure> {
        let organization = &job.organization_id;
        let org = self.context.store.of(organization);
        let wanted = (&job.delivery_id, &job.outbox_id);
        let Some(stored) = org.to_deliver(&job.app_id, &job.webhook_id, wanted).await? else { return Ok(()) };
        let ToDeliver { delivery, webhook, secrets, event, health } = stored;
        // The message is a duplicate or outdated.
        if delivery.status != DeliveryStatus::Pending || delivery.revision != job.revision {
            return Ok(());
        }
        // Not due yet: the sweep queues it again when it is.
        if delivery.next_attempt_at.is_some_and(|at| at > self.context.now()) {
            return Ok(());
        }
        let ready = webhook.filter(|webhook| webhook.disabled_at.is_none()).zip(secrets).zip(event);
        let Some(((webhook, secrets), event)) = ready else { return self.skip(organization, &delivery).await };
        let now = self.context.now();
        let health = health.unwrap_or_default();
        if job.lane == Lane::Prompt && health.is_slow(now) {
            return self.move_to_patient_lane(job).await;
        }
        let mut job = job.clone();
        // Only new deliveries wait for the receiver to recover. A retry already has a later time of its own.
        if delivery.round == 0 && health.is_waiting() && !job.is_probe {
            let is_probe_due = health.probe_at.is_none_or(|at| at <= now);
            job.is_probe = is_probe_due && org.may_probe(&job.webhook_id, now).await?;
            if !job.is_probe {
                return self.postpone(organization, &delivery, job.lane).await;
            }
        }
        self.attempt(&job, delivery, &Ready { webhook, secrets, event }, &health).await
    }

    /// Queues the delivery in the patient queue.
    async fn move_to_patient_lane(&self, job: &DeliveryJob) -> Result<(), Failure> {
        let patient = DeliveryJob { lane: Lane::Patient, ..job.clone() };
        self.patient.send_deliveries(&[patient], Duration::ZERO).await
    }

    /// Ends a delivery whose webhook is deleted or disabled.
    async fn skip(&self, organization: &OrganizationId, before: &Delivery) -> Result<(), Failure> {
        let mut after = before.clone();
        after.skip();
        self.write(organization, before, &after).await.map(|_| ())
    }

    /// Postpones a delivery to a receiver that is down, while another delivery probes the receiver once per minute. The pause
    /// grows with the age of the delivery.
    async fn postpone(&self, organization: &OrganizationId, before: &Delivery, lane: Lane) -> Result<(), Failure> {
        let now = self.context.now();
        let age = Duration::from_secs(before.created_at.seconds_until(now));
        let jitter = Duration::from_secs(random_index(self.context.random(), 60) as u64);
        let mut after = before.clone();
        after.next_attempt_at = Some(now.plus((age / 2).clamp(PROBE_EVERY, LONGEST_WAIT) + jitter));
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
        let body = body(organization, &before, &ready.event)?;
        let (attempted_at, started) = (self.context.now(), Instant::now());
        let headers = headers(&before, &ready.secrets, &body, attempted_at)?;
        let response = match job.lane {
            Lane::Patient => self.poster.post(&ready.webhook.url, headers, body).await,
            Lane::Prompt => match self.poster.post_within(PROMPT, &ready.webhook.url, headers, body).await {
                Some(response) => response,
                // Does not count as an attempt: the patient queue repeats it, so the receiver may get the event twice.
                None => {
                    org.suspect_slow(&ready.webhook.id, attempted_at).await?;
                    return self.move_to_patient_lane(job).await;
                }
            },
        };
        let retry_after = response.as_ref().ok().and_then(|response| response.retry_after);
        let attempt = attempt_of(response, attempted_at, started);
        let (succeeded, gone, slow) = (attempt.has_succeeded(), attempt.is_gone(), started.elapsed() >= PROMPT);
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

    /// Records the failure of a receiver, and disables its webhook if the receiver is gone or was down for days.
    async fn note_failure(&self, org: &OrganizationStore, webhook: &Webhook, gone: bool) -> Result<(), Failure> {
        let now = self.context.now();
        let health = org.note_failure(&webhook.id, now).await?;
        let reason = match (gone, health.is_hopeless(now)) {
            (true, _) => "The receiver responded with 410 Gone.",
            (false, true) => "No delivery succeeded in 5 days.",
            (false, false) => return Ok(()),
        };
        // Of several concurrent attempts, only one disables the webhook.
        if org.disable_webhook(webhook, reason, now).await? {
            tracing::warn!(webhook = %webhook.id, "{reason}");
            self.context.publish(Metric::DisabledWebhooks, 1);
        }
        Ok(())
    }

    /// Stores the changed delivery. Returns `false` if a concurrent writer changed it first; that writer then also queues it.
    async fn write(&self, organization: &OrganizationId, before: &Delivery, after: &Delivery) -> Result<bool, Failure> {
        let mut change = Change::new(organization);
        change.update_delivery(before, after, self.context.now())?;
        Ok(!matches!(self.context.store.commit(&change).await?, Committed::Stale))
    }

    /// Queues the next attempt if it is due soon. The sweep queues later ones when they are due.
    async fn send(&self, organization: &OrganizationId, delivery: &Delivery, lane: Lane) -> Result<(), Failure> {
        let now = self.context.now();
        match delivery.next_attempt_at {
            Some(at) if at <= now.plus(IN_QUEUE) => {
                let millis = u64::try_from(at.millis() - now.millis()).unwrap_or(0);
                let delay = Duration::from_secs(millis.div_ceil(1000)).min(IN_QUEUE);
                let next = DeliveryJob { lane, ..DeliveryJob::of(organization, delivery) };
                self.lane(lane).send_deliveries(&[next], delay).await
            }
            _ => Ok(()),
        }
    }
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
    Attempt { attempted_at, status_code, error, duration_ms, response_body }
}
