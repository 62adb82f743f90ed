//! Chat phone numbers, their claims on platform numbers, and the copies of them that their profiles list.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::attention::NeedKind;
use domain::chat::{ChatPhoneNumber, ProfileNumber};
use domain::id::{AppId, ChatBusinessProfileId, ChatPhoneNumberId, Identifier as _};
use domain::number::APPS_PER_NUMBER;
use domain::testing::playground::{SimulatedChatNumber, platform_id_of_simulated};
use domain::{E164, Failure, Mode};

use super::claim::NumberClaim;
use crate::attention::Needing as _;
use crate::engine::change::{Change, Refused, fail_with, never, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, entities, number as number_value, value};
use crate::engine::page::{Page, PageRequest};
use crate::engine::table::Range;
use crate::limits::counter::Counter;
use crate::{OrganizationStore, keys};

impl OrganizationStore {
    pub async fn chat_phone_numbers(
        &self,
        modes: &[Mode],
        page: &PageRequest,
    ) -> Result<Page<ChatPhoneNumber>, Failure> {
        let partitions = modes.iter().map(|&mode| keys::chat_phone_numbers(&self.organization, mode)).collect();
        self.table.page(partitions, page).await
    }

    /// Returns a page of a profile's numbers, newest first.
    pub async fn chat_phone_numbers_of_profile(
        &self,
        profile: &ChatBusinessProfileId,
        page: &PageRequest,
    ) -> Result<Page<ChatPhoneNumber>, Failure> {
        let shown: Page<ProfileNumber> =
            self.table.page(vec![keys::chat_phone_numbers_of_profile(&self.organization, profile)], page).await?;
        let ids: Vec<_> = shown.items.into_iter().map(|number| number.id).collect();
        Ok(Page { items: self.chat_phone_numbers_by_id(&ids).await?, next: shown.next })
    }

    /// Returns the organization's number with these digits. Reads all its numbers, of which there are up to 1,000.
    pub async fn chat_phone_number_with_digits(
        &self,
        mode: Mode,
        digits: &E164,
    ) -> Result<Option<ChatPhoneNumber>, Failure> {
        let all = self.table.query(Range::whole(keys::chat_phone_numbers(&self.organization, mode))).await?;
        let all: Vec<ChatPhoneNumber> = entities(all)?;
        Ok(all.into_iter().find(|number| number.display_phone_number == *digits))
    }

    /// Returns all numbers of a profile with all their fields, oldest first.
    pub async fn whole_numbers_of_profile(
        &self,
        profile: &ChatBusinessProfileId,
    ) -> Result<Vec<ChatPhoneNumber>, Failure> {
        let shown = self.numbers_of_profile(profile).await?;
        let ids: Vec<_> = shown.into_iter().map(|number| number.id).collect();
        self.chat_phone_numbers_by_id(&ids).await
    }

    /// Returns all numbers of a profile as the profile lists them, oldest first.
    pub async fn numbers_of_profile(&self, profile: &ChatBusinessProfileId) -> Result<Vec<ProfileNumber>, Failure> {
        entities(
            self.table.query(Range::whole(keys::chat_phone_numbers_of_profile(&self.organization, profile))).await?,
        )
    }

    /// Returns those of `ids` that exist, in the same order.
    pub async fn chat_phone_numbers_by_id(&self, ids: &[ChatPhoneNumberId]) -> Result<Vec<ChatPhoneNumber>, Failure> {
        let keys: Vec<_> = ids.iter().map(|id| keys::chat_phone_number(&self.organization, id)).collect();
        let mut numbers: Vec<ChatPhoneNumber> = entities(self.table.get_all(&keys).await?)?;
        numbers.sort_by_key(|number| ids.iter().position(|id| *id == number.id));
        Ok(numbers)
    }

    /// Returns the chat numbers assigned to an app: first the one that was created with the app, then the others,
    /// oldest first.
    pub async fn chat_phone_numbers_of_app(&self, app: &AppId) -> Result<Vec<ChatPhoneNumber>, Failure> {
        let Some(app) = self.app(app).await? else { return Ok(Vec::new()) };
        let ids: Vec<ChatPhoneNumberId> = app.numbers.iter().filter_map(|id| id.parse().ok()).collect();
        let mut numbers = self.chat_phone_numbers_by_id(&ids).await?;
        let is_other =
            |number: &ChatPhoneNumber| app.simulated_chat_number.as_ref().is_none_or(|own| own.id != number.id);
        numbers.sort_by(|a, b| (is_other(a), a.id.ksuid()).cmp(&(is_other(b), b.id.ksuid())));
        Ok(numbers)
    }
}

impl Change {
    /// Creates a number with its claim on the platform number, and assigns it to `apps`, each with the request field
    /// that names it. If the same number already holds the claim, the change is already done.
    pub fn create_chat_phone_number(
        &mut self,
        number: &ChatPhoneNumber,
        apps: &[(AppId, String)],
    ) -> Result<(), Failure> {
        // First, because a taken number is reported before a reached limit.
        self.create_playground_number(number)?;
        for (app, param) in apps {
            self.add_number_to_app(app, number.id.as_str(), param);
        }
        self.count(Counter::ChatPhoneNumbers, number.id.mode());
        Ok(())
    }

