//! Abandoned signups.

use domain::Failure;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::identity::credential::hex;
use domain::port::random_bytes;
use futures_util::future::join_all;
use store::{Change, OrganizationStore};

use super::Sweeper;
use super::report::Report;

impl Sweeper {
    /// Deletes the access tokens of an abandoned signup, except those of connected profiles, and then its record. The
    /// record is deleted last, so that an interruption leaves no token without a reference.
    pub(crate) async fn remove_signup(
        &self,
        organization: &OrganizationId,
        hash: &str,
        report: &Report,
    ) -> Result<(), Failure> {
        let (now, lease) = (self.context().now(), hex(&random_bytes::<16>(self.context().random())));
        let org = self.store().of(organization);
        let Some(signup) = org.abandoned_onboarding(hash, &lease, now).await? else { return Ok(()) };
        let profiles = [Some(signup.profile_id), signup.abandoned_profile_id].into_iter().flatten();
        // The deletions are independent: if one fails, the other token is still deleted.
        let discarded = join_all(profiles.map(|id| self.discard_unless_connected(&org, id, report))).await;
        discarded.into_iter().collect::<Result<(), _>>()?;
        let mut change = Change::new(organization);
        change.forget_onboarding(hash, &lease)?;
        self.store().commit(&change).await.map(|_| ())
    }

    async fn discard_unless_connected(
        &self,
        org: &OrganizationStore,
        id: ChatBusinessProfileId,
        report: &Report,
    ) -> Result<(), Failure> {
        let profile = org.chat_business_profile(&id).await?;
        // A disconnected profile has no token, unless the abandoned signup was about to reconnect it.
        if id.mode().is_test() || profile.is_some_and(|profile| profile.released_at.is_none()) {
            return Ok(());
        }
        let discarded = self.vault.discard(&id).await;
        if discarded.is_err() {
            report.note_kept_secret();
        }
        discarded
    }
}
