//! The steps of a signup, each done once and stored.

use std::sync::Arc;

use api::events::event;
use api::idempotency::Retries;
use api::views::ChatBusinessProfileView;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::credential::Secret;
use domain::event::{Audience, EventName};
use domain::id::OrganizationId;
use domain::port::{Random, random_bytes};
use domain::{ErrorCode, Failure, Mode};
use platform::{
    AccessToken, Line, Platform, PlatformError, PlatformNumber, ProfileSecret, SIMULATED_PIN, SIMULATED_TOKEN,
    TokenInfo,
};
use store::{Change, Committed, Onboarding};
use tokio::try_join;

use super::signup::{Completed, Signup};
use crate::ChatContext;
use crate::numbers;
use crate::numbers::registration::{obstacle, register};

pub(super) struct Run<'a> {
    pub(super) chat: &'a ChatContext,
    pub(super) o: &'a OrganizationId,
    pub(super) mode: Mode,
    pub(super) hash: &'a str,
    pub(super) lease: &'a str,
    pub(super) signup: &'a Signup,
    pub(super) state: Onboarding,
    pub(super) token: Option<ProfileSecret>,
}

/// Six digits, each as likely as the others.
fn random_pin(random: &dyn Random) -> Secret {
    let number = u64::from_be_bytes(random_bytes::<8>(random)) % 1_000_000;
    Secret::new(format!("{number:06}"))
}

/// What was refused is the caller's: the failure names the field. Everything else is nobody's field.
fn about(param: &'static str) -> impl Fn(PlatformError) -> Failure {
    move |error| {
        let failure = Failure::from(error);
        if failure.status() == 422 { failure.with_param(param) } else { failure }
    }
}