    /// Creates a number without counting it. Each test app is created with one simulated number, so the limit on apps
    /// also limits these numbers.
    pub fn create_playground_number(&mut self, number: &ChatPhoneNumber) -> Result<(), Failure> {
        let claim = NumberClaim {
            organization_id: self.organization.clone(),
            profile_id: number.business_profile.id.clone(),
            number_id: number.id.clone(),
        };
        let key = keys::platform_number(&self.organization, number.id.mode(), &number.provider_phone_number_id);
        let own = value(&number.id)?;
        self.create(
            NewItem::new(&key, &claim)?,
            Box::new(move |item| match item {
                Some(item) if item.get("numberId") == Some(&own) => Refused::AlreadyDone,
                _ => Refused::With(Failure::already_exists(
                    "providerPhoneNumberId",
                    "This WhatsApp number is already connected.",
                )),
            }),
        );

        self.attend(&[], &number.needs())?;
        self.show_in_profile(number)?;
        let item = NewItem::new(&keys::chat_phone_number(&self.organization, &number.id), number)?.string_set("apps");
        self.create(item, fail_with(|| Failure::internal("a newly minted chat phone number id already exists")));
        Ok(())
    }

    /// Deletes the simulated number of a test app with its claim and its entry in the playground profile. Stale if it
    /// has changed since it was read or, if it was not read, if it has another app.
    pub(crate) fn delete_simulated_number(
        &mut self,
        number: &SimulatedChatNumber,
        app: &AppId,
        seen: Option<&ChatPhoneNumber>,
    ) {
        let as_seen = match seen {
            Some(seen) => Condition::new("#revision = :revision").value(":revision", number_value(seen.revision)),
            None => Condition::new("attribute_not_exists(#apps) OR #apps = :only")
                .value(":only", AttributeValue::Ss(vec![app.to_string()])),
        };
        let platform_id = platform_id_of_simulated(&number.display_phone_number);
        let profile = ChatBusinessProfileId::of_playground(&self.organization);
        self.delete(keys::chat_phone_number(&self.organization, &number.id), as_seen, stale());
        self.delete_any(keys::platform_number(&self.organization, Mode::Test, platform_id));
        self.delete_any(keys::chat_phone_number_of_profile(&self.organization, &profile, &number.id));
        self.forget_needs(&[NeedKind::NumberQualityLow], number.id.as_str());
    }

    /// Moves a number to another profile of the organization, with its claim and its entry in the profile's list.
    pub fn move_chat_phone_number(
        &mut self,
        before: &ChatPhoneNumber,
        after: &ChatPhoneNumber,
        new_apps: &[(AppId, String)],
    ) -> Result<(), Failure> {
        let claim =
            Update::new(keys::platform_number(&self.organization, before.id.mode(), &before.provider_phone_number_id))
                .set("profileId", &after.business_profile.id)?
                .when("#numberId = :own")
                .value(":own", value(&before.id)?);
        self.update(claim, stale());
        self.delete_any(keys::chat_phone_number_of_profile(
            &self.organization,
            &before.business_profile.id,
            &before.id,
        ));
        self.show_in_profile(after)?;
        self.write_chat_phone_number(before, after, new_apps)
    }

    /// Writes the number's entry in its profile's list. The entry holds the fields that the profile shows of the
    /// number, so that one query reads all of them.
    pub(super) fn show_in_profile(&mut self, number: &ChatPhoneNumber) -> Result<(), Failure> {
        let key = keys::chat_phone_number_of_profile(&self.organization, &number.business_profile.id, &number.id);
        self.put(NewItem::new(&key, &ProfileNumber::from(number))?);
        Ok(())
    }

    /// Writes the differences between two states of a number and assigns it to `new_apps`, all or none. Its other apps
    /// stay as they are.
    pub fn update_chat_phone_number(
        &mut self,
        before: &ChatPhoneNumber,
        after: &ChatPhoneNumber,
        new_apps: &[(AppId, String)],
    ) -> Result<(), Failure> {
        let shown = [ProfileNumber::from(before), ProfileNumber::from(after)];
        if shown[0] != shown[1] {
            let key = keys::chat_phone_number_of_profile(&self.organization, &after.business_profile.id, &after.id);
            self.update(Update::between(key, &shown[0], &shown[1], &[])?, never());
        }
        self.write_chat_phone_number(before, after, new_apps)
    }

    pub(super) fn write_chat_phone_number(
        &mut self,
        before: &ChatPhoneNumber,
        after: &ChatPhoneNumber,
        new_apps: &[(AppId, String)],
    ) -> Result<(), Failure> {
        let key = keys::chat_phone_number(&self.organization, &before.id);
        let mut update = Update::between(key, before, after, &["apps"])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number_value(before.revision));
        if !new_apps.is_empty() {
            if before.apps.len() + new_apps.len() > APPS_PER_NUMBER as usize {
                let message = format!("A phone number may be assigned to at most {APPS_PER_NUMBER} apps.");
                return Err(Failure::limit("appIds", message));
            }
            update = update.add_members("apps", new_apps.iter().map(|(app, _)| app.to_string()).collect());
        }
        for (app, param) in new_apps {
            self.add_number_to_app(app, before.id.as_str(), param);
        }
        self.update(update, stale());
        self.attend(&before.needs(), &after.needs())
    }
}
