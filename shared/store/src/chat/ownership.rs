//! Taking back accounts and numbers that the organization had before, and the conditions under which claims change.

use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{AppId, ChatBusinessProfileId, ChatPhoneNumberId};
use domain::{Failure, Mode, Timestamp};

use super::claim::{AccountClaim, NumberClaim};
use super::disconnection::{Former, LastRelease};
use crate::change::{Change, fail_with, stale};
use crate::expression::Condition;
use crate::item::{NewItem, entity, value};
use crate::{Reads, keys};

impl Reads {
    /// Returns the profile that the organization had for an account that it has released.
    pub async fn former_profile(
        &self,
        mode: Mode,
        platform_id: &str,
    ) -> Result<Option<ChatBusinessProfileId>, Failure> {
        let item = self.table.get(&keys::former_account(&self.organization, mode, platform_id)).await?;
        Ok(item.map(entity::<Former<ChatBusinessProfileId>>).transpose()?.map(|former| former.id))
    }

    /// Returns the number of the organization that a platform number was before it was released.
    pub async fn former_number(&self, mode: Mode, platform_id: &str) -> Result<Option<ChatPhoneNumber>, Failure> {
        let item = self.table.get(&keys::former_number(&self.organization, mode, platform_id)).await?;
        match item.map(entity::<Former<ChatPhoneNumberId>>).transpose()? {
            Some(former) => self.chat_phone_number(&former.id).await,
            None => Ok(None),
        }
    }

    /// Returns until when a live account was another organization's; `None` if it never was, or if this organization was
    /// the last to have it.
    pub async fn was_anothers_until(&self, mode: Mode, platform_id: &str) -> Result<Option<Timestamp>, Failure> {
        if mode == Mode::Test {
            return Ok(None);
        }
        let item = self.table.get(&keys::last_release(platform_id)).await?;
        let last = item.map(entity::<LastRelease>).transpose()?;
        Ok(last.filter(|last| last.organization_id != self.organization).map(|last| last.released_at))
    }
}

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

    /// Requires that nobody has disconnected the account of a profile, or is disconnecting it.
    pub fn require_connected(&mut self, profile: &ChatBusinessProfileId) {
        let connected = Condition::new(
            "attribute_exists(PK) AND attribute_not_exists(#releasingSince) AND attribute_not_exists(#releasedAt)",
        );
        let message = "The account of this number was disconnected. Connect it again first.";
        let key = keys::chat_business_profile(&self.organization, profile);
        self.require(key, connected, fail_with(move || Failure::conflict(message)));
    }

    /// Claims a number again that the organization had before, and writes it under its profile, which may be another one
    /// than before. Stale if the number has changed, or if somebody has claimed it.
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
