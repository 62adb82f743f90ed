//! The limit on the bytes that an organization posts in test mode. A simulated message costs its sender nothing, can be
//! large, and can go to many webhooks, whose addresses may belong to third parties that never asked for events. Live
//! deliveries are not counted.

use domain::Failure;
use domain::events::delivery::Delivery;
use domain::id::OrganizationId;

use super::Deliverer;

impl Deliverer {
    /// Counts the bytes of a delivery of a test app. Returns `false` if they exceed the organization's remaining bytes
    /// of the day.
    pub(super) async fn may_post(
        &self,
        organization: &OrganizationId,
        delivery: &Delivery,
        bytes: usize,
    ) -> Result<bool, Failure> {
        let (bytes, uncounted) = (bytes as u64, &self.poster.uncounted);
        if !delivery.app_id.mode().is_test() {
            return Ok(true);
        }
        let Some(due) = uncounted.add(organization, bytes) else { return Ok(true) };
        let org = self.context.store.of(organization);
        let counted = org.may_post_in_test_mode(due, self.context.now()).await;
        if !matches!(counted, Ok(true)) {
            // This delivery is not posted.
            uncounted.put_back(organization, due - bytes);
        }
        counted
    }

    /// Skips a delivery of a test app without a request, and records the reason.
    pub(super) async fn hold_back(&self, organization: &OrganizationId, before: &Delivery) -> Result<(), Failure> {
        let mut after = before.clone();
        after.hold_back(self.context.now());
        let webhook = &before.webhook_id;
        tracing::info!(delivery = %before.id, %webhook, "the daily limit of test mode is reached");
        self.write(organization, before, &after).await.map(|_| ())
    }
}
