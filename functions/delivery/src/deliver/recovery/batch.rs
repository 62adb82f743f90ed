//! One batch of a round of a recovery: reading the deliveries, attempting them, and counting the results.

use std::time::Duration;

use domain::Failure;
use domain::events::delivery::{Delivery, DeliveryStatus, test_mode_has_posted_enough};
use domain::events::recovery::{Recovery, Tally};
use domain::id::DeliveryId;
use futures_util::future::join_all;
use store::DeliveryWalk;

use super::attempts::{Attempted, note};
use super::{Round, Then};
use crate::deliver::attempt::Ready;

/// The highest number of deliveries that a batch reads, whether or not they match.
const LOOKED_AT: u64 = 1_000;

/// The deliveries of a batch.
#[derive(Default)]
struct Batch {
    matching: Vec<Delivery>,
    tally: Tally,
    /// The last delivery that the batch has read.
    position: Option<DeliveryId>,
    is_last: bool,
}

impl Round<'_> {
    /// Attempts the next deliveries, or counts them in a dry run, and records the progress in `recovery`.
    pub(super) async fn batch(&self, recovery: &mut Recovery, walk: &mut DeliveryWalk) -> Result<Then, Failure> {
        recovery.turn_day(self.now());
        if let Some(reason) = recovery.limit(self.now()) {
            return Ok(Then::End(Some(reason)));
        }

        let Batch { matching, mut tally, position, is_last } = self.read(recovery, walk).await?;
        if !matching.is_empty() {
            let wanted = matching.iter().map(|delivery| &delivery.outbox_id);
            let found = self.org.to_recover(&recovery.app_id, &recovery.webhook_id, wanted).await?;
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
                    self.attempt_or_skip(id, &delivery, &ready).await
                }
            });

            let attempts = join_all(attempts).await.into_iter().collect::<Result<Vec<_>, Failure>>()?;
            note(&mut tally, &attempts);
            self.note_health(&webhook, found.health.unwrap_or_default(), &attempts).await;
            if attempts.contains(&Attempted::HeldBack) {
                // Another recovery begins with this batch again; its delivered ones no longer match.
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

    /// Reads until there are enough matching deliveries for a batch, no more deliveries, or the limit of a batch is
    /// reached.
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
}
