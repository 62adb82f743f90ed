//! Chat business profiles and their claims on platform accounts.

use domain::chat::ChatBusinessProfile;
use domain::chat::health::next_check;
use domain::due::DueClass;
use domain::{Failure, Mode, Timestamp};

use super::claim::AccountClaim;
use crate::attention::Needing as _;
use crate::engine::change::{Change, fail_with, never, stale};
use crate::engine::expression::Update;
use crate::engine::item::{NewItem, number};
use crate::engine::page::{Page, PageRequest};
use crate::limits::counter::Counter;
use crate::{OrganizationStore, keys};

impl OrganizationStore {
    pub async fn chat_business_profiles(
        &self,
        modes: &[Mode],
        page: &PageRequest,
    ) -> Result<Page<ChatBusinessProfile>, Failure> {
        let partitions = modes.iter().map(|&mode| keys::chat_business_profiles(&self.organization, mode)).collect();
        self.table.page(partitions, page).await
    }
}

/// Returns whether a profile is checked daily.
fn is_checked(profile: &ChatBusinessProfile) -> bool {
    !profile.mode.is_test() && profile.disconnected_at.is_none()
}

impl Change {
    /// Creates a profile with its claim on the platform account, which was another organization's until `since`. Stale
    /// if the account has been claimed concurrently.
    pub fn create_chat_business_profile(
        &mut self,
        profile: &ChatBusinessProfile,
        since: Option<Timestamp>,
    ) -> Result<(), Failure> {
        let claim = AccountClaim { organization_id: self.organization.clone(), profile_id: profile.id.clone(), since };
        self.create(
            NewItem::new(&keys::platform_account(&self.organization, profile.mode, &profile.provider_waba_id), &claim)?,
            stale(),
        );
        self.count(Counter::ChatBusinessProfiles, profile.mode);
        let mut item = NewItem::new(&keys::chat_business_profile(&self.organization, &profile.id), profile)?;
        if is_checked(profile) {
            item = item.due(DueClass::Profiles, next_check(&profile.id, profile.created_at));
        }
        self.create(item, fail_with(|| Failure::internal("a newly minted profile id already exists")));
        Ok(())
    }

    /// Writes the differences between two states of a profile. Stale if its revision has changed. Each change of a live
    /// profile also adds it to the daily checks if it is missing there, or removes it if it is disconnected.
    pub fn update_chat_business_profile(
        &mut self,
        before: &ChatBusinessProfile,
        after: &ChatBusinessProfile,
    ) -> Result<(), Failure> {
        let key = keys::chat_business_profile(&self.organization, &before.id);
        let update = Update::between(key, before, after, &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        let update = if is_checked(after) {
            update.due_if_absent(DueClass::Profiles, next_check(&after.id, after.updated_at))?
        } else if after.mode.is_test() {
            update
        } else {
            update.not_due()
        };
        self.update(update, stale());
        self.attend(&before.needs(), &after.needs())
    }

    /// Creates the playground profile with its claim, unless they exist: the first test app of an organization creates
    /// them.
    pub fn ensure_playground_profile(&mut self, profile: &ChatBusinessProfile) -> Result<(), Failure> {
        let update = Update::new(keys::chat_business_profile(&self.organization, &profile.id))
            .set_if_absent("id", &profile.id)?
            .set_if_absent("mode", &profile.mode)?
            .set_if_absent("providerWabaId", &profile.provider_waba_id)?
            .set_if_absent("businessName", &profile.business_name)?
            .set_if_absent("simulatedSyncs", &0)?
            .set_if_absent("revision", &profile.revision)?
            .set_if_absent("onboardingCompletedAt", &profile.created_at)?
            .set_if_absent("createdAt", &profile.created_at)?
            .set_if_absent("updatedAt", &profile.updated_at)?
            .set_if_absent("v", &1)?;
        self.update(update, never());
        let claim = Update::new(keys::platform_account(&self.organization, Mode::Test, &profile.provider_waba_id))
            .set_if_absent("organizationId", &self.organization)?
            .set_if_absent("profileId", &profile.id)?
            .set_if_absent("v", &1)?;
        self.update(claim, never());
        Ok(())
    }
}
