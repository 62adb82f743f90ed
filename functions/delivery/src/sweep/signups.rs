//! Signups that were given up.

use domain::Failure;
use domain::credential::hex;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::port::random_bytes;
use futures_util::future::join_all;
use store::Change;

use super::Sweeper;
use super::report::Report;

impl Sweeper {
    /// No token stays without a profile; that of a profile is not touched. The record goes last, so that a stop loses no token.
    pub(crate) async fn give_up_signup(&self, o: &OrganizationId, hash: &str, report: &Report) -> Result<(), Failure> {
        let (now, lease) = (self.context().now(), hex(&random_bytes::<16>(self.context().random())));
        let Some(signup) = self.store().of(o).abandoned_onboarding(hash, &lease, now).await? else { return Ok(()) };
        let profiles = [Some(signup.profile_id), signup.abandoned_profile_id].into_iter().flatten();
        // Each for itself: one that cannot be discarded keeps no other.
        let discarded = join_all(profiles.map(|id| self.discard_unless_connected(o, id, report))).await;
        discarded.into_iter().collect::<Result<(), _>>()?;
        let mut change = Change::new(o);
        change.forget_onboarding(hash, &lease)?;
        self.store().commit(&change).await.map(|_| ())
    }

    async fn discard_unless_connected(
        &self,
        o: &OrganizationId,
        id: ChatBusinessProfileId,
        report: &Report,
    ) -> Result<(), Failure> {
        if id.mode().is_test() || self.store().of(o).chat_business_profile(&id).await?.is_some() {
            return Ok(());
        }
        let discarded = self.vault.discard(&id).await;
        if discarded.is_err() {
            report.note_kept_secret();
        }
        discarded
    }
}
