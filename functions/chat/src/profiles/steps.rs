//! The steps of a signup in their order, each done once and stored.

use std::sync::Arc;

use domain::chat::{ChatBusinessProfile, ProfileNumber};
use domain::credential::Secret;
use domain::id::OrganizationId;
use domain::{Failure, Mode};
use platform::{Account, Line, Platform, PlatformNumber, ProfileSecret};
use store::Onboarding;
use tokio::try_join;

use crate::ChatContext;

pub(crate) struct Signup {
    pub(super) code: Secret,
    pub(super) redirect_uri: Option<String>,
    pub(super) waba_id: Option<String>,
    pub(super) business_id: Option<String>,
    pub(super) is_coexistence: bool,
    pub(super) test: Option<bool>,
}

pub(super) struct Completed {
    pub(super) profile: ChatBusinessProfile,
    pub(super) numbers: Vec<ProfileNumber>,
    pub(super) is_new: bool,
}

pub(super) struct Run<'a> {
    pub(super) chat: &'a ChatContext,
    pub(super) organization: &'a OrganizationId,
    pub(super) mode: Mode,
    pub(super) hash: &'a str,
    pub(super) lease: &'a str,
    pub(super) signup: &'a Signup,
    pub(super) state: Onboarding,
    pub(super) token: Option<ProfileSecret>,
}

/// What was refused is the caller's: the failure names the field. Everything else is nobody's field.
pub(super) fn about(param: &'static str, failure: Failure) -> Failure {
    if failure.status() == 422 { failure.with_param(param) } else { failure }
}

impl Run<'_> {
    pub(super) async fn complete(&mut self) -> Result<Completed, Failure> {
        let secret = self.keep_token().await?;
        let (waba_id, token_expires_at) = self.find_account(&secret.access_token).await?;
        // The new token is good for the account, or nothing of what works so far is touched.
        let (account, found) = self.read_account(&waba_id).await?;
        self.note(|state| {
            state.waba_id = Some(waba_id.clone());
            state.token_expires_at = token_expires_at;
        })
        .await?;
        loop {
            self.claim_or_reconnect(&waba_id).await?;
            self.discard_abandoned().await?;
            self.subscribe(&waba_id).await?;
            // Another signup of the same account may have been faster: then this one connects it again.
            let Some(profile) = self.store_profile(&waba_id, &account).await? else { continue };
            self.store_numbers(&profile, &found).await?;
            self.register_numbers(&profile, &found).await?;
            return self.finish(&profile).await;
        }
    }

    async fn read_account(&mut self, waba_id: &str) -> Result<(Account, Vec<PlatformNumber>), Failure> {
        let line = self.line().await?;
        let (platform, token) = (&line.platform, &line.token);
        let read = try_join!(platform.account(token, waba_id), platform.phone_numbers(token, waba_id));
        match read {
            Ok(read) => Ok(read),
            Err(error) => Err(about("wabaId", line.failure(error, waba_id).await)),
        }
    }

    /// The platform with the token of this signup.
    pub(super) async fn line(&mut self) -> Result<Line, Failure> {
        let secret = self.secret().await?;
        Ok(Line { platform: self.platform(), token: secret.access_token, pin: secret.pin })
    }

    pub(super) fn platform(&self) -> Arc<dyn Platform> {
        self.chat.platforms.of_mode(self.mode)
    }

    /// Stores how far it has come.
    pub(super) async fn note(&mut self, step: impl FnOnce(&mut Onboarding)) -> Result<(), Failure> {
        let mut after = self.state.clone();
        step(&mut after);
        if after != self.state {
            let (store, now) = (&self.chat.context.store, self.chat.context.now());
            store.of(self.organization).advance_onboarding(self.hash, self.lease, (&self.state, &after), now).await?;
            self.state = after;
        }
        Ok(())
    }

    async fn subscribe(&mut self, waba_id: &str) -> Result<(), Failure> {
        if !self.state.is_subscribed {
            let line = self.line().await?;
            if let Err(error) = line.platform.subscribe(&line.token, waba_id).await {
                return Err(line.failure(error, waba_id).await);
            }
            self.note(|state| state.is_subscribed = true).await?;
        }
        Ok(())
    }
}
