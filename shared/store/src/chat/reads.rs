//! The reads of chat that are allowed before a credential is verified: single items, by their full keys. Sending a
//! message reads its number, the number's account, and the template, group and messages that it refers to.

use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, Group, OnboardingLink};
use domain::id::{ChatBusinessProfileId, ChatGroupId, ChatMessageId, ChatPhoneNumberId, OnboardingLinkId};
use domain::{Failure, Mode, Timestamp};

use super::claim::{AccountClaim, NumberClaim};
use super::contact::KnownContact;
use super::disconnection::{Former, LastRelease};
use super::group::{GroupReference, RequestedGroup};
use super::message::{MessageReference, NamedMessage};
use super::sync::SyncRun;
use super::template::{Buried, StoredTemplate};
use crate::engine::item::entity;
use crate::{Reads, keys};

impl Reads {
    pub async fn chat_phone_number(&self, id: &ChatPhoneNumberId) -> Result<Option<ChatPhoneNumber>, Failure> {
        self.table.get(&keys::chat_phone_number(&self.organization, id)).await?.map(entity).transpose()
    }

    pub async fn chat_business_profile(
        &self,
        id: &ChatBusinessProfileId,
    ) -> Result<Option<ChatBusinessProfile>, Failure> {
        let item = self.table.get(&keys::chat_business_profile(&self.organization, id)).await?;
        let found: Option<ChatBusinessProfile> = item.map(entity).transpose()?;
        // The key contains only the mode and the ksuid, so several ids lead to the same item.
        Ok(found.filter(|profile| profile.id == *id))
    }

    pub async fn template(&self, profile: &ChatBusinessProfileId, id: &str) -> Result<Option<StoredTemplate>, Failure> {
        self.table
            .get(&keys::template(&self.organization, profile, id))
            .await?
            .map(StoredTemplate::try_from)
            .transpose()
    }

    /// Returns the template with this name and language. `None` if there is none, or if no sync has reported it since
    /// templates have items by name.
    pub async fn template_named(
        &self,
        profile: &ChatBusinessProfileId,
        name: &str,
        language: &str,
    ) -> Result<Option<StoredTemplate>, Failure> {
        match keys::template_named(&self.organization, profile, name, language) {
            Some(key) => self.table.get(&key).await?.map(StoredTemplate::try_from).transpose(),
            None => Ok(None),
        }
    }

    /// Returns when the platform deleted the template, if it reported that recently.
    pub async fn template_buried_at(
        &self,
        profile: &ChatBusinessProfileId,
        id: &str,
    ) -> Result<Option<Timestamp>, Failure> {
        let item = self.table.get(&keys::buried_template(&self.organization, profile, id)).await?;
        Ok(item.map(entity::<Buried>).transpose()?.map(|buried| buried.at))
    }

    /// Returns the id of the group that has this id at the platform.
    pub async fn group_id_of_platform(
        &self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
    ) -> Result<Option<ChatGroupId>, Failure> {
        let item = self.table.get(&keys::group_of_platform(&self.organization, number, platform_id)).await?;
        let reference = item.filter(|item| item.contains_key("groupId")).map(entity::<GroupReference>).transpose()?;
        Ok(reference.map(|reference| reference.group_id))
    }

    pub async fn group(&self, id: &ChatGroupId) -> Result<Option<Group>, Failure> {
        self.table.get(&keys::group(&self.organization, id)).await?.map(entity).transpose()
    }

    /// Returns the group that has this id at the platform.
    pub async fn group_of_platform(
        &self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
    ) -> Result<Option<Group>, Failure> {
        match self.group_id_of_platform(number, platform_id).await? {
            None => Ok(None),
            Some(id) => self.group(&id).await,
        }
    }

    /// Returns the updates about a group that arrived before it was known.
    pub async fn early_group_news(
        &self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
    ) -> Result<Vec<String>, Failure> {
        let item = self
            .table
            .get(&keys::group_of_platform(&self.organization, number, platform_id))
            .await?
            .unwrap_or_default();
        Ok(item.get("news").and_then(|news| news.as_ss().ok()).cloned().unwrap_or_default())
    }

    /// Returns the group of a request to the platform, or the early notification about it.
    pub async fn requested_group(
        &self,
        number: &ChatPhoneNumberId,
        request_id: &str,
    ) -> Result<Option<RequestedGroup>, Failure> {
        let Some(item) = self.table.get(&keys::group_of_request(&self.organization, number, request_id)).await? else {
            return Ok(None);
        };
        if item.contains_key("groupId") {
            return Ok(Some(RequestedGroup::Known(entity::<GroupReference>(item)?.group_id)));
        }
        Ok(Some(RequestedGroup::Early(entity(item)?)))
    }

    /// Returns the item stored under the platform's id of a message.
    pub async fn message_of_platform(
        &self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
    ) -> Result<Option<NamedMessage>, Failure> {
        let item = self.table.get(&keys::message_of_platform(&self.organization, number, platform_id)).await?;
        let Some(item) = item else { return Ok(None) };
        if item.contains_key("messageId") {
            return Ok(Some(NamedMessage::Known(entity::<MessageReference>(item)?.message_id)));
        }
        Ok(Some(NamedMessage::Early(entity(item)?)))
    }

    /// Returns the id of the message that has this id at the platform.
    pub async fn message_id_of_platform(
        &self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
    ) -> Result<Option<ChatMessageId>, Failure> {
        match self.message_of_platform(number, platform_id).await? {
            Some(NamedMessage::Known(id)) => Ok(Some(id)),
            Some(NamedMessage::Early(_)) | None => Ok(None),
        }
    }

    /// Returns the contact whose record is stored under this identity; aliases are not followed.
    pub async fn contact(&self, of: &ChatPhoneNumberId, identity: &str) -> Result<Option<KnownContact>, Failure> {
        let item = self.table.get(&keys::contact(&self.organization, of, identity)).await?;
        item.filter(|item| !item.contains_key("sameAs")).map(entity).transpose()
    }

    pub async fn sync_run(&self, profile: &ChatBusinessProfileId, dry_run: bool) -> Result<Option<SyncRun>, Failure> {
        self.table.get(&keys::template_sync(&self.organization, profile, dry_run)).await?.map(entity).transpose()
    }

    pub async fn onboarding_link(&self, id: &OnboardingLinkId) -> Result<Option<OnboardingLink>, Failure> {
        self.table.get(&keys::onboarding_link(&self.organization, id)).await?.map(entity).transpose()
    }

    /// Returns the owner of a platform account: of a live one in any organization, of a simulated one within this
    /// organization.
    pub async fn platform_account(&self, mode: Mode, platform_id: &str) -> Result<Option<AccountClaim>, Failure> {
        self.table.get(&keys::platform_account(&self.organization, mode, platform_id)).await?.map(entity).transpose()
    }

    /// Returns the owner of a platform number: of a live one in any organization, of a simulated one within this
    /// organization.
    pub async fn platform_number(&self, mode: Mode, platform_id: &str) -> Result<Option<NumberClaim>, Failure> {
        self.table.get(&keys::platform_number(&self.organization, mode, platform_id)).await?.map(entity).transpose()
    }

    /// Returns the profile that the organization had for an account that it has released.
    pub async fn former_profile(
        &self,
        mode: Mode,
        platform_id: &str,
    ) -> Result<Option<ChatBusinessProfileId>, Failure> {
        let item = self.table.get(&keys::former_account(&self.organization, mode, platform_id)).await?;
        Ok(item.map(entity::<Former<ChatBusinessProfileId>>).transpose()?.map(|former| former.id))
    }

    /// Returns the organization's former number for a platform number that it has released.
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
