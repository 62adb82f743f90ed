//! The health of webhook receivers: the failures since the last success, and whether responses are slow.

use domain::attention::{Need, NeedKind};
use domain::audit::TargetKind;
use domain::events::delivery::{FAILURES_TO_WAIT, KEPT, PROBE_EVERY, ReceiverHealth, SLOW};
use domain::events::webhook::Webhook;
use domain::id::{Identifier as _, WebhookId};
use domain::{Failure, Timestamp};

use crate::engine::change::{Change, Refused};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{TTL, entity, number, value};
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

    /// Counts a failure and returns the receiver's health since its last success. Once new deliveries wait, the webhook needs
    /// attention; later failures repeat this now and then, because the first record can be lost with the function.
    pub async fn note_failure(&self, webhook: &Webhook, now: Timestamp) -> Result<ReceiverHealth, Failure> {
        let update = Update::new(keys::receiver_health(&self.organization, &webhook.id))
            .add("failures", 1)
            .set_if_absent("firstFailureAt", &now)?
            .set(TTL, &now.plus(KEPT).seconds())?
            .set("v", &1)?;
        let unwritten = || Failure::internal("DynamoDB rejected an unconditional update");
        let health: ReceiverHealth = entity(self.table.update(update, unwritten).await?)?;
        if health.is_waiting() && health.failures.is_multiple_of(FAILURES_TO_WAIT) {
            let mut change = Change::new(&self.organization);
            change.list_failing(webhook, &health, now)?;
            self.table.commit(&change).await?;
        }
        Ok(health)
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
            self.note_slow(webhook, now).await?;
            return self.no_longer_failing(webhook).await;
        }
        if !health.is_slow(now) {
            let mut change = Change::new(&self.organization);
            change.delete_any(keys::receiver_health(&self.organization, webhook));
            change.forget_needs(&[NeedKind::WebhookFailing], webhook.as_str());
            return self.table.commit(&change).await.map(|_| ());
        }
        if health.failures == 0 {
            return Ok(());
        }
        let update =
            Update::new(keys::receiver_health(&self.organization, webhook)).remove("failures").remove("firstFailureAt");
        self.table.try_update(update.remove("probeAt").if_present()).await.map(|_| ())?;
        self.no_longer_failing(webhook).await
    }

    async fn no_longer_failing(&self, webhook: &WebhookId) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        change.forget_needs(&[NeedKind::WebhookFailing], webhook.as_str());
        self.table.commit(&change).await.map(|_| ())
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

impl Change {
    /// Lists a webhook whose receiver fails, unless it has recovered, or the webhook was disabled or deleted meanwhile.
    fn list_failing(&mut self, webhook: &Webhook, health: &ReceiverHealth, now: Timestamp) -> Result<(), Failure> {
        let is_enabled = Condition::new("attribute_exists(PK) AND attribute_not_exists(#disabledAt)");
        let key = keys::webhook(&self.organization, &webhook.app_id, &webhook.id);
        self.require(key, is_enabled, Box::new(|_| Refused::AlreadyDone));
        let still_fails = Condition::new("#failures >= :failures").value(":failures", number(FAILURES_TO_WAIT));
        let key = keys::receiver_health(&self.organization, &webhook.id);
        self.require(key, still_fails, Box::new(|_| Refused::AlreadyDone));

        let target = (TargetKind::Webhook, webhook.id.as_str());
        let since = health.first_failure_at.unwrap_or(now);
        let message = format!("{FAILURES_TO_WAIT} or more attempts in a row have failed. New deliveries wait.");
        let need = Need::new(NeedKind::WebhookFailing, target, webhook.app_id.mode(), since, message);
        // What is known of the receiver ends then, too.
        self.attend(&[], &[Need { ends_at: Some(now.plus(KEPT)), ..need }])
    }
}
