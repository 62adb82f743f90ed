//! The health of webhook receivers: the failures since the last success, and whether responses are slow.

use domain::events::delivery::{KEPT, PROBE_EVERY, ReceiverHealth, SLOW};
use domain::id::WebhookId;
use domain::{Failure, Timestamp};

use crate::engine::change::Change;
use crate::engine::expression::Update;
use crate::engine::item::{TTL, entity, value};
use crate::{OrganizationStore, keys};

impl OrganizationStore {
    /// Reserves the next probe of a failing receiver. One delivery per minute can make a probe. Returns whether the
    /// caller has reserved it; `false` if another delivery has, or if the receiver is healthy again.
    pub async fn may_probe(&self, webhook: &WebhookId, now: Timestamp) -> Result<bool, Failure> {
        let update = Update::new(keys::receiver_health(&self.organization, webhook))
            .set("probeAt", &now.plus(PROBE_EVERY))?
            .if_present()
            .when("attribute_not_exists(#probeAt) OR #probeAt <= :now")
            .value(":now", value(&now)?);
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Counts a failure and returns the receiver's health since its last success.
    pub async fn note_failure(&self, webhook: &WebhookId, now: Timestamp) -> Result<ReceiverHealth, Failure> {
        let update = Update::new(keys::receiver_health(&self.organization, webhook))
            .add("failures", 1)
            .set_if_absent("firstFailureAt", &now)?
            .set(TTL, &now.plus(KEPT).seconds())?
            .set("v", &1)?;
        entity(self.table.update(update, || Failure::internal("DynamoDB rejected an unconditional update")).await?)
    }

    /// Records a successful attempt, which resets all failures. Slowness is only reset after a week without slow
    /// responses.
    pub async fn note_success(
        &self,
        webhook: &WebhookId,
        health: &ReceiverHealth,
        slow: bool,
        now: Timestamp,
    ) -> Result<(), Failure> {
        if slow && health.is_known_slow(now) {
            return Ok(());
        }
        if slow {
            return self.note_slow(webhook, now).await;
        }
        if !health.is_slow(now) {
            let mut change = Change::new(&self.organization);
            change.delete_any(keys::receiver_health(&self.organization, webhook));
            return self.table.commit(&change).await.map(|_| ());
        }
        if health.failures == 0 {
            return Ok(());
        }
        let update =
            Update::new(keys::receiver_health(&self.organization, webhook)).remove("failures").remove("firstFailureAt");
        self.table.try_update(update.remove("probeAt").if_present()).await.map(|_| ())
    }

    /// Records a successful but slow attempt.
    async fn note_slow(&self, webhook: &WebhookId, now: Timestamp) -> Result<(), Failure> {
        let update = self.slowness(webhook, now)?.remove("failures").remove("firstFailureAt").remove("probeAt");
        self.table.try_update(update).await.map(|_| ())
    }

    /// Records that a receiver has not responded promptly, before it is known whether the attempt will succeed.
    pub async fn suspect_slow(&self, webhook: &WebhookId, now: Timestamp) -> Result<(), Failure> {
        self.table.try_update(self.slowness(webhook, now)?).await.map(|_| ())
    }

    fn slowness(&self, webhook: &WebhookId, now: Timestamp) -> Result<Update, Failure> {
        Update::new(keys::receiver_health(&self.organization, webhook))
            .set("slowUntil", &now.plus(SLOW))?
            .set(TTL, &now.plus(KEPT).seconds())?
            .set("v", &1)
    }
}
