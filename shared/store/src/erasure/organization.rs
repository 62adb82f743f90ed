//! The deletion of a whole organization: its record, and the lists that it consists of. Lists are emptied from their
//! beginning, a page at a time, so a deletion needs no position: whoever repeats it finds what is left.

use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, Group, OnboardingLink};
use domain::credential_kind::CredentialKind;
use domain::deletion::Deletion;
use domain::id::{ChatBusinessProfileId, ChatPhoneNumberId, Identifier as _, MediaId};
use domain::key::AdminKey;
use domain::message::MessageId;
use domain::number::NumberId;
use domain::playground::platform_id_of_simulated;
use domain::{Failure, Mode, Timestamp};

use super::contact::stored_identities;
use crate::change::{Change, Refused, absent_or, stale};
use crate::commit::Committed;
use crate::expression::{Condition, Update};
use crate::item::{NewItem, SORT, entities, entity, key_of, number as number_value, value};
use crate::keys::{self, Key};
use crate::organization::Counter;
use crate::playground::{GivenOut, Role};
use crate::table::Range;
use crate::{OrganizationStore, Reads, StoredTemplate};

/// How many items a page deletes.
const PAGE: usize = 50;
/// The value of the counters of an organization that is being deleted: more than any limit.
const CLOSED: i64 = 1_000_000_000;

