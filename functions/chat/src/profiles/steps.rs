//! The steps of a connection in order. Each is performed once, and its completion is stored.

use std::sync::Arc;

use domain::audit::Trail;
use domain::chat::{ChatBusinessProfile, ProfileNumber};
use domain::id::{OnboardingLinkId, OrganizationId};
use domain::{ErrorKind, Failure, Mode, Timestamp};
use platform::{Account, Line, Platform, PlatformNumber, ProfileSecret};
use store::Onboarding;
use tokio::try_join;

use super::grant::Grant;
use crate::ChatContext;

/// The validated body of the operations that connect an account.
pub(crate) struct Signup {
    pub(super) grant: Grant,
    pub(super) waba_id: Option<String>,
    pub(super) business_id: Option<String>,
    /// `None` with an access token, which does not reveal it.
    pub(super) is_coexistence: Option<bool>,
    pub(super) test: Option<bool>,
    /// The link that the account is connected with. It is completed in the transaction that connects the account.
    pub(super) link: Option<OnboardingLinkId>,
}

pub(super) struct Completed {
    pub(super) profile: ChatBusinessProfile,
    pub(super) numbers: Vec<ProfileNumber>,
    pub(super) is_new: bool,
}

/// One request's run through the steps, under a lease of the signup.
pub(super) struct Run<'a> {
    pub(super) chat: &'a ChatContext,
    pub(super) organization: &'a OrganizationId,
    pub(super) trail: &'a Trail,
    pub(super) mode: Mode,
    pub(super) hash: &'a str,
    pub(super) lease: &'a str,
    pub(super) signup: &'a Signup,
    pub(super) state: Onboarding,
    pub(super) token: Option<ProfileSecret>,
    /// Until when the account was another organization's.
    pub(super) since: Option<Timestamp>,
}

/// Adds the field to a failure if the platform rejected its value.
pub(super) fn about(param: &'static str, failure: Failure) -> Failure {
    let is_rejection = !failure.kind().is_fault() && failure.kind() != ErrorKind::TooManyRequests;
    if is_rejection && failure.provider_details().is_some() { failure.with_param(param) } else { failure }
}

impl Run<'_> {
    pub(super) async fn complete(&mut self) -> Result<Completed, Failure> {
        let secret = self.keep_token().await?;
        let (waba_id, token_expires_at) = self.find_account(&secret.access_token).await?;
        // Reads the account with the new token before anything changes: an invalid token must not break a working connection.
        let (account, numbers) = self.read_account(&waba_id).await?;
        self.note(|state| {
            state.waba_id = Some(waba_id.clone());
            state.token_expires_at = token_expires_at;
        })
        .await?;
        loop {
            self.claim_or_reconnect(&waba_id).await?;
            self.discard_abandoned().await?;
            self.subscribe(&waba_id).await?;
            // The account was connected or released concurrently: look up its owner again.
            let Some(profile) = self.store_profile(&waba_id, &account).await? else { continue };
            self.store_numbers(&profile, &numbers).await?;
            self.register_numbers(&profile, &numbers).await?;
            self.request_app_data(&profile, &numbers).await?;
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

    /// Returns the platform with the access token of this signup.
    pub(super) async fn line(&mut self) -> Result<Line, Failure> {
        let secret = self.secret().await?;
        Ok(Line { platform: self.platform(), token: secret.access_token, pin: secret.pin })
    }

    pub(super) fn platform(&self) -> Arc<dyn Platform> {
        self.chat.platforms.of_signup(self.mode, self.signup.is_coexistence.unwrap_or(false))
    }

    /// Returns whether a request with an access token was rejected before it changed anything. A signup is kept, because
    /// its code cannot be exchanged again.
    pub(super) fn is_refused(&self, failure: &Failure) -> bool {
        let has_changed = self.state.is_reconnect || self.state.is_subscribed;
        let is_rejection =
            matches!(failure.kind(), ErrorKind::InvalidRequest | ErrorKind::NotFound | ErrorKind::Unprocessable);
        matches!(self.signup.grant, Grant::Token { .. }) && !has_changed && is_rejection
    }

    /// Stores the progress of the signup.
    pub(super) async fn note(&mut self, step: impl FnOnce(&mut Onboarding)) -> Result<(), Failure> {
        let mut after = self.state.clone();
        step(&mut after);
        if after != self.state {
            let (org, now) = (self.chat.context.store.of(self.organization), self.chat.context.now());
            org.advance_onboarding(self.hash, self.lease, &self.state, &after, now).await?;
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
