//! Signups that were given up, and what is left of deleted apps.

use domain::Failure;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use store::{Change, DueItem};

use crate::Sweeper;

impl Sweeper {
    /// No token stays without a profile; that of a profile is not touched.
    pub(crate) async fn give_up_signup(&self, item: &DueItem, o: &OrganizationId, hash: &str) -> Result<(), Failure> {
        if let Some(signup) = self.store().onboarding(o, hash).await?.filter(|signup| !signup.is_finished) {
            for profile in std::iter::once(signup.profile_id).chain(signup.abandoned_profile_id) {
                self.discard_unless_connected(o, &profile).await?;
            }
        }
        self.store().no_longer_due(item).await
    }

    async fn discard_unless_connected(&self, o: &OrganizationId, id: &ChatBusinessProfileId) -> Result<(), Failure> {
        if id.mode().is_test() || self.store().chat_business_profile(o, id).await?.is_some() {
            return Ok(());
        }
        self.vault.discard(id).await
    }

    pub(crate) async fn clear_remains(&self, o: &OrganizationId, ksuid: &str) -> Result<(), Failure> {
        let Some(remains) = self.store().remains_of_app(o, ksuid).await? else { return Ok(()) };
        for number in remains.numbers.iter().filter_map(|number| number.parse().ok()) {
            let mut change = Change::new();
            change.clear_number_of_deleted_app(o, &number, &remains.id, self.context().now())?;
            self.store().commit(&change).await?;
        }
        let mut forget = Change::new();
        remains.webhooks.iter().for_each(|webhook| forget.forget_webhook(o, webhook));
        forget.forget_deleted_app(o, &remains.id);
        self.store().commit(&forget).await.map(|_| ())
    }
}
