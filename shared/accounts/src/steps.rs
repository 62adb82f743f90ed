//! The steps of a disconnection in order. Each is performed once, and its completion is stored.

use std::time::Duration;

use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::{Failure, Mode, Timestamp};
use platform::PlatformError;
use store::{Budget, Change, Disconnection, HeldDisconnection, OrganizationStore, packed};

use crate::Accounts;

/// The longest time that a call of the platform or of Secrets Manager may take while the lease must hold.
const CALL_LIMIT: Duration = Duration::from_secs(20);
/// How often the numbers are read again because some have changed concurrently.
const ROUNDS: u32 = 8;

/// Whether the platform must have ended the subscription before anything is released.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Required,
    /// The platform was requested to end it; a failure is logged.
    Attempted,
}

/// One run through the steps, under the lease of the disconnection.
pub(crate) struct Run<'a> {
    pub(crate) accounts: Accounts<'a>,
    pub(crate) org: &'a OrganizationStore,
    pub(crate) held: HeldDisconnection,
    pub(crate) ending: Ending,
}

impl Run<'_> {
    pub(crate) async fn complete(&mut self) -> Result<(), Failure> {
        let profile = self.profile().await?;
        if !self.held.progress.is_unsubscribed {
            self.expect_time()?;
            self.unsubscribe(&profile).await?;
            self.note(|progress| progress.is_unsubscribed = true).await?;
        }
        if !self.held.progress.is_token_deleted {
            self.expect_time()?;
            if profile.mode == Mode::Live {
                self.erase_pins(&profile).await?;
                self.accounts.platforms.vault.erase(&profile.id).await?;
            }
            self.note(|progress| progress.is_token_deleted = true).await?;
        }
        self.release_numbers(&profile).await?;
        self.release_account(&profile).await
    }

    async fn profile(&self) -> Result<ChatBusinessProfile, Failure> {
        let profile = self.org.chat_business_profile(&self.held.progress.profile_id).await?;
        profile.ok_or_else(|| Failure::internal("the profile of a disconnection does not exist"))
    }

    fn now(&self) -> Timestamp {
        self.accounts.clock.now()
    }

    /// Fails if the lease could end before a call does: a later call could undo a new connection of the account.
    fn expect_time(&self) -> Result<(), Failure> {
        if self.held.covers(self.now(), CALL_LIMIT) {
            return Ok(());
        }
        Err(Failure::unavailable("the lease of a disconnection is about to end"))
    }

    async fn note(&mut self, step: impl FnOnce(&mut Disconnection)) -> Result<(), Failure> {
        let mut after = self.held.progress.clone();
        step(&mut after);
        let now = self.now();
        self.org.advance_disconnection(&mut self.held, after, now).await
    }

    /// Ends the subscription. A token that the platform no longer accepts has no access either, so its rejection counts
    /// as the end of the subscription.
    async fn unsubscribe(&self, profile: &ChatBusinessProfile) -> Result<(), Failure> {
        let Some(token) = self.accounts.platforms.token_to_release(profile).await? else {
            tracing::warn!(profile = %profile.id, "an account without a token was not unsubscribed");
            return Ok(());
        };
        let platform = self.accounts.platforms.of_signup(profile.mode, profile.is_coexistence);
        match platform.unsubscribe(&token, &profile.provider_waba_id).await {
            Err(error) if is_final(&error) || self.ending == Ending::Attempted => {
                let account = &profile.provider_waba_id;
                tracing::warn!(profile = %profile.id, account, "an account was not unsubscribed: {error}");
                Ok(())
            }
            done => done.map_err(Failure::from),
        }
    }

    /// Deletes the two-step PINs that callers have chosen for single numbers.
    async fn erase_pins(&self, profile: &ChatBusinessProfile) -> Result<(), Failure> {
        let numbers = self.org.whole_numbers_of_profile(&profile.id).await?;
        for number in numbers.iter().filter(|number| number.has_own_pin) {
            self.expect_time()?;
            self.accounts.platforms.vault.erase_pins(&number.id).await?;
        }
        Ok(())
    }

    async fn release_numbers(&self, profile: &ChatBusinessProfile) -> Result<(), Failure> {
        let changed = || Failure::conflict("The numbers of this account are being changed. Retry the request.");
        let mut budget = Budget::new(ROUNDS, changed);
        loop {
            let numbers = self.org.whole_numbers_of_profile(&profile.id).await?;
            let left: Vec<_> = numbers.into_iter().filter(|number| number.released_at.is_none()).collect();
            if left.is_empty() {
                return Ok(());
            }
            self.release(&left).await?;
            budget.spend().await?;
        }
    }

    /// Releases numbers, several together. Those that have changed since they were read are left to the next round.
    async fn release(&self, numbers: &[ChatPhoneNumber]) -> Result<(), Failure> {
        let (now, mut released) = (self.now(), Vec::new());
        for before in numbers {
            let mut change = Change::new(self.org.organization_id());
            let after = ChatPhoneNumber {
                released_at: Some(now),
                line_reset_at: Some(now),
                revision: before.revision + 1,
                updated_at: now,
                ..before.clone()
            };
            change.release_chat_phone_number(before, &after)?;
            released.push(change);
        }
        for change in packed(released) {
            self.accounts.store.commit(&change).await?;
        }
        Ok(())
    }

    /// Releases the account as the last step: from then on, another organization can connect it with its numbers.
    async fn release_account(&self, profile: &ChatBusinessProfile) -> Result<(), Failure> {
        let decide = || async {
            let (before, now) = (self.profile().await?, self.now());
            let after = ChatBusinessProfile {
                releasing_since: None,
                released_at: Some(now),
                revision: before.revision + 1,
                updated_at: now,
                ..before.clone()
            };

            let mut change = Change::new(self.org.organization_id());
            change.finish_disconnection(&self.held, &before, &after, now)?;
            Ok((change, ()))
        };
        self.accounts.store.settle(decide).await?;
        tracing::info!(profile = %profile.id, "an account was disconnected");
        Ok(())
    }
}

/// Returns whether the platform has rejected the call for good. Throttling ends by itself.
fn is_final(error: &PlatformError) -> bool {
    matches!(error, PlatformError::Rejected(_)) && !error.is_throttling()
}
