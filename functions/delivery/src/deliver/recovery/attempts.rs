//! The attempts of a recovery's deliveries, and the effect of their results on the receiver's health.

use domain::Failure;
use domain::events::delivery::{Delivery, ReceiverHealth};
use domain::events::recovery::Tally;
use domain::events::webhook::Webhook;
use domain::id::RecoveryId;
use domain::job::Lane;
use domain::port::random_index;

use super::Round;
use crate::deliver::attempt::{Made, Ready};

/// The result of one attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempted {
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
    /// The organization has used up its daily bytes in test mode.
    HeldBack,
}

impl Round<'_> {
    /// Attempts a delivery once. Returns only temporary failures; a permanent one is logged and skipped.
    pub(super) async fn attempt_or_skip(
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

    /// Records the effect of a batch on the receiver's health, once for all its attempts.
    pub(super) async fn note_health(&self, webhook: &Webhook, health: ReceiverHealth, attempts: &[Attempted]) {
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

/// Counts the results of a batch's attempts.
pub(super) fn note(tally: &mut Tally, attempts: &[Attempted]) {
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
