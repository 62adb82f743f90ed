//! Rounds of a recovery. A round attempts one batch of deliveries after the other, until its time is up: first a single one
//! as a probe, and at most fifty at the same time once the receiver has responded with 2xx. Each delivery remembers the
//! recovery that attempted it, so that a round that is repeated after a fault counts it and does not attempt it again.

use std::time::{Duration, Instant};

use aws::queue::{Lane, RecoveryJob};
use domain::delivery::{Delivery, DeliveryStatus, ReceiverHealth, test_mode_has_posted_enough};
use domain::id::{DeliveryId, OrganizationId, RecoveryId};
use domain::port::random_index;
use domain::recovery::{Recovery, Tally};
use domain::webhook::Webhook;
use domain::{Failure, Timestamp};
use futures_util::future::join_all;
use store::{Change, Committed, DeliveryWalk, OrganizationStore};

use super::Deliverer;
use super::attempt::{Made, Ready};
use super::slots::Slots;

/// How long a round begins batches. With the deadline of the last one, it ends before the function's timeout.
const BEGINS_BATCHES: Duration = Duration::from_secs(25);
/// How many deliveries a batch looks at, whether or not they match.
const LOOKED_AT: u64 = 1_000;
/// The shortest and the longest pause of a round that has no slot yet. The pause doubles each time; jitter of up to the
/// shortest one is added.
const SHORTEST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);
/// The pause after a fault of this service.
const AFTER_FAULT: Duration = Duration::from_secs(30);
/// How long after its time a round counts as lost. The sweep then queues it again.
const OVERDUE_AFTER: Duration = Duration::from_secs(5 * 60);

/// What a recovery does after a batch.
enum Then {
    NextBatch,
    /// Another round, after a pause.
    Pause(Duration),
    /// Early if there is a reason.
    End(Option<String>),
}

/// The deliveries of a batch.
#[derive(Default)]
struct Batch {
    matching: Vec<Delivery>,
    tally: Tally,
    /// The last delivery that the batch looked at.
    position: Option<DeliveryId>,
    is_last: bool,
}

/// The result of one attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempted {
    Succeeded {
        is_slow: bool,
    },
    Failed {
        is_gone: bool,
    },
    /// A concurrent writer changed the delivery first, such as a redelivery.
    Elsewhere,
    /// The event can never be sent. It is skipped so that it does not block the others.
    Impossible,
    /// The organization has posted as much in test mode as it may in a day.
    HeldBack,
}

impl Deliverer {
    /// Works on one round of a recovery.
    pub(crate) async fn recover(&self, job: &RecoveryJob, slots: &Slots<'_>) -> Result<(), Failure> {
        let patient = RecoveryJob { lane: Lane::Patient, ..job.clone() };
        if job.lane == Lane::Prompt {
            return self.patient.send_recovery(&patient, Duration::ZERO).await;
        }
        // A message that is not the latest of its recovery ends here, before it takes a slot.
        let org = self.context.store.of(&job.organization_id);
        let named = (&job.webhook_id, &job.recovery_id);
        let Some(recovery) = org.begin_recovery_round(named, job.revision, self.context.now()).await? else {
            return Ok(());
        };
        let round = Round { deliverer: self, organization: &job.organization_id, org: &org };
        match slots.have_one(&job.organization_id).await {
            Ok(true) if slots.may_recover() => round.work(recovery).await,
            Ok(_) => round.wait_for_a_slot(recovery, job.waits + 1).await,
            Err(failure) => {
                tracing::warn!("a recovery waits: {}", failure.log_text());
                round.wait_for_a_slot(recovery, job.waits + 1).await
            }
        }
    }
}

/// A round that holds its recovery.
struct Round<'a> {
    deliverer: &'a Deliverer,
    organization: &'a OrganizationId,
    org: &'a OrganizationStore,
}

