//! What a receiver that fails leads to: its health is recorded, and its webhook is disabled if there is no hope.

use domain::Failure;
use domain::audit::Trail;
use domain::events::delivery::DAYS_TO_DISABLE;
use domain::events::webhook::Webhook;
use domain::id::OrganizationId;
use runtime::Metric;
use store::{Change, Committed, OrganizationStore};

use super::Deliverer;

impl Deliverer {
    /// Records the failure of a receiver, and disables its webhook if the receiver is gone or was down for days.
    pub(super) async fn note_failure(
        &self,
        org: &OrganizationStore,
        webhook: &Webhook,
        gone: bool,
    ) -> Result<(), Failure> {
        let now = self.context.now();
        let health = org.note_failure(webhook, now).await?;
        let reason = match (gone, health.is_hopeless(now)) {
            (true, _) => "The receiver responded with 410 Gone.".to_owned(),
            (false, true) => format!("No delivery succeeded in {DAYS_TO_DISABLE} days."),
            (false, false) => return Ok(()),
        };
        self.disable(org.organization_id(), webhook, reason).await
    }

    /// Disables a webhook. Of several concurrent attempts, only one does.
    async fn disable(&self, organization: &OrganizationId, webhook: &Webhook, reason: String) -> Result<(), Failure> {
        let (context, now) = (&self.context, self.context.now());
        let disabled = Webhook {
            disabled_at: Some(now),
            disabled_reason: Some(reason.clone()),
            updated_at: now,
            ..webhook.clone()
        };
        let mut change = Change::new(organization);
        change.disable_webhook(webhook, &disabled)?;
        let trail = Trail::of_system("system.disableWebhook");
        change.enter(&context.entry(&trail, webhook.app_id.mode()).changed(webhook, &disabled))?;
        if matches!(context.store.commit(&change).await?, Committed::Done) {
            tracing::warn!(webhook = %webhook.id, "{reason}");
            context.publish(Metric::DisabledWebhooks, 1);
        }
        Ok(())
    }
}
