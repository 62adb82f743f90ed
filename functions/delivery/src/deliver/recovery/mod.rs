//! Rounds of a recovery. A round attempts one batch of deliveries after the other, until its time is up: first a single one
//! as a probe, and at most fifty at the same time once the receiver has responded with 2xx. Each delivery remembers the
//! recovery that attempted it, so that a round that is repeated after a fault counts it and does not attempt it again.

mod attempts;
mod batch;

use std::time::{Duration, Instant};

use domain::events::recovery::Recovery;
use domain::id::OrganizationId;
use domain::job::{Lane, RecoveryJob};
use domain::port::random_index;
use domain::{Failure, Timestamp};
use store::{Change, Committed, OrganizationStore};

use super::Deliverer;
use super::slots::Slots;

/// How long a round starts new batches. Even with the deadline of the last one, it ends before the function's timeout.
const BEGINS_BATCHES: Duration = Duration::from_secs(25);
/// The shortest and the longest pause of a round that has no slot yet. The pause doubles each time; jitter of up to the
/// shortest one is added.
const SHORTEST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);
/// The pause after a fault of this service.
const AFTER_FAULT: Duration = Duration::from_secs(30);
/// How long after its time a round counts as lost. The sweep then queues it again.
const OVERDUE_AFTER: Duration = Duration::from_secs(5 * 60);

/// The next step of a recovery after a batch.
enum Then {
    NextBatch,
    /// Another round, after a pause.
    Pause(Duration),
    /// End the recovery: early if there is a reason.
    End(Option<String>),
}

impl Deliverer {
    /// Works on one round of a recovery.
    pub(crate) async fn recover(&self, job: &RecoveryJob, slots: &Slots<'_>) -> Result<(), Failure> {
        let patient = RecoveryJob { lane: Lane::Patient, ..job.clone() };
        if job.lane == Lane::Prompt {
            return self.patient.send(&[patient]).await;
        }

        // A message that is not the latest of its recovery ends here, before it takes a slot.
        let org = self.context.store.of(&job.organization_id);
        let now = self.context.now();
        let begun = org.begin_recovery_round(&job.webhook_id, &job.recovery_id, job.revision, now).await?;
        let Some(recovery) = begun else { return Ok(()) };

        let round = Round { deliverer: self, organization: &job.organization_id, org: &org };
        match slots.acquire(&job.organization_id).await {
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
                // The attempts of the batch are found and counted when it is repeated.
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
                Then::Pause(pause) => return self.continue_after(pause, &stored, recovery, 0).await,
                Then::End(reason) => return self.end(reason, &stored, recovery).await,
            }
        }
    }

    /// Ends a round that cannot begin yet, because other recoveries of the organization hold all its slots, or because
    /// this invocation works on another one.
    async fn wait_for_a_slot(&self, stored: Recovery, waits: u32) -> Result<(), Failure> {
        let mut after = stored.clone();
        after.turn_day(self.now());
        if let Some(reason) = after.limit(self.now()) {
            return self.end(Some(reason), &stored, after).await;
        }
        let jitter = random_index(self.deliverer.context.random(), SHORTEST_PAUSE.as_secs() as usize) as u64;
        let pause = SHORTEST_PAUSE * 2u32.saturating_pow(waits.min(10) - 1);
        let pause = pause.min(LONGEST_PAUSE) + Duration::from_secs(jitter);
        self.continue_after(pause, &stored, after, waits).await
    }

    /// Ends the round, and queues the next one.
    async fn continue_after(
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
        self.deliverer.patient.send_after(&[next], pause).await
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

    /// Writes the progress. Returns `false` if another round holds the recovery.
    async fn write(&self, stored: &Recovery, after: &Recovery) -> Result<bool, Failure> {
        let mut change = Change::new(self.organization);
        change.update_recovery(stored, after)?;
        Ok(!matches!(self.deliverer.context.store.commit(&change).await?, Committed::Stale))
    }
}
