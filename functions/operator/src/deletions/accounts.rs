//! The accounts of the chat platform: disconnected first, as by their owner, then deleted with their numbers and templates.

use std::time::Duration;

use domain::chat::ChatBusinessProfile;
use domain::{ErrorType, Failure, Mode};

use super::steps::{AT_ONCE, Run, Stopped, first};

/// An invocation begins no disconnection later than this: a disconnection takes up to 25 s, and an invocation may take 90 s.
const LATEST_START: Duration = Duration::from_secs(45);
const CONFLICT: u16 = 409;

impl Run<'_> {
    /// Disconnects all accounts, then deletes them. Returns whether they are gone: as long as one is not disconnected, all
    /// stay, so that it is found again.
    pub(super) async fn accounts(&mut self) -> Result<bool, Stopped> {
        self.disconnect_accounts().await?;
        if !self.still_connected.is_empty() {
            return Ok(false);
        }
        loop {
            let numbers = self.org.chat_phone_numbers(&Mode::ALL, &first(AT_ONCE)).await?.items;
            if numbers.is_empty() {
                break;
            }
            self.page()?;
            for number in numbers {
                self.org.delete_chat_number(&number, self.now()).await?;
                self.deleted.chat_phone_numbers += 1;
            }
        }
        loop {
            let profiles = self.org.chat_business_profiles(&Mode::ALL, &first(AT_ONCE)).await?.items;
            if profiles.is_empty() {
                return Ok(true);
            }
            for profile in profiles {
                self.page()?;
                self.account(&profile).await?;
            }
        }
    }

    /// Disconnects the live accounts. Simulated ones have neither a subscription nor a token.
    async fn disconnect_accounts(&mut self) -> Result<(), Stopped> {
        let mut request = first(AT_ONCE);
        loop {
            let page = self.org.chat_business_profiles(&[Mode::Live], &request).await?;
            for profile in page.items.iter().filter(|profile| profile.released_at.is_none()) {
                self.page()?;
                if !self.disconnect(profile).await? {
                    self.still_connected.push(profile.provider_waba_id.clone());
                }
            }
            let Some(before) = page.next else { return Ok(()) };
            request.before = Some(before);
        }
    }

    /// Returns whether the account is disconnected. A platform that fails is called again by the next invocations, until its
    /// time is over.
    async fn disconnect(&self, profile: &ChatBusinessProfile) -> Result<bool, Failure> {
        if self.since.elapsed() > LATEST_START {
            return Ok(false);
        }
        let accounts = self.operator.accounts();
        let outcome = if self.is_past_patience {
            accounts.disconnect_regardless(self.organization(), &profile.id).await
        } else {
            accounts.disconnect(self.organization(), &profile.id).await
        };
        match outcome {
            Ok(_) => Ok(true),
            // Also if somebody else is disconnecting the account at the moment.
            Err(failure) if failure.kind() == ErrorType::ProviderError || failure.status() == CONFLICT => {
                tracing::warn!(profile = %profile.id, "an account is not disconnected yet: {}", failure.log_text());
                Ok(false)
            }
            Err(failure) => Err(failure),
        }
    }

    async fn account(&mut self, profile: &ChatBusinessProfile) -> Result<(), Stopped> {
        loop {
            let deleted = self.org.delete_templates(&profile.id).await?;
            if deleted == 0 {
                break;
            }
            self.deleted.templates += deleted;
            self.page()?;
        }
        self.org.delete_profile(profile).await?;
        self.deleted.chat_business_profiles += 1;
        Ok(())
    }
}
