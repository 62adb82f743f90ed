//! One attempt, and what follows from it.

use std::time::{Duration, Instant};

use aws::queue::{DeliveryJob, Lane};
use domain::Failure;
use domain::delivery::{Attempt, Delivery, DeliveryStatus, PROBE_EVERY, ReceiverHealth};
use domain::event::OutboxEvent;
use domain::id::OrganizationId;
use domain::port::random_index;
use domain::webhook::{Webhook, WebhookSecrets};
use runtime::Metric;
use store::{Change, Committed, IN_QUEUE, ToDeliver};

use super::sign::{body, headers};
use super::{Answered, Deliverer};

/// Longer than this nobody holds up those behind it.
const PROMPT: Duration = Duration::from_secs(2);
/// Where so many new deliveries wait for a receiver that they must not all come at once.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
const BROKE_OFF: &str = "the answer broke off";

/// A webhook that takes deliveries, with everything for one.
struct Ready {
    webhook: Webhook,
    secrets: WebhookSecrets,
    event: OutboxEvent,
}

impl Deliverer {
    pub(crate) async fn deliver(&self, job: &DeliveryJob) -> Result<(), Failure> {
        let (o, store) = (&job.organization_id, &self.context.store);
        let wanted = (&job.delivery_id, &job.outbox_id);
        let Some(found) = store.of(o).to_deliver(&job.app_id, &job.webhook_id, wanted).await? else { return Ok(()) };
        let ToDeliver { delivery, webhook, secrets, event, health } = found;
        // A message that came twice, or late.
        if delivery.status != DeliveryStatus::Pending || delivery.revision != job.revision {
            return Ok(());
        }
        // Before its time: it is due, and sent again when it is.
        if delivery.next_attempt_at.is_some_and(|at| at > self.context.now()) {
            return Ok(());
        }
        let takes = webhook.filter(|webhook| webhook.disabled_at.is_none()).zip(secrets).zip(event);
        let Some(((webhook, secrets), event)) = takes else { return self.skip(o, &delivery).await };
        let now = self.context.now();
        let health = health.unwrap_or_default();
        if job.lane == Lane::Prompt && health.is_slow(now) {
            return self.step_aside(job).await;
        }
        let mut job = job.clone();
        if delivery.round == 0 && health.is_waiting() && !job.is_probe {
            let is_time = health.probe_at.is_none_or(|at| at <= now);
            job.is_probe = is_time && store.of(o).may_probe(&job.webhook_id, now).await?;
            if !job.is_probe {
                return self.wait(o, &delivery, job.lane).await;
            }
        }
        self.attempt(&job, delivery, &Ready { webhook, secrets, event }, &health).await
    }

    /// Where it may take its time, and nobody waits behind it.
    async fn step_aside(&self, job: &DeliveryJob) -> Result<(), Failure> {
        let aside = DeliveryJob { lane: Lane::Patient, ..job.clone() };
        self.patient.send_deliveries(&[aside], Duration::ZERO).await
    }

    async fn skip(&self, o: &OrganizationId, before: &Delivery) -> Result<(), Failure> {
        let mut after = before.clone();
        after.skip();
        self.write(o, before, &after).await.map(|_| ())
    }

    /// The receiver is down: another delivery tries each minute whether it is back. The older, the longer it waits.
    async fn wait(&self, o: &OrganizationId, before: &Delivery, lane: Lane) -> Result<(), Failure> {
        let now = self.context.now();
        let age = Duration::from_secs(before.created_at.seconds_until(now));
        let jitter = Duration::from_secs(random_index(self.context.random(), 60) as u64);
        let mut after = before.clone();
        after.next_attempt_at = Some(now.plus((age / 2).clamp(PROBE_EVERY, LONGEST_WAIT) + jitter));
        after.revision += 1;
        if self.write(o, before, &after).await? { self.send(o, &after, lane).await } else { Ok(()) }
    }

