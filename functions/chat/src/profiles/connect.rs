//! The last steps of a connection: storing the profile and its numbers, registering the numbers, and emitting the event.

use domain::audit::Entry;
use domain::chat::{ChatBusinessProfile, LinkStatus};
use domain::events::event::{Audience, EventName};
use domain::{ErrorCode, ErrorKind, Failure};
use platform::PlatformNumber;
use runtime::event;
use store::{Change, Committed};
use views::ChatBusinessProfileView;

use super::disconnect::{being_disconnected, disconnected_meanwhile};
use super::steps::{Completed, Run};
use crate::numbers::registration::{obstacle, register};
use crate::numbers::{self, NumberToAdd};

fn link_ended() -> Failure {
    Failure::conflict("The onboarding link has ended meanwhile.").with_param("onboardingLinkId")
}

impl Run<'_> {
    /// Stores the profile. Returns `None` if the account was connected or released concurrently.
    pub(super) async fn store_profile(
        &self,
        waba_id: &str,
        account: &platform::Account,
    ) -> Result<Option<ChatBusinessProfile>, Failure> {
        let store = &self.chat.context.store;
        let Some(before) = store.of(self.organization).chat_business_profile(&self.state.profile_id).await? else {
            return self.create_profile(self.new_profile(waba_id, account)).await;
        };
        self.expect_not_disconnected_since(&before).await?;
        let after = self.reconnected(&before, account);
        let mut change = Change::new(self.organization);
        change.reconnect_chat_business_profile(&before, &after, self.since)?;
        Ok(match store.commit(&change).await? {
            Committed::Stale => None,
            _ => Some(after),
        })
    }

    /// Fails if the account was disconnected after this request stored the token, because the disconnection has deleted
    /// it.
    async fn expect_not_disconnected_since(&self, profile: &ChatBusinessProfile) -> Result<(), Failure> {
        if profile.releasing_since.is_some() {
            return Err(being_disconnected());
        }
        if profile.released_at.is_some() && profile.released_at != self.state.released_at {
            self.forget().await?;
            return Err(disconnected_meanwhile());
        }
        Ok(())
    }

    async fn create_profile(&self, profile: ChatBusinessProfile) -> Result<Option<ChatBusinessProfile>, Failure> {
        let mut change = Change::new(self.organization);
        change.create_chat_business_profile(&profile, self.since)?;
        // Concurrent signups may have used up the limit on profiles.
        match self.unless_refused(self.chat.context.store.commit(&change).await).await? {
            Committed::Stale => Ok(None),
            _ => Ok(Some(profile)),
        }
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
            is_coexistence: self.signup.is_coexistence.unwrap_or(false),
            onboarding_completed_at: None,
            review_decision: None,
            review_decided_at: None,
            disconnected_at: None,
            releasing_since: None,
            released_at: None,
            connection_at: None,
            templates_synced_at: None,
            simulated_syncs: 0,
            simulated_restriction_until: None,
            health: None,
            revision: 1,
            created_at: now,
            updated_at: now,
        }
    }

    fn reconnected(&self, before: &ChatBusinessProfile, account: &platform::Account) -> ChatBusinessProfile {
        let business_id = self.signup.business_id.clone().or_else(|| account.owner_business_id.clone());
        ChatBusinessProfile {
            provider_business_id: business_id.or_else(|| before.provider_business_id.clone()),
            business_name: account.name.clone(),
            token_expires_at: self.state.token_expires_at,
            is_coexistence: self.signup.is_coexistence.unwrap_or(before.is_coexistence),
            disconnected_at: None,
            releasing_since: None,
            released_at: None,
            connection_at: None,
            // The findings were about the previous connection.
            health: None,
            revision: before.revision + 1,
            updated_at: self.chat.context.now(),
            ..before.clone()
        }
    }

    /// Stores the numbers in one transaction each, because each counts towards the limit. Skips numbers that belong to
    /// another organization or exceed the limit.
    pub(super) async fn store_numbers(
        &mut self,
        profile: &ChatBusinessProfile,
        found: &[PlatformNumber],
    ) -> Result<(), Failure> {
        if self.state.is_stored {
            return Ok(());
        }
        let org = self.chat.context.store.of(self.organization);
        for found in found {
            let number = NumberToAdd { profile, found, apps: &[] };
            if let Err(failure) = numbers::add(&self.chat.context, &org, &number).await {
                let is_of_other = failure.code() == Some(ErrorCode::ResourceAlreadyExists);
                let is_skipped = is_of_other || failure.kind() == ErrorKind::InvalidRequest;
                if !is_skipped {
                    return Err(failure);
                }
                tracing::warn!(profile = %profile.id, "a number of the account was skipped: {}", failure.message());
            }
        }
        self.note(|state| state.is_stored = true).await
    }

    /// Registers the numbers where possible. A rejection does not fail the signup: the number stays unregistered and can be
    /// registered later.
    pub(super) async fn register_numbers(
        &mut self,
        profile: &ChatBusinessProfile,
        found: &[PlatformNumber],
    ) -> Result<(), Failure> {
        let line = self.line().await?;
        let context = &self.chat.context;
        let org = &context.store.of(self.organization);
        for number in org.whole_numbers_of_profile(&profile.id).await? {
            let at_platform = found.iter().find(|found| found.id == number.provider_phone_number_id);
            let Some(at_platform) = at_platform else { continue };
            // A previous request may have registered the number and stopped before it stored the result.
            if at_platform.is_connected == Some(true) {
                numbers::amend(context, org, &number.id, |number| {
                    number.cloud_api_registered = true;
                    Ok(())
                })
                .await?;
                continue;
            }
            if obstacle(profile, &number, &at_platform.standing(), context.now()).is_some() {
                continue;
            }
            match register(self.chat, org, &line, &number.id, None).await {
                Ok((_, None)) => {}
                Ok((_, Some(error))) => {
                    let code = Failure::from(error).provider_details().map_or(0, |provider| provider.number());
                    tracing::warn!(number = %number.id, code, "a number could not be registered");
                }
                // Another request is registering the number.
                Err(failure) if failure.kind() == ErrorKind::Conflict => {}
                Err(failure) => return Err(failure),
            }
        }

        Ok(())
    }

    /// Returns the entry of the audit log for the connection, whose state before is the one before this signup.
    fn entry(&self, before: &ChatBusinessProfile, after: &ChatBusinessProfile) -> Entry {
        let entry = self.chat.context.entry(self.trail, self.mode);
        let is_first = before.onboarding_completed_at.is_none();
        if is_first { entry.created(after) } else { entry.changed(before, after) }
    }

    /// Marks the profile as connected, completes the onboarding link if there is one, emits the event and ends the signup, in
    /// one transaction.
    pub(super) async fn finish(&self, profile: &ChatBusinessProfile) -> Result<Completed, Failure> {
        let context = &self.chat.context;
        let org = &context.store.of(self.organization);
        let numbers = &org.numbers_of_profile(&profile.id).await?;
        let decide = || async move {
            let before = org.chat_business_profile(&profile.id).await?;
            let before = before.ok_or_else(|| Failure::internal("the profile that was just stored is missing"))?;
            if before.is_given_up() {
                return Err(disconnected_meanwhile());
            }
            let now = context.now();
            let after = ChatBusinessProfile {
                onboarding_completed_at: Some(now),
                disconnected_at: None,
                connection_at: None,
                updated_at: now,
                revision: before.revision + 1,
                ..before.clone()
            };
            let view = ChatBusinessProfileView::new(self.organization, after.clone(), numbers.clone());
            let connected = event(context, EventName::ChatAccountConnected, self.mode, Audience::AllApps, &view)?;
            let mut change = Change::new(self.organization);
            change.update_chat_business_profile(&before, &after)?;
            change.enter(&self.entry(&before, &after))?;
            if let Some(link) = &self.signup.link {
                let link = org.onboarding_link(link).await?.ok_or_else(link_ended)?;
                if link.status != LinkStatus::Pending {
                    return Err(link_ended());
                }
                change.update_onboarding_link(&link, &link.completed(&profile.id))?;
            }
            change.emit(&connected)?;
            change.finish_onboarding(self.hash, self.lease)?;
            Ok((change, after))
        };

        let connected = context.store.settle(decide).await?;
        Ok(Completed { profile: connected, numbers: numbers.clone(), is_new: !self.state.is_reconnect })
    }
}