impl Run<'_> {
    pub(super) async fn to_the_end(&mut self) -> Result<Completed, Failure> {
        let secret = self.keep_token().await?;
        let waba_id = self.find_account(&secret.access_token).await?;
        loop {
            self.claim_or_reconnect(&waba_id).await?;
            let secret = self.secret().await?;
            let platform = self.platform();
            let (account, found) = try_join!(
                platform.account(&secret.access_token, &waba_id),
                platform.phone_numbers(&secret.access_token, &waba_id),
            )
            .map_err(about("wabaId"))?;
            self.subscribe(&secret.access_token, &waba_id).await?;
            // Another signup of the same account may have been faster: then this one connects it again.
            let Some(profile) = self.store_profile(&waba_id, &account).await? else { continue };
            self.store_numbers(&profile, &found).await?;
            self.register_numbers(&profile, secret, &found).await?;
            return self.finish(&profile).await;
        }
    }

    fn platform(&self) -> Arc<dyn Platform> {
        self.chat.platforms.of_mode(self.mode)
    }

    /// Stores how far it has come.
    async fn note(&mut self, step: impl FnOnce(&mut Onboarding)) -> Result<(), Failure> {
        let mut after = self.state.clone();
        step(&mut after);
        if after != self.state {
            let (store, now) = (&self.chat.context.store, self.chat.context.now());
            store.advance_onboarding(self.o, self.hash, self.lease, (&self.state, &after), now).await?;
            self.state = after;
        }
        Ok(())
    }

    async fn kept_secret(&self) -> Result<Option<ProfileSecret>, Failure> {
        match self.mode {
            Mode::Live => self.chat.platforms.vault.profile(&self.state.profile_id).await,
            Mode::Test if self.state.has_token => Ok(Some(simulated_secret())),
            Mode::Test => Ok(None),
        }
    }

    async fn secret(&mut self) -> Result<ProfileSecret, Failure> {
        if let Some(secret) = &self.token {
            return Ok(secret.clone());
        }
        let secret = self.kept_secret().await?.ok_or_else(|| Failure::internal("an onboarding has lost its token"))?;
        self.token = Some(secret.clone());
        Ok(secret)
    }

    /// The code is exchanged once. What the vault holds already was kept by a request that stopped right after it.
    async fn keep_token(&mut self) -> Result<ProfileSecret, Failure> {
        if !self.state.has_token {
            if self.kept_secret().await?.is_none() {
                let (code, redirect_uri) = (self.signup.code.expose(), self.signup.redirect_uri.as_deref());
                let token = self.platform().exchange_code(code, redirect_uri).await.map_err(about("code"))?;
                self.keep(ProfileSecret { access_token: token, pin: random_pin(self.chat.context.random()) }).await?;
            }
            self.note(|state| state.has_token = true).await?;
        }
        // An account that turned out to be another organization's has no token here any more.
        if self.state.waba_id.is_some() && !self.state.is_stored {
            let waba_id = self.state.waba_id.clone().unwrap_or_default();
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

    async fn find_account(&mut self, token: &AccessToken) -> Result<String, Failure> {
        if let Some(known) = &self.state.waba_id {
            return Ok(known.clone());
        }
        let info = self.platform().inspect_token(token).await?;
        let waba_id = account_of(self.signup, &info)?;
        self.note(|state| {
            state.waba_id = Some(waba_id.clone());
            state.token_expires_at = info.expires_at;
        })
        .await?;
        Ok(waba_id)
    }

    /// `Some` where the account is this organization's already.
    async fn expect_own(&self, waba_id: &str) -> Result<Option<store::AccountClaim>, Failure> {
        let claim = self.chat.context.store.platform_account(self.o, self.mode, waba_id).await?;
        match claim {
            Some(claim) if claim.organization_id != *self.o => {
                if self.mode == Mode::Live {
                    self.chat.platforms.vault.discard(&self.state.profile_id).await?;
                }
                Err(Failure::already_exists("wabaId", "This business account is connected to another organization."))
            }
            claim => Ok(claim),
        }
    }

    /// A known account keeps its profile: the token moves there, and the PIN that its numbers are registered with stays.
    async fn claim_or_reconnect(&mut self, waba_id: &str) -> Result<(), Failure> {
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
        })
        .await?;
        if self.mode == Mode::Live {
            self.chat.platforms.vault.discard(&abandoned).await?;
        }
        Ok(())
    }

    async fn subscribe(&mut self, token: &AccessToken, waba_id: &str) -> Result<(), Failure> {
        if !self.state.is_subscribed {
            self.platform().subscribe(token, waba_id).await?;
            self.note(|state| state.is_subscribed = true).await?;
        }
        Ok(())
    }

    /// `None` where another request has claimed the account meanwhile.
    async fn store_profile(
        &self,
        waba_id: &str,
        account: &platform::Account,
    ) -> Result<Option<ChatBusinessProfile>, Failure> {
        let context = &self.chat.context;
        let mut retries = Retries::default();
        loop {
            let Some(before) = context.store.chat_business_profile(self.o, &self.state.profile_id).await? else {
                return self.create_profile(self.new_profile(waba_id, account)).await;
            };
            let after = self.connected_again(&before, account);
            let mut change = Change::new();
            change.update_chat_business_profile(self.o, &before, &after)?;
            if retries.settle(context, &change).await?.is_some() {
                return Ok(Some(after));
            }
        }
    }

    async fn create_profile(&self, profile: ChatBusinessProfile) -> Result<Option<ChatBusinessProfile>, Failure> {
        let mut change = Change::new();
        change.create_chat_business_profile(self.o, &profile)?;
        match self.chat.context.store.commit(&change).await {
            Ok(Committed::Stale) => Ok(None),
            Ok(_) => Ok(Some(profile)),
            Err(failure) => Err(self.give_up(failure).await?),
        }
    }

    /// A profile over the limit leaves no token behind.
    async fn give_up(&self, failure: Failure) -> Result<Failure, Failure> {
        if failure.status() == 400 && self.mode == Mode::Live {
            self.chat.platforms.vault.discard(&self.state.profile_id).await?;
        }
        Ok(failure)
    }

    fn new_profile(&self, waba_id: &str, account: &platform::Account) -> ChatBusinessProfile {
        let now = self.chat.context.now();
        ChatBusinessProfile {
            id: self.state.profile_id.clone(),
            mode: self.mode,
            provider_waba_id: waba_id.to_owned(),
            provider_business_id: self.signup.business_id.clone().or_else(|| account.owner_business_id.clone()),
            business_name: account.name.clone(),
            token_expires_at: self.state.token_expires_at,
            onboarding_completed_at: None,
            review_decision: None,
            review_decided_at: None,
            disconnected_at: None,
            simulated_syncs: 0,
            revision: 1,
            created_at: now,
            updated_at: now,
        }
    }

    fn connected_again(&self, before: &ChatBusinessProfile, account: &platform::Account) -> ChatBusinessProfile {
        let business_id = self.signup.business_id.clone().or_else(|| account.owner_business_id.clone());
        ChatBusinessProfile {
            provider_business_id: business_id.or_else(|| before.provider_business_id.clone()),
            business_name: account.name.clone(),
            token_expires_at: self.state.token_expires_at,
            disconnected_at: None,
            revision: before.revision + 1,
            updated_at: self.chat.context.now(),
            ..before.clone()
        }
    }

    /// One transaction a number: each counts against the limit. A number that another organization has is left out.
    async fn store_numbers(&mut self, profile: &ChatBusinessProfile, found: &[PlatformNumber]) -> Result<(), Failure> {
        if self.state.is_stored {
            return Ok(());
        }
        let store = &self.chat.context.store;
        let known = store.numbers_of_profile(self.o, &profile.id).await?;
        for number in found {
            if let Some(known) = known.iter().find(|known| known.provider_phone_number_id == number.id) {
                numbers::amend(self.chat, self.o, &known.id, |known| {
                    numbers::refresh(known, number);
                    Ok(())
                })
                .await?;
                continue;
            }
            let mut change = Change::new();
            let new = numbers::new_number(&self.chat.context, profile, number);
            change.create_chat_phone_number(self.o, &new, &[])?;
            match store.commit(&change).await {
                Err(failure) if failure.code() == Some(ErrorCode::ResourceAlreadyExists) => {
                    tracing::warn!(profile = %profile.id, "a number of the account is connected elsewhere and left out");
                }
                committed => drop(committed?),
            }
        }
        self.note(|state| state.is_stored = true).await
    }

    /// A refusal never fails the signup: the number stays unregistered, and E3 can register it later.
    async fn register_numbers(
        &self,
        profile: &ChatBusinessProfile,
        secret: ProfileSecret,
        found: &[PlatformNumber],
    ) -> Result<(), Failure> {
        if self.signup.is_coexistence {
            return Ok(());
        }
        let line = Line { platform: self.platform(), token: secret.access_token, pin: secret.pin };
        for number in self.chat.context.store.numbers_of_profile(self.o, &profile.id).await? {
            let at_platform = found.iter().find(|found| found.id == number.provider_phone_number_id);
            let Some(at_platform) = at_platform else { continue };
            if obstacle(&number, at_platform, self.chat.context.now()).is_none()
                && let (_, Some(error)) = register(self.chat, self.o, &line, &number.id).await?
            {
                let code = Failure::from(error).provider_details().map_or(0, |provider| provider.code);
                tracing::warn!(number = %number.id, code, "a number could not be registered");
            }
        }
        Ok(())
    }

    async fn finish(&self, profile: &ChatBusinessProfile) -> Result<Completed, Failure> {
        let context = &self.chat.context;
        let numbers: Vec<ChatPhoneNumber> = context.store.numbers_of_profile(self.o, &profile.id).await?;
        let mut retries = Retries::default();
        loop {
            let before = context.store.chat_business_profile(self.o, &profile.id).await?;
            let before = before.ok_or_else(|| Failure::internal("a profile that was just stored is gone"))?;
            let now = context.now();
            let after = ChatBusinessProfile {
                onboarding_completed_at: Some(now),
                updated_at: now,
                revision: before.revision + 1,
                ..before.clone()
            };
            let view = ChatBusinessProfileView::new(self.o, after.clone(), numbers.clone());
            let connected = event(context, EventName::ChatAccountConnected, self.mode, Audience::AllApps, &view)?;
            let mut change = Change::new();
            change.update_chat_business_profile(self.o, &before, &after)?;
            change.emit(self.o, &connected)?;
            change.finish_onboarding(self.o, self.hash, self.lease)?;
            if retries.settle(context, &change).await?.is_some() {
                return Ok(Completed { profile: after, numbers, is_new: !self.state.is_reconnect });
            }
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