impl Round<'_> {
    fn now(&self) -> Timestamp {
        self.deliverer.context.now()
    }

    /// Works on batches until the time is up.
    async fn work(&self, mut stored: Recovery) -> Result<(), Failure> {
        let started = Instant::now();
        let position = stored.progress.position.as_ref();
        let mut walk = self.org.walk_deliveries(&stored.webhook_id, &stored.selection, position, self.now());
        loop {
            let mut recovery = stored.clone();
            let then = match self.batch(&mut recovery, &mut walk).await {
                Ok(Then::NextBatch) if started.elapsed() >= BEGINS_BATCHES => Then::Pause(Duration::ZERO),
                Ok(then) => then,
                // What the batch has done is found and counted when it is repeated.
                Err(failure) => {
                    tracing::warn!("a batch of a recovery failed and is repeated: {}", failure.log_text());
                    recovery = stored.clone();
                    Then::Pause(AFTER_FAULT)
                }
            };
            match then {
                Then::NextBatch if self.write(&stored, &recovery).await? => stored = recovery,
                // Another round has begun, because this one took too long.
                Then::NextBatch => return Ok(()),
                Then::Pause(pause) => return self.go_on_after(pause, &stored, recovery, 0).await,
                Then::End(reason) => return self.end(reason, &stored, recovery).await,
            }
        }
    }

    /// Ends a round that may not begin yet: other recoveries of the organization hold all its slots, or this invocation
    /// works on another one.
    async fn wait_for_a_slot(&self, stored: Recovery, waits: u32) -> Result<(), Failure> {
        let mut after = stored.clone();
        after.turn_day(self.now());
        if let Some(reason) = after.limit(self.now()) {
            return self.end(Some(reason), &stored, after).await;
        }
        let jitter = random_index(self.deliverer.context.random(), SHORTEST_PAUSE.as_secs() as usize) as u64;
        let pause = SHORTEST_PAUSE * 2u32.saturating_pow(waits.min(10) - 1);
        let pause = pause.min(LONGEST_PAUSE) + Duration::from_secs(jitter);
        self.go_on_after(pause, &stored, after, waits).await
    }

    /// Ends the round, and queues the next one.
    async fn go_on_after(
        &self,
        pause: Duration,
        stored: &Recovery,
        mut after: Recovery,
        waits: u32,
    ) -> Result<(), Failure> {
        after.check_at = Some(self.now().plus(pause + OVERDUE_AFTER));
        after.revision += 1;
        if !self.write(stored, &after).await? {
            return Ok(());
        }
        let next = RecoveryJob { lane: Lane::Patient, waits, ..RecoveryJob::of(self.organization, &after) };
        self.deliverer.patient.send_recovery(&next, pause).await
    }

    /// Ends the recovery: early if there is a reason.
    async fn end(&self, reason: Option<String>, stored: &Recovery, mut after: Recovery) -> Result<(), Failure> {
        after.end(reason, self.now());
        after.revision += 1;
        if self.write(stored, &after).await? {
            let (id, reason, progress) = (&after.id, after.reason.as_deref(), &after.progress);
            let (delivered, failed) = (progress.delivered, progress.failed);
            tracing::info!(recovery = %id, matched = progress.matched, delivered, failed, reason, "recovery ended");
        }
        Ok(())
    }

    /// Writes what was done. Returns `false` if another round holds the recovery.
    async fn write(&self, stored: &Recovery, after: &Recovery) -> Result<bool, Failure> {
        let mut change = Change::new(self.organization);
        change.update_recovery(stored, after)?;
        Ok(!matches!(self.deliverer.context.store.commit(&change).await?, Committed::Stale))
    }

    /// Attempts the next deliveries, or counts them in a dry run, and records that in `recovery`.
    async fn batch(&self, recovery: &mut Recovery, walk: &mut DeliveryWalk) -> Result<Then, Failure> {
        recovery.turn_day(self.now());
        if let Some(reason) = recovery.limit(self.now()) {
            return Ok(Then::End(Some(reason)));
        }
        let Batch { matching, mut tally, position, is_last } = self.read(recovery, walk).await?;
        if !matching.is_empty() {
            let wanted = matching.iter().map(|delivery| &delivery.outbox_id);
            let found = self.org.to_recover((&recovery.app_id, &recovery.webhook_id), wanted).await?;
            let Some((webhook, secrets)) = found.webhook.zip(found.secrets) else {
                return Ok(Then::End(Some("The webhook was deleted.".to_owned())));
            };
            if webhook.disabled_at.is_some() {
                let reason = "The webhook was disabled. Update it to enable it, then start another recovery.";
                return Ok(Then::End(Some(reason.to_owned())));
            }
            let (mut events, id) = (found.events, &recovery.id);
            let attempts = matching.into_iter().map(|delivery| {
                let ready = events.remove(&delivery.outbox_id).map(|event| Ready {
                    webhook: webhook.clone(),
                    secrets: secrets.clone(),
                    event,
                });
                async move {
                    let Some(ready) = ready else {
                        tracing::error!(delivery = %delivery.id, "a delivery cannot be recovered: its event is missing");
                        return Ok(Attempted::Impossible);
                    };
                    self.attempt_or_pass(id, &delivery, &ready).await
                }
            });
            let attempts = join_all(attempts).await.into_iter().collect::<Result<Vec<_>, Failure>>()?;
            note(&mut tally, &attempts);
            self.note_health(&webhook, found.health.unwrap_or_default(), &attempts).await;
            if attempts.contains(&Attempted::HeldBack) {
                // Another recovery begins with this batch again, of which the delivered ones do not match any more.
                recovery.note(tally, None);
                return Ok(Then::End(Some(test_mode_has_posted_enough())));
            }
        }
        let has_attempted = tally.has_attempted;
        recovery.note(tally, position);
        Ok(match recovery.wait(has_attempted) {
            _ if is_last => Then::End(None),
            None => Then::End(Some(Recovery::no_success())),
            Some(Duration::ZERO) => Then::NextBatch,
            Some(wait) => Then::Pause(wait),
        })
    }

    /// Reads until there are enough matching deliveries for a batch, or no more, or the batch has looked at enough.
    async fn read(&self, recovery: &Recovery, walk: &mut DeliveryWalk) -> Result<Batch, Failure> {
        let (mut batch, most) = (Batch::default(), recovery.next_batch() as u64);
        while batch.tally.matched < most && batch.tally.looked_at < LOOKED_AT {
            let Some(delivery) = self.org.next_delivery(walk).await? else {
                batch.is_last = true;
                break;
            };
            batch.tally.looked_at += 1;
            batch.position = Some(delivery.id.clone());
            let tally = &mut batch.tally;
            if delivery.recovery_id.as_ref() == Some(&recovery.id) {
                // A round attempted it, but was killed before it recorded the batch.
                tally.matched += 1;
                let is_delivered = delivery.status == DeliveryStatus::Delivered;
                *(if is_delivered { &mut tally.delivered } else { &mut tally.failed }) += 1;
            } else if recovery.matches(&delivery) {
                tally.matched += 1;
                if !recovery.is_dry_run {
                    batch.matching.push(delivery);
                }
            }
        }
        let unreadable = walk.take_unreadable();
        if unreadable > 0 {
            tracing::error!(recovery = %recovery.id, unreadable, "deliveries cannot be recovered: their items cannot be read");
        }
        Ok(batch)
    }

    /// Attempts a delivery once. Returns only temporary failures; a permanent one is logged and skipped.
    async fn attempt_or_pass(
        &self,
        recovery: &RecoveryId,
        before: &Delivery,
        ready: &Ready,
    ) -> Result<Attempted, Failure> {
        let attempted = self.attempt(recovery, before, ready).await;
        attempted.or_else(|failure| {
            if failure.is_temporary() {
                return Err(failure);
            }
            tracing::error!(delivery = %before.id, "a delivery cannot be recovered: {}", failure.log_text());
            Ok(Attempted::Impossible)
        })
    }

    /// Attempts a delivery once. If it fails, it follows the schedule of retries from its beginning.
    async fn attempt(&self, recovery: &RecoveryId, before: &Delivery, ready: &Ready) -> Result<Attempted, Failure> {
        let deliverer = self.deliverer;
        let made = deliverer.make(Lane::Patient, self.organization, before, ready).await?;
        let Some(Made { attempt, retry_after, is_slow, .. }) = made else { return Ok(Attempted::HeldBack) };
        let attempted = match (attempt.has_succeeded(), attempt.is_gone()) {
            (true, _) => Attempted::Succeeded { is_slow },
            (false, is_gone) => Attempted::Failed { is_gone },
        };
        let (now, jitter) = (self.now(), u32::try_from(random_index(deliverer.context.random(), 1001)).unwrap_or(0));
        let mut after = before.clone();
        after.again(now);
        after.recovery_id = Some(recovery.clone());
        after.note(attempt, retry_after, jitter, now);
        if !deliverer.write(self.organization, before, &after).await? {
            return Ok(Attempted::Elsewhere);
        }
        deliverer.send(self.organization, &after, Lane::Prompt).await?;
        Ok(attempted)
    }

    /// Records what a batch says about the receiver's health, once for all its attempts.
    async fn note_health(&self, webhook: &Webhook, health: ReceiverHealth, attempts: &[Attempted]) {
        let is_slow = attempts.contains(&Attempted::Succeeded { is_slow: true });
        let has_succeeded = is_slow || attempts.contains(&Attempted::Succeeded { is_slow: false });
        let is_gone = attempts.contains(&Attempted::Failed { is_gone: true });
        let noted = match has_succeeded {
            _ if is_gone => self.deliverer.note_failure(self.org, webhook, true).await,
            true if is_slow || health != ReceiverHealth::default() => {
                self.org.note_success(&webhook.id, &health, is_slow, self.now()).await
            }
            false if attempts.contains(&Attempted::Failed { is_gone: false }) => {
                self.deliverer.note_failure(self.org, webhook, false).await
            }
            _ => Ok(()),
        };
        if noted.is_err() {
            tracing::warn!(webhook = %webhook.id, "the health of the receiver could not be recorded");
        }
    }
}

fn note(tally: &mut Tally, attempts: &[Attempted]) {
    for attempted in attempts {
        match attempted {
            Attempted::Succeeded { .. } => tally.delivered += 1,
            Attempted::Failed { .. } | Attempted::Impossible => tally.failed += 1,
            Attempted::Elsewhere | Attempted::HeldBack => {}
        }
        tally.has_attempted |= matches!(attempted, Attempted::Succeeded { .. } | Attempted::Failed { .. });
        tally.has_succeeded |= matches!(attempted, Attempted::Succeeded { .. });
    }
}