impl Reads {
    /// Returns the deletion of the organization, which may be done.
    pub async fn deletion(&self) -> Result<Option<Deletion>, Failure> {
        self.table.get(&keys::deletion(&self.organization)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Deletes a page of admin keys with their credentials, and returns whether there were any.
    pub async fn delete_admin_keys(&self, mode: Mode) -> Result<bool, Failure> {
        let found: Vec<AdminKey> = entities(self.first(keys::admin_keys(&self.organization, mode)).await?)?;
        let mut change = Change::new(&self.organization);
        for key in &found {
            change.delete_any(keys::admin_key(&self.organization, &key.id));
            change.delete_credential(CredentialKind::AdminKey, &key.value_hash);
        }
        self.table.commit(&change).await?;
        Ok(!found.is_empty())
    }

    /// Deletes a page of onboarding links with their credentials, and returns whether there were any.
    pub async fn delete_onboarding_links(&self, mode: Mode) -> Result<bool, Failure> {
        let found: Vec<OnboardingLink> = entities(self.first(keys::onboarding_links(&self.organization, mode)).await?)?;
        let mut change = Change::new(&self.organization);
        change.delete_any(keys::open_onboarding_links(&self.organization));
        for link in &found {
            change.delete_any(keys::onboarding_link(&self.organization, &link.id));
            change.delete_credential(CredentialKind::OnboardingLink, &link.token_hash);
        }
        self.table.commit(&change).await?;
        Ok(!found.is_empty())
    }

    /// Deletes a chat phone number with its entry in its profile's list and its claim. Its id is remembered, because its
    /// messages remain.
    pub async fn delete_chat_number(&self, number: &ChatPhoneNumber, now: Timestamp) -> Result<(), Failure> {
        let mode = number.id.mode();
        let mut change = Change::new(&self.organization);
        change.delete_any(keys::chat_phone_number(&self.organization, &number.id));
        change.delete_any(keys::chat_phone_number_of_profile(
            &self.organization,
            &number.business_profile.id,
            &number.id,
        ));
        let platform_id = &number.provider_phone_number_id;
        let claim = self.platform_number(mode, platform_id).await?;
        if claim.is_some_and(|claim| claim.organization_id == self.organization && claim.number_id == number.id) {
            self.delete_claim(&mut change, keys::platform_number(&self.organization, mode, platform_id))?;
        }
        change.remember_former_numbers(number.id.as_str(), vec![number.id.to_string()], now)?;
        self.settled(&change).await?;
        while self.empty_list(keys::simulated_state(&self.organization, platform_id)).await? > 0 {}
        Ok(())
    }

    /// Deletes a profile with its claim. Its numbers and templates were deleted before.
    pub async fn delete_profile(&self, profile: &ChatBusinessProfile) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        change.delete_any(keys::chat_business_profile(&self.organization, &profile.id));
        for dry_run in [false, true] {
            change.delete_any(keys::template_sync(&self.organization, &profile.id, dry_run));
        }
        let claim = self.platform_account(profile.mode, &profile.provider_waba_id).await?;
        if claim.is_some_and(|claim| claim.organization_id == self.organization && claim.profile_id == profile.id) {
            let key = keys::platform_account(&self.organization, profile.mode, &profile.provider_waba_id);
            self.delete_claim(&mut change, key)?;
        }
        self.settled(&change).await
    }

    fn delete_claim(&self, change: &mut Change, key: Key) -> Result<(), Failure> {
        let own = Condition::new("#organizationId = :own").value(":own", value(&self.organization)?);
        change.delete(key, own, stale());
        Ok(())
    }

    /// Deletes a page of the templates of a profile, and returns their number.
    pub async fn delete_templates(&self, profile: &ChatBusinessProfileId) -> Result<u64, Failure> {
        let mut deleted = 0;
        for partition in 0..keys::TEMPLATE_PARTITIONS {
            let items = self.first(keys::templates(&self.organization, profile, partition)).await?;
            let mut change = Change::new(&self.organization);
            for item in items {
                let Some(key) = key_of(&item) else { continue };
                let template = StoredTemplate::try_from(item)?.template;
                change.delete_any(key);
                if let Some((name, language)) = template.name.as_deref().zip(template.language.as_deref()) {
                    let named = keys::template_named(&self.organization, profile, name, language);
                    named.into_iter().for_each(|key| change.delete_any(key));
                }
                deleted += 1;
            }
            self.table.commit(&change).await?;
        }
        Ok(deleted)
    }

    /// Returns the first messages of a number, a page at most.
    pub async fn first_messages(&self, number: &NumberId) -> Result<Vec<MessageId>, Failure> {
        Ok(self.messages_after(number, (None, PAGE)).await?.into_iter().map(|(_, id)| id).collect())
    }

    /// Deletes what is stored of contacts of a number under these identities.
    pub async fn delete_contacts(&self, number: &ChatPhoneNumberId, identities: &[String]) -> Result<(), Failure> {
        for identities in stored_identities(identities).chunks(PAGE / 2) {
            let mut change = Change::new(&self.organization);
            for identity in identities {
                change.delete_any(keys::contact(&self.organization, number, identity));
                change.delete_any(keys::contact_of_number(&self.organization, number, identity));
            }
            self.table.commit(&change).await?;
        }
        Ok(())
    }

    /// Deletes a page of the contacts of a number that never wrote, and returns whether there were any.
    pub async fn delete_listed_contacts(&self, number: &ChatPhoneNumberId) -> Result<bool, Failure> {
        let items = self.first(keys::contacts_of_number(&self.organization, number)).await?;
        let listed = items.iter().filter_map(|item| item.get(SORT)?.as_s().ok().cloned());
        let listed: Vec<String> = listed.collect();
        self.delete_contacts(number, &listed).await?;
        Ok(!listed.is_empty())
    }

    /// Deletes the item of a medium, whose bytes were deleted before.
    pub async fn delete_media_item(&self, id: &MediaId) -> Result<(), Failure> {
        let mut change = Change::new(&self.organization);
        change.delete_any(keys::media(&self.organization, id));
        self.table.commit(&change).await.map(|_| ())
    }

    /// Deletes a group with everything that refers to it.
    pub async fn delete_group(&self, group: &Group) -> Result<(), Failure> {
        let number = &group.chat_phone_number_id;
        let mut change = Change::new(&self.organization);
        change.delete_any(keys::group(&self.organization, &group.id));
        change.delete_any(keys::group_of_number(&self.organization, number, &group.id));
        change.delete_any(keys::group_of_request(&self.organization, number, &group.provider_request_id));
        change.forget_platform_group(group);
        if let Some(platform_id) = &group.provider_group_id {
            change.delete_any(keys::simulated_joins(&self.organization, platform_id));
        }
        self.settled(&change).await
    }

    /// Deletes what is left of the list of a number's groups, which were deleted before.
    pub async fn delete_list_of_groups(&self, number: &ChatPhoneNumberId) -> Result<(), Failure> {
        self.empty_lists(vec![keys::groups_of_number(&self.organization, number)]).await
    }

    /// Deletes the remaining lists of the organization itself; the ids of its former numbers are the last.
    pub async fn delete_own_lists(&self) -> Result<(), Failure> {
        let given: Vec<GivenOut> =
            entities(self.table.query(Range::whole(keys::playground_numbers(&self.organization))).await?)?;
        let systems = given.into_iter().filter(|given| given.role == Role::System);
        let mut lists: Vec<String> = systems
            .map(|given| keys::simulated_state(&self.organization, platform_id_of_simulated(&given.number)))
            .collect();
        lists.extend(keys::lists_of_organization(&self.organization));
        lists.push(keys::former_numbers(&self.organization));
        self.empty_lists(lists).await
    }

    async fn empty_lists(&self, lists: Vec<String>) -> Result<(), Failure> {
        for list in lists {
            while self.empty_list(list.clone()).await? > 0 {}
        }
        Ok(())
    }

    /// Deletes a page of the items of a partition, and returns their number.
    async fn empty_list(&self, partition: String) -> Result<usize, Failure> {
        let found: Vec<Key> = self.first(partition).await?.iter().filter_map(key_of).collect();
        let mut change = Change::new(&self.organization);
        found.iter().for_each(|key| change.delete_any(key.clone()));
        self.table.commit(&change).await?;
        Ok(found.len())
    }

    async fn first(&self, partition: String) -> Result<Vec<crate::item::Item>, Failure> {
        self.table.query(Range { limit: Some(PAGE), ..Range::whole(partition) }).await
    }

    async fn settled(&self, change: &Change) -> Result<(), Failure> {
        match self.table.commit(change).await? {
            Committed::Stale => Err(Failure::conflict("Something changed during the deletion. Repeat the request.")),
            _ => Ok(()),
        }
    }
}

impl Change {
    /// Begins the deletion: from now on, no object that is limited in number can be created, and the operator can create no
    /// credentials. Stale if a deletion has begun.
    pub fn begin_deletion(&mut self, begun: &Deletion, now: Timestamp) -> Result<(), Failure> {
        self.create(NewItem::new(&keys::deletion(&self.organization), begun)?, stale());
        let organization = Update::new(keys::organization(&self.organization)).set("deletedAt", &now)?.if_present();
        let missing = || Failure::not_found("organizationId", "organization");
        self.update(organization, absent_or(missing, |_| Refused::Stale));
        let closed =
            Counter::ALL.into_iter().fold(Update::new(keys::counters(&self.organization)), |update, counter| {
                update.set_value(counter.attribute(), number_value(CLOSED))
            });
        self.update(closed, crate::change::never());
        Ok(())
    }

    /// Records the progress of a deletion. Stale if another invocation has recorded progress.
    pub fn advance_deletion(&mut self, before: &Deletion, after: &Deletion) -> Result<(), Failure> {
        let update = Update::between(keys::deletion(&self.organization), before, after, &[])?;
        self.update(
            update.when("#revision = :seenRevision").value(":seenRevision", number_value(before.revision)),
            stale(),
        );
        Ok(())
    }

    /// Deletes the organization itself, whose slug becomes free.
    pub fn delete_organization(&mut self, slug: &str) {
        self.delete_any(keys::counters(&self.organization));
        self.delete_any(keys::organization(&self.organization));
        self.delete_any(keys::organization_slug(slug));
    }
}
