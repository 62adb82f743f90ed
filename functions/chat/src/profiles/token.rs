//! The first steps of a signup: getting the access token, finding its account, and checking which organization has it.

use domain::credential::Secret;
use domain::port::{Random, random_bytes};
use domain::{Failure, Mode, Timestamp};
use platform::{AccessToken, ProfileSecret, SIMULATED_PIN, SIMULATED_TOKEN, TokenInfo};
use store::{AccountClaim, Change};
use tokio::join;

use super::steps::{Run, Signup, about};

/// Returns six random digits, uniformly distributed.
fn random_pin(random: &dyn Random) -> Secret {
    let number = u64::from_be_bytes(random_bytes::<8>(random)) % 1_000_000;
    Secret::new(format!("{number:06}"))
}

impl Run<'_> {
    /// Returns the secret that the vault keeps for the profile.
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

    /// Exchanges the code once and keeps the access token in the vault. A token that is already there was kept by a previous
    /// request that stopped before storing its progress.
    pub(super) async fn keep_token(&mut self) -> Result<ProfileSecret, Failure> {
        if !self.state.has_token {
            if self.kept_secret().await?.is_none() {
                let (code, redirect_uri) = (self.signup.code.expose(), self.signup.redirect_uri.as_deref());
                let exchanged = self.platform().exchange_code(code, redirect_uri).await;
                let token = exchanged.map_err(|error| about("code", error.into()))?;
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

    /// Returns the account's id and when the token expires. The stored values are used if a previous request read the account.
    pub(super) async fn find_account(&self, token: &AccessToken) -> Result<(String, Option<Timestamp>), Failure> {
        if let Some(known) = &self.state.waba_id {
            return Ok((known.clone(), self.state.token_expires_at));
        }
        let info = self.platform().inspect_token(token).await?;
        Ok((account_of(self.signup, &info)?, info.expires_at))
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

    /// Continues with the existing profile if the account has one. The token moves to that profile, which keeps the PIN that
    /// its numbers are registered with. A new account needs room for its profile, which is checked before the platform is
    /// asked to subscribe.
    pub(super) async fn claim_or_reconnect(&mut self, waba_id: &str) -> Result<(), Failure> {
        let org = self.chat.context.store.of(self.organization);
        let (claim, room) = join!(self.expect_own(waba_id), org.expect_room_for_profile());
        let Some(claim) = claim? else { return self.unless_refused(room).await };
        if claim.profile_id == self.state.profile_id {
            return Ok(());
        }
        if self.mode == Mode::Live {
            let vault = &self.chat.platforms.vault;
            let new = self.secret().await?;
            let pin = vault.profile(&claim.profile_id).await?.map_or(new.pin, |kept| kept.pin);
            let moved = ProfileSecret { access_token: new.access_token, pin };
            vault.keep(&claim.profile_id, &moved).await?;
            self.token = Some(moved);
        }
        let abandoned = self.state.profile_id.clone();
        self.note(|state| {
            state.profile_id = claim.profile_id;
            state.is_reconnect = true;
            state.abandoned_profile_id = Some(abandoned);
        })
        .await
    }

    /// Forgets the signup and its token if the limit on profiles rejects it, so that nothing of it stays. If that
    /// fails, the sweep removes the rest.
    pub(super) async fn unless_refused<T>(&self, done: Result<T, Failure>) -> Result<T, Failure> {
        if done.as_ref().is_err_and(|failure| failure.status() == 400) {
            let _ = self.forget().await;
        }
        done
    }

    async fn forget(&self) -> Result<(), Failure> {
        if self.mode == Mode::Live {
            self.chat.platforms.vault.discard(&self.state.profile_id).await?;
        }
        let mut change = Change::new(self.organization);
        change.forget_onboarding(self.hash, self.lease)?;
        self.chat.context.store.commit(&change).await.map(|_| ())
    }

    /// Discards the token under the abandoned profile id, wherever a previous request stopped.
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

/// Returns the account that the request names, else the one that was connected last.
fn account_of(signup: &Signup, info: &TokenInfo) -> Result<String, Failure> {
    if !info.is_valid {
        let message = "The access token of this code is not valid for this installation's app. Start the signup again.";
        return Err(Failure::unprocessable(message).with_param("code"));
    }
    match (&signup.waba_id, &info.accounts) {
        (Some(named), Some(accounts)) if !accounts.contains(named) => {
            Err(Failure::invalid("wabaId", "wabaId must be an account that this signup granted access to."))
        }
        (Some(named), _) => Ok(named.clone()),
        (None, _) => info.newest_account.clone().ok_or_else(|| {
            Failure::invalid("wabaId", "wabaId is required, because the access token names no business account. The login flow reports it in its session info.")
        }),
    }
}
