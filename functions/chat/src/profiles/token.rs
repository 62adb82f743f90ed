//! The first steps of a connection: getting the access token, and checking which organization has its account.

use domain::identity::credential::Secret;
use domain::port::{Random, random_bytes};
use domain::{ErrorKind, Failure, Mode};
use platform::{ProfileSecret, SIMULATED_PIN, SIMULATED_TOKEN};
use store::{AccountClaim, Change};
use tokio::join;

use super::disconnect::being_disconnected;
use super::steps::Run;

/// Returns six random digits, uniformly distributed.
fn random_pin(random: &dyn Random) -> Secret {
    let number = u64::from_be_bytes(random_bytes::<8>(random)) % 1_000_000;
    Secret::new(format!("{number:06}"))
}

impl Run<'_> {
    /// Returns the profile's secret in the vault.
    async fn kept_secret(&self) -> Result<Option<ProfileSecret>, Failure> {
        match self.mode {
            Mode::Live => self.chat.platforms.vault.profile(&self.state.profile_id).await,
            Mode::Test if self.state.has_token => Ok(Some(simulated_secret())),
            Mode::Test => Ok(None),
        }
    }

    /// Returns the secret of the signup, read from the vault at most once.
    pub(super) async fn secret(&mut self) -> Result<ProfileSecret, Failure> {
        if let Some(secret) = &self.token {
            return Ok(secret.clone());
        }
        let secret =
            self.kept_secret().await?.ok_or_else(|| Failure::internal("the access token of a signup is missing"))?;
        self.token = Some(secret.clone());
        Ok(secret)
    }

    /// Exchanges a code once, and keeps the access token in the vault. A token that is already there was kept by a previous
    /// request that stopped before storing its progress.
    pub(super) async fn keep_token(&mut self) -> Result<ProfileSecret, Failure> {
        if !self.state.has_token {
            if self.kept_secret().await?.is_none() {
                let token = self.granted_token().await?;
                self.keep(ProfileSecret { access_token: token, pin: random_pin(self.chat.context.random()) }).await?;
            }
            self.note(|state| state.has_token = true).await?;
        }
        // If the account belongs to another organization, a previous request may have discarded the token. That
        // conflict is reported here, not the missing token.
        if let (Some(waba_id), false) = (self.state.waba_id.clone(), self.state.is_stored) {
            self.expect_own(&waba_id).await?;
        }
        self.secret().await
    }

    async fn keep(&mut self, secret: ProfileSecret) -> Result<(), Failure> {
        if self.mode == Mode::Live {
            self.chat.platforms.vault.keep(&self.state.profile_id, &secret).await?;
            self.token = Some(secret);
        }
        Ok(())
    }

    /// Fails and discards the token if the account belongs to another organization. Returns this organization's claim, if any.
    async fn expect_own(&self, waba_id: &str) -> Result<Option<AccountClaim>, Failure> {
        let claim = self.chat.context.store.of(self.organization).platform_account(self.mode, waba_id).await?;
        match claim {
            Some(claim) if claim.organization_id != *self.organization => {
                if self.mode == Mode::Live {
                    self.chat.platforms.vault.discard(&self.state.profile_id).await?;
                }
                Err(Failure::already_exists(
                    "wabaId",
                    "This business account is already connected to another organization.",
                ))
            }
            claim => Ok(claim),
        }
    }

    /// Continues with the existing profile if the organization has or had one for the account. The token moves to that
    /// profile, which keeps the PIN that its numbers are registered with. A new account needs room for its profile, which is
    /// checked before the platform is asked to subscribe.
    pub(super) async fn claim_or_reconnect(&mut self, waba_id: &str) -> Result<(), Failure> {
        let org = self.chat.context.store.of(self.organization);
        let former = org.former_profile(self.mode, waba_id);
        let since = org.was_anothers_until(self.mode, waba_id);
        let (claim, former, since, room) =
            join!(self.expect_own(waba_id), former, since, org.expect_room_for_profile(self.mode));
        let known = claim?.map(|claim| claim.profile_id).or(former?);
        self.since = since?;
        let Some(known) = known else { return self.unless_refused(room).await };
        if known == self.state.profile_id {
            return Ok(());
        }

        let profile = org.chat_business_profile(&known).await?;
        let profile =
            profile.ok_or_else(|| Failure::internal("an account is claimed by a profile that does not exist"))?;
        if profile.releasing_since.is_some() {
            return Err(being_disconnected());
        }

        if self.mode == Mode::Live {
            let vault = &self.chat.platforms.vault;
            let new = self.secret().await?;
            let pin = vault.profile(&known).await?.map_or(new.pin, |kept| kept.pin);
            let moved = ProfileSecret { access_token: new.access_token, pin };
            vault.keep(&known, &moved).await?;
            self.token = Some(moved);
        }

        let abandoned = self.state.profile_id.clone();
        self.note(|state| {
            state.profile_id = known;
            state.is_reconnect = true;
            state.released_at = profile.released_at;
            state.abandoned_profile_id = Some(abandoned);
        })
        .await
    }

    /// Deletes the signup and its token if the limit on profiles rejects it, so that nothing of it remains. If that
    /// fails, the sweep removes the rest.
    pub(super) async fn unless_refused<T>(&self, done: Result<T, Failure>) -> Result<T, Failure> {
        if done.as_ref().is_err_and(|failure| failure.kind() == ErrorKind::InvalidRequest) {
            let _ = self.forget().await;
        }
        done
    }

    /// Deletes the signup and its token.
    pub(super) async fn forget(&self) -> Result<(), Failure> {
        if self.mode == Mode::Live {
            self.chat.platforms.vault.discard(&self.state.profile_id).await?;
        }
        let mut change = Change::new(self.organization);
        change.forget_onboarding(self.hash, self.lease)?;
        self.chat.context.store.commit(&change).await.map(|_| ())
    }

    /// Discards the token under the abandoned profile id, if a previous request has left one there.
    pub(super) async fn discard_abandoned(&self) -> Result<(), Failure> {
        match &self.state.abandoned_profile_id {
            Some(abandoned) if self.mode == Mode::Live => self.chat.platforms.vault.discard(abandoned).await,
            _ => Ok(()),
        }
    }
}

fn simulated_secret() -> ProfileSecret {
    ProfileSecret { access_token: Secret::new(SIMULATED_TOKEN), pin: Secret::new(SIMULATED_PIN) }
}