    async fn attempt(
        &self,
        job: &DeliveryJob,
        before: Delivery,
        ready: &Ready,
        health: &ReceiverHealth,
    ) -> Result<(), Failure> {
        let (o, store) = (&job.organization_id, &self.context.store);
        let (body, attempted_at, started) = (body(o, &before, &ready.event)?, self.context.now(), Instant::now());
        let headers = headers(&before, &ready.secrets, &body, attempted_at)?;
        let answered = match job.lane {
            Lane::Patient => self.poster.post(&ready.webhook.url, headers, body).await,
            Lane::Prompt => match self.poster.post_within(PROMPT, &ready.webhook.url, headers, body).await {
                Some(answered) => answered,
                // Not an attempt yet: it is made with patience, and the receiver may see the event twice this once.
                None => {
                    store.of(o).suspect_slow(&ready.webhook.id, attempted_at).await?;
                    return self.step_aside(job).await;
                }
            },
        };
        let retry_after = answered.as_ref().ok().and_then(|answered| answered.retry_after);
        let attempt = noted(answered, attempted_at, started);
        let (succeeded, gone, slow) = (attempt.has_succeeded(), attempt.is_gone(), started.elapsed() >= PROMPT);
        let mut after = before.clone();
        let jitter = u32::try_from(random_index(self.context.random(), 1001)).unwrap_or(0);
        after.note(attempt, retry_after, jitter, self.context.now());
        if !self.write(o, &before, &after).await? {
            return Ok(());
        }
        // The attempt is noted: what fails now must not make it be made again.
        let noted = match (succeeded, slow || *health != ReceiverHealth::default()) {
            (false, _) => self.note_failure(o, &ready.webhook, gone).await,
            // A receiver that does well has no record, and needs none.
            (true, false) => Ok(()),
            (true, true) => store.of(o).note_success(&ready.webhook.id, health, slow, self.context.now()).await,
        };
        if noted.is_err() {
            tracing::warn!(webhook = %ready.webhook.id, "how the receiver is doing could not be noted");
        }
        self.send(o, &after, job.lane).await
    }

    async fn note_failure(&self, o: &OrganizationId, webhook: &Webhook, gone: bool) -> Result<(), Failure> {
        let (store, now) = (&self.context.store, self.context.now());
        let health = store.of(o).note_failure(&webhook.id, now).await?;
        let reason = match (gone, health.is_hopeless(now)) {
            (true, _) => "The receiver answered 410 Gone.",
            (false, true) => "No delivery succeeded in 5 days.",
            (false, false) => return Ok(()),
        };
        // Of several attempts that end together one disables it.
        if store.of(o).disable_webhook(webhook, reason, now).await? {
            tracing::warn!(webhook = %webhook.id, "{reason}");
            self.context.publish(Metric::DisabledWebhooks, 1);
        }
        Ok(())
    }

    /// `false`: somebody else has changed the delivery meanwhile, and sees to it.
    async fn write(&self, o: &OrganizationId, before: &Delivery, after: &Delivery) -> Result<bool, Failure> {
        let mut change = Change::new(o);
        change.update_delivery(before, after, self.context.now())?;
        Ok(!matches!(self.context.store.commit(&change).await?, Committed::Stale))
    }

    /// Far attempts are sent by the sweep when they are due.
    async fn send(&self, o: &OrganizationId, delivery: &Delivery, lane: Lane) -> Result<(), Failure> {
        let now = self.context.now();
        match delivery.next_attempt_at {
            Some(at) if at <= now.plus(IN_QUEUE) => {
                let millis = u64::try_from(at.millis() - now.millis()).unwrap_or(0);
                let delay = Duration::from_secs(millis.div_ceil(1000)).min(IN_QUEUE);
                let next = DeliveryJob { lane, ..DeliveryJob::of(o, delivery) };
                self.lane(lane).send_deliveries(&[next], delay).await
            }
            _ => Ok(()),
        }
    }
}

fn noted(answered: Result<Answered, &'static str>, attempted_at: domain::Timestamp, started: Instant) -> Attempt {
    let (status_code, error, response_body) = match answered {
        Ok(answered) => (
            Some(answered.status),
            answered.broke_off.then(|| BROKE_OFF.to_owned()),
            Some(answered.body).filter(|body| !body.is_empty()),
        ),
        Err(why) => (None, Some(why.to_owned()), None),
    };
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Attempt { attempted_at, status_code, error, duration_ms, response_body }
}
