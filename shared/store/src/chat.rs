//! Chat messages, and the playground profile with its simulated numbers.

use domain::Failure;
use domain::chat::{ChatBusinessProfile, ChatMessage, ChatPhoneNumber};
use domain::id::{AppId, ChatPhoneNumberId, OrganizationId};

use crate::change::{Change, fail_with, never};
use crate::expression::Update;
use crate::item::{NewItem, entities};
use crate::{Store, keys};

impl Change {
    pub fn create_chat_message(&mut self, o: &OrganizationId, message: &ChatMessage) -> Result<(), Failure> {
        self.create_entity(&keys::chat_message(o, &message.id), message)?;
        let key = keys::chat_message_of_number(o, &message.chat_phone_number_id, &message.id);
        self.create_entity(&key, message)
    }

    /// The playground profile, made with the first test app and left as it is by the others.
    pub fn ensure_playground_profile(
        &mut self,
        o: &OrganizationId,
        profile: &ChatBusinessProfile,
    ) -> Result<(), Failure> {
        let update = Update::new(keys::chat_business_profile(o, profile.mode, &profile.id))
            .set_if_absent("id", &profile.id)?
            .set_if_absent("mode", &profile.mode)?
            .set_if_absent("providerWabaId", &profile.provider_waba_id)?
            .set_if_absent("businessName", &profile.business_name)?
            .set_if_absent("createdAt", &profile.created_at)?
            .set_if_absent("updatedAt", &profile.updated_at)?
            .set_if_absent("v", &1)?;
        self.update(update, never());
        Ok(())
    }

    pub fn create_chat_phone_number(&mut self, o: &OrganizationId, number: &ChatPhoneNumber) -> Result<(), Failure> {
        let item = NewItem::new(&keys::chat_phone_number(o, &number.id), number)?.string_set("apps");
        self.create(item, fail_with(|| Failure::internal("a fresh chat phone number id exists already")));
        Ok(())
    }
}

impl Store {
    /// The chat numbers assigned to an app: the one it was born with, then the oldest first.
    pub async fn chat_phone_numbers_of_app(
        &self,
        o: &OrganizationId,
        app: &AppId,
    ) -> Result<Vec<ChatPhoneNumber>, Failure> {
        let Some(app) = self.app(o, app).await? else { return Ok(Vec::new()) };
        let ids = app.numbers.iter().filter_map(|id| id.parse::<ChatPhoneNumberId>().ok());
        let keys: Vec<_> = ids.map(|id| keys::chat_phone_number(o, &id)).collect();
        let mut numbers: Vec<ChatPhoneNumber> = entities(self.table.get_all(&keys).await?)?;
        let is_other = |number: &ChatPhoneNumber| app.simulated_chat_number.as_ref() != Some(&number.id);
        numbers.sort_by(|a, b| (is_other(a), a.id.ksuid()).cmp(&(is_other(b), b.id.ksuid())));
        Ok(numbers)
    }
}
