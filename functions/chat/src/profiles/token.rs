//! The first steps of a signup: the token, the account that it is for, and whose that account is.

use domain::credential::Secret;
use domain::port::{Random, random_bytes};
use domain::{Failure, Mode, Timestamp};
use platform::{AccessToken, ProfileSecret, SIMULATED_PIN, SIMULATED_TOKEN, TokenInfo};
use store::AccountClaim;

use super::steps::Signup;
use super::steps::{Run, about};

/// Six digits, each as likely as the others.
fn random_pin(random: &dyn Random) -> Secret {
    let number = u64::from_be_bytes(random_bytes::<8>(random)) % 1_000_000;
    Secret::new(format!("{number:06}"))
}

impl Run<'_> {
    async fn kept_secret(&self) -> Result<Option<ProfileSecret>, Failure> {
        match self.mode {
            Mode::Live => self.chat.platforms.vault.profile(&self.state.profile_id).await,
            Mode::Test if self.state.has_token => Ok(Some(simulated_secret())),
            Mode::Test => Ok(None),
        }
    }

    pub(super) async fn secret(&mut self) -> Result<ProfileSecret, Failure> {
        if let Some(secret) = &self.token {
            return Ok(secret.clone());
        }
        let secret = self.kept_secret().await?.ok_or_else(|| Failure::internal("an onboarding has lost its token"))?;
        self.token = Some(secret.clone());
        Ok(secret)
    }

    /// The code is exchanged once. What the vault holds already was kept by a request that stopped right after it.
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
        // An account that turned out to be another organization's has no token here any more.
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

    /// What was found once stays, once it was seen to be readable.
    pub(super) async fn find_account(&self, token: &AccessToken) -> Result<(String, Option<Timestamp>), Failure> {
        if let Some(known) = &self.state.waba_id {
            return Ok((known.clone(), self.state.token_expires_at));
        }
        let info = self.platform().inspect_token(token).await?;
        Ok((account_of(self.signup, &info)?, info.expires_at))
    }

    /// `Some` where the account is this organization's already.
    async fn expect_own(&self, waba_id: &str) -> Result<Option<AccountClaim>, Failure> {
        let claim = self.chat.context.store.of(self.organization).platform_account(self.mode, waba_id).await?;
        match claim {
            Some(claim) if claim.organization_id != *self.organization => {
                if self.mode == Mode::Live {
                    self.chat.platforms.vault.discard(&self.state.profile_id).await?;
                }
                Err(Failure::already_exists("wabaId", "This business account is connected to another organization."))
            }
            claim => Ok(claim),
        }
    }

    /// A known account keeps its profile: the token moves there, and the PIN that its numbers are registered with stays.
    pub(super) async fn claim_or_reconnect(&mut self, waba_id: &str) -> Result<(), Failure> {
        let Some(claim) = self.expect_own(waba_id).await? else { return Ok(()) };
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

    /// No token stays that nobody knows of, wherever a request before this one has stopped.
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

/// The account that was named, or the one that was connected last.
fn account_of(signup: &Signup, info: &TokenInfo) -> Result<String, Failure> {
    if !info.is_valid {
        let message = "The token of this code is not valid for this installation's app; start the signup again.";
        return Err(Failure::unprocessable(message).with_param("code"));
    }
    match (&signup.waba_id, &info.accounts) {
        (Some(named), Some(accounts)) if !accounts.contains(named) => {
            Err(Failure::invalid("wabaId", "wabaId is not among the accounts that this signup gave access to."))
        }
        (Some(named), _) => Ok(named.clone()),
        (None, _) => info.newest_account.clone().ok_or_else(|| {
            Failure::invalid("wabaId", "The token names no business account; send wabaId from the session logging.")
        }),
    }
}
