//! The deletion of a whole organization: its record, and the lists that it consists of. Lists are emptied from their
//! beginning, one page at a time, so a deletion needs no position: a repetition finds the rest.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, Group};
use domain::deletion::Deletion;
use domain::id::{AppId, ChatBusinessProfileId, ChatPhoneNumberId, Identifier as _, MediaId};
use domain::message::MessageId;
use domain::number::NumberId;
use domain::testing::playground::platform_id_of_simulated;
use domain::{Failure, Mode, Timestamp};
use serde::Deserialize;

use super::contact::stored_identities;
use crate::engine::bulk::BULK_WRITES;
use crate::engine::change::{Change, Refused, absent_or, stale};
use crate::engine::commit::Committed;
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{Item, NewItem, SORT, entities, entity, key_of, number as number_value, value};
use crate::engine::table::Range;
use crate::keys::{self, Key};
use crate::testing::playground::{GivenOut, Role};
use crate::{OrganizationStore, Reads};

/// The number of objects per page. With two items each, they fit into one transaction.
const PAGE: usize = BULK_WRITES / 2;

/// The part of an app that a deletion reads: damage to other fields does not matter.
#[derive(Deserialize)]
struct AppNamed {
    id: AppId,
}

impl Reads {
    /// Returns the deletion of the organization, which may be done.
    pub async fn deletion(&self) -> Result<Option<Deletion>, Failure> {
        self.table.get(&keys::deletion(&self.organization)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Returns the ids of all apps of a mode. Limits keep the list short.
    pub async fn app_ids(&self, mode: Mode) -> Result<Vec<AppId>, Failure> {
        let apps: Vec<AppNamed> =
            entities(self.table.query(Range::whole(keys::apps(&self.organization, mode))).await?)?;
        Ok(apps.into_iter().map(|app| app.id).collect())
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
        while self.empty_list(keys::history(&self.organization, &number.id)).await? > 0 {}
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

    /// Deletes a page of the templates of a profile, and returns their number. Several templates can have the same name.
    pub async fn delete_templates(&self, profile: &ChatBusinessProfileId) -> Result<u64, Failure> {
        let mut deleted = 0;
        for partition in 0..keys::TEMPLATE_PARTITIONS {
            let items = self.first(keys::templates(&self.organization, profile, partition)).await?;
            let changes: Vec<Change> = items.iter().filter_map(|item| self.template_deleted(profile, item)).collect();
            deleted += changes.len() as u64;
            self.table.commit_packed(changes).await?;
        }
        Ok(deleted)
    }

    fn template_deleted(&self, profile: &ChatBusinessProfileId, item: &Item) -> Option<Change> {
        let mut change = Change::new(&self.organization);
        change.delete_any(key_of(item)?);
        let text = |name| item.get(name).and_then(|text: &AttributeValue| text.as_s().ok());
        if let Some((name, language)) = text("name").zip(text("language")) {
            let named = keys::template_named(&self.organization, profile, name, language);
            named.into_iter().for_each(|key| change.delete_any(key));
        }
        Some(change)
    }

    /// Returns a page of the messages of a number after a position, each with its position.
    pub async fn page_of_messages(
        &self,
        number: &NumberId,
        after: Option<&str>,
    ) -> Result<Vec<(String, MessageId)>, Failure> {
        self.messages_after(number, after, PAGE).await
    }

    /// Deletes the items of a number's contacts under these identities.
    pub async fn delete_contacts(&self, number: &ChatPhoneNumberId, identities: &[String]) -> Result<(), Failure> {
        let deleted = stored_identities(identities).into_iter().map(|identity| {
            let mut change = Change::new(&self.organization);
            change.delete_any(keys::contact(&self.organization, number, &identity));
            change.delete_any(keys::contact_of_number(&self.organization, number, &identity));
            change
        });
        self.table.commit_packed(deleted).await
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

    /// Deletes the rest of the list of a number's groups, which were deleted before.
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

    /// Deletes as many items of a partition as a transaction can, and returns their number.
    async fn empty_list(&self, partition: String) -> Result<usize, Failure> {
        let items = self.table.query(Range { limit: Some(BULK_WRITES), ..Range::whole(partition) }).await?;
        let found: Vec<Key> = items.iter().filter_map(key_of).collect();
        let mut change = Change::new(&self.organization);
        found.iter().for_each(|key| change.delete_any(key.clone()));
        self.table.commit(&change).await?;
        Ok(found.len())
    }

    pub(super) async fn first(&self, partition: String) -> Result<Vec<Item>, Failure> {
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
    /// Begins the deletion: from now on, no object with a limit can be created, and the operator can create no
    /// credentials. Stale if a deletion has begun.
    pub fn begin_deletion(&mut self, begun: &Deletion, now: Timestamp) -> Result<(), Failure> {
        self.create(NewItem::new(&keys::deletion(&self.organization), begun)?, stale());
        let organization = Update::new(keys::organization(&self.organization)).set("deletedAt", &now)?.if_present();
        let missing = || Failure::not_found("organizationId", "organization");
        self.update(organization, absent_or(missing, |_| Refused::Stale));
        self.close_counters();
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
