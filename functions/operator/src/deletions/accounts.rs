//! The accounts of the chat platform: disconnected first, as their organization would, then deleted with their numbers
//! and templates.

use std::time::Duration;

use domain::chat::ChatBusinessProfile;
use domain::deletion::DeletionStep;
use domain::{ErrorKind, ErrorType, Failure, Mode};

use super::steps::{AT_ONCE, Exhausted, Run, Stopped, first};

/// An invocation begins no disconnection later than this: a disconnection takes up to 25 s, and an invocation may take 90 s.
const LATEST_START: Duration = Duration::from_secs(45);

impl Run<'_> {
    /// Disconnects all accounts, then deletes them. Returns whether they are deleted. As long as one is not
    /// disconnected, all stay, so that the next invocation finds it again.
    pub(super) async fn accounts(&mut self) -> Result<bool, Exhausted> {
        let disconnected = self.disconnect_accounts().await;
        if !self.note(DeletionStep::Accounts, disconnected)? {
            return Ok(false);
        }
        let numbers = self.chat_numbers().await;
        let are_numbers_gone = self.note(DeletionStep::ChatPhoneNumbers, numbers)?;
        let templates = self.templates().await;
        let are_templates_gone = self.note(DeletionStep::Templates, templates)?;
        if !are_numbers_gone || !are_templates_gone {
            // The profiles are kept, because they lead to the accounts.
            return Ok(false);
        }
        let profiles = self.profiles().await;
        self.note(DeletionStep::ChatBusinessProfiles, profiles)
    }

    async fn chat_numbers(&mut self) -> Result<bool, Stopped> {
        let (mut are_gone, mut request) = (true, first(AT_ONCE));
        loop {
            let page = self.org.chat_phone_numbers(&Mode::ALL, &request).await?;
            if !page.items.is_empty() {
                self.page()?;
            }
            for number in page.items {
                let deleted = self.org.delete_chat_number(&number, self.now()).await.map(|()| true);
                self.deleted.chat_phone_numbers += u64::from(deleted.is_ok());
                are_gone &= self.note(DeletionStep::ChatPhoneNumbers, deleted.map_err(Stopped::from))?;
            }
            request.before = page.next;
            if request.before.is_none() {
                return Ok(are_gone);
            }
        }
    }

    async fn templates(&mut self) -> Result<bool, Stopped> {
        let mut are_gone = true;
        for profile in self.all_profiles().await? {
            self.page()?;
            let deleted = self.templates_of(&profile).await;
            are_gone &= self.note(DeletionStep::Templates, deleted)?;
        }
        Ok(are_gone)
    }

    async fn templates_of(&mut self, profile: &ChatBusinessProfile) -> Result<bool, Stopped> {
        loop {
            let deleted = self.org.delete_templates(&profile.id).await?;
            if deleted == 0 {
                return Ok(true);
            }
            self.deleted.templates += deleted;
            self.page()?;
        }
    }

    async fn profiles(&mut self) -> Result<bool, Stopped> {
        let mut are_gone = true;
        for profile in self.all_profiles().await? {
            let deleted = self.org.delete_profile(&profile).await.map(|()| true);
            self.deleted.chat_business_profiles += u64::from(deleted.is_ok());
            are_gone &= self.note(DeletionStep::ChatBusinessProfiles, deleted.map_err(Stopped::from))?;
        }
        Ok(are_gone)
    }

    /// Returns all profiles. The limit keeps the list short.
    async fn all_profiles(&self) -> Result<Vec<ChatBusinessProfile>, Failure> {
        let (mut all, mut request) = (Vec::new(), first(AT_ONCE));
        loop {
            let page = self.org.chat_business_profiles(&Mode::ALL, &request).await?;
            all.extend(page.items);
            request.before = page.next;
            if request.before.is_none() {
                return Ok(all);
            }
        }
    }

    /// Disconnects the live accounts. Simulated ones have neither a subscription nor a token. Returns whether all are
    /// disconnected.
    async fn disconnect_accounts(&mut self) -> Result<bool, Stopped> {
        let (mut are_disconnected, mut request) = (true, first(AT_ONCE));
        loop {
            let page = self.org.chat_business_profiles(&[Mode::Live], &request).await?;
            for profile in page.items.iter().filter(|profile| profile.released_at.is_none()) {
                self.page()?;
                let disconnected = self.disconnect(profile).await.map_err(Stopped::from);
                if !self.note(DeletionStep::Accounts, disconnected)? {
                    are_disconnected = false;
                    self.still_connected.push(profile.provider_waba_id.clone());
                }
            }
            let Some(before) = page.next else { return Ok(are_disconnected) };
            request.before = Some(before);
        }
    }

    /// Returns whether the account is disconnected. If the platform fails, the next invocations call it again, until
    /// [`PLATFORM_PATIENCE`](domain::deletion::PLATFORM_PATIENCE) is over.
    async fn disconnect(&self, profile: &ChatBusinessProfile) -> Result<bool, Failure> {
        if self.since.elapsed() > LATEST_START {
            return Ok(false);
        }
        let accounts = self.operator.accounts();
        let entry = self.operator.entry("operator.deleteOrganization", profile.mode);
        let outcome = if self.is_past_patience {
            accounts.disconnect_regardless(self.organization(), &profile.id, &entry).await
        } else {
            accounts.disconnect(self.organization(), &profile.id, &entry).await
        };
        match outcome {
            Ok(_) => Ok(true),
            Err(failure) if may_succeed_later(&failure) => {
                tracing::warn!(profile = %profile.id, "an account is not disconnected yet: {}", failure.log_text());
                Ok(false)
            }
            Err(failure) => Err(failure),
        }
    }
}

/// Returns whether the account can be disconnected later: the platform failed, or another request is disconnecting the
/// account at the moment.
fn may_succeed_later(failure: &Failure) -> bool {
    failure.error_type() == ErrorType::ProviderError || failure.kind() == ErrorKind::Conflict
}
