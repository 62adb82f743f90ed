//! Taking back accounts and numbers that the organization had before, and the conditions under which claims change.

use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{AppId, ChatBusinessProfileId};
use domain::{Failure, Timestamp};

use super::claim::{AccountClaim, NumberClaim};
use crate::engine::change::{Change, fail_with, stale};
use crate::engine::expression::Condition;
use crate::engine::item::{NewItem, value};
use crate::keys;

impl Change {
    /// Writes a profile whose account is connected again. It must still have its claim; a released account is claimed
    /// again. Stale if the profile has changed, or if another organization has claimed the account.
    pub fn reconnect_chat_business_profile(
        &mut self,
        before: &ChatBusinessProfile,
        after: &ChatBusinessProfile,
        since: Option<Timestamp>,
    ) -> Result<(), Failure> {
        let key = keys::platform_account(&self.organization, before.mode, &before.provider_waba_id);
        if before.released_at.is_some() {
            let claim =
                AccountClaim { organization_id: self.organization.clone(), profile_id: before.id.clone(), since };
            self.create(NewItem::new(&key, &claim)?, stale());
            self.delete_any(keys::former_account(&self.organization, before.mode, &before.provider_waba_id));
        } else {
            let own = Condition::new("#organizationId = :organization AND #profileId = :own")
                .value(":organization", value(&self.organization)?)
                .value(":own", value(&before.id)?);
            self.require(key, own, stale());
        }
        self.update_chat_business_profile(before, after)
    }

    /// Requires that the account of a profile is neither disconnected nor being disconnected by a caller.
    pub fn require_connected(&mut self, profile: &ChatBusinessProfileId) {
        let connected = Condition::new(
            "attribute_exists(PK) AND attribute_not_exists(#releasingSince) AND attribute_not_exists(#releasedAt)",
        );
        let message = "The account of this number was disconnected. Connect it again first.";
        let key = keys::chat_business_profile(&self.organization, profile);
        self.require(key, connected, fail_with(move || Failure::conflict(message)));
    }

    /// Reclaims a number that the organization had before, and writes it under its profile, which can differ from the
    /// previous one. Stale if the number has changed, or if another organization has claimed it.
    pub fn reclaim_chat_phone_number(
        &mut self,
        before: &ChatPhoneNumber,
        after: &ChatPhoneNumber,
        new_apps: &[(AppId, String)],
    ) -> Result<(), Failure> {
        let claim = NumberClaim {
            organization_id: self.organization.clone(),
            profile_id: after.business_profile.id.clone(),
            number_id: after.id.clone(),
        };
        let (mode, platform_id) = (after.id.mode(), &after.provider_phone_number_id);
        self.create(NewItem::new(&keys::platform_number(&self.organization, mode, platform_id), &claim)?, stale());
        self.delete_any(keys::former_number(&self.organization, mode, platform_id));
        if before.business_profile.id != after.business_profile.id {
            let entry = keys::chat_phone_number_of_profile(&self.organization, &before.business_profile.id, &before.id);
            self.delete_any(entry);
        }
        self.show_in_profile(after)?;
        self.write_chat_phone_number(before, after, new_apps)
    }
}
