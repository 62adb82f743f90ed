//! Recounting an organization's objects before a limit refuses one on the basis of counters that another version has
//! changed ([ADR 47](../../../../docs/adr/0047-counters-by-mode.md)). A recount is stored only if the counters are
//! unchanged since the refusal: every object that is created or deleted in the meantime changes them.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::testing::playground::platform_id_of_simulated;
use domain::{Failure, Mode};

use crate::engine::expression::Update;
use crate::engine::item::{entities, number};
use crate::engine::table::{Range, Table};
use crate::keys;
use crate::limits::counter::Counter;
use crate::limits::doubt::{About, Doubt};

/// Returns whether a profile is counted. The playground profile is not.
pub(crate) fn counts_profile(organization: &OrganizationId, profile: &ChatBusinessProfile) -> bool {
    profile.id != ChatBusinessProfileId::of_playground(organization)
}

/// Returns whether a chat number is counted. Numbers that are created with test apps are not, because the limit on apps
/// covers them. They are recognized by their platform id, which is their digits.
pub(crate) fn counts_chat_number(number: &ChatPhoneNumber) -> bool {
    let is_of_app = number.provider_phone_number_id == platform_id_of_simulated(&number.display_phone_number);
    number.id.mode() == Mode::Live || !is_of_app
}

impl Table {
    /// Corrects the data on which a refusal is based, unless it has changed. The caller then retries the change.
    pub(crate) async fn recount(&self, organization: &OrganizationId, doubt: &Doubt) -> Result<(), Failure> {
        let update = match &doubt.about {
            About::Counter(counter, seen) => self.recounted(organization, *counter, seen).await?,
            About::Correctable(update) => Update::clone(update),
        };
        self.try_update(update).await.map(|_| ())
    }

    /// Returns the update that sets counters to the actual numbers of objects.
    async fn recounted(
        &self,
        organization: &OrganizationId,
        counter: Counter,
        seen: &[(&'static str, Option<AttributeValue>)],
    ) -> Result<Update, Failure> {
        let mut update = Update::new(keys::counters(organization));
        for mode in Mode::ALL {
            let count = self.count_objects(organization, counter, mode).await?;
            for attribute in counter.attributes(mode) {
                update = update.set_value(attribute, number(count));
            }
        }
        for (name, value) in seen {
            update = match value {
                Some(value) => update.when(&format!("#{name} = :{name}")).value(&format!(":{name}"), value.clone()),
                None => update.when(&format!("attribute_not_exists(#{name})")),
            };
        }
        Ok(update)
    }

    /// Returns whether there are fewer objects of a mode than the limit allows.
    pub(crate) async fn has_room(
        &self,
        organization: &OrganizationId,
        counter: Counter,
        mode: Mode,
    ) -> Result<bool, Failure> {
        Ok(counter.allows(self.count_objects(organization, counter, mode).await?))
    }

    /// Returns how many objects of a mode are counted.
    async fn count_objects(
        &self,
        organization: &OrganizationId,
        counter: Counter,
        mode: Mode,
    ) -> Result<usize, Failure> {
        let partition = match counter {
            Counter::AdminKeys => keys::admin_keys(organization, mode),
            Counter::Apps => keys::apps(organization, mode),
            Counter::PhoneNumbers => keys::phone_numbers(organization, mode),
            Counter::ChatBusinessProfiles => keys::chat_business_profiles(organization, mode),
            Counter::ChatPhoneNumbers => keys::chat_phone_numbers(organization, mode),
            Counter::PlaygroundUsers => return Err(Failure::internal("playground users exist in one mode only")),
        };
        let items = self.query(Range::whole(partition)).await?;
        Ok(match counter {
            Counter::ChatBusinessProfiles => {
                let profiles: Vec<ChatBusinessProfile> = entities(items)?;
                profiles.iter().filter(|profile| counts_profile(organization, profile)).count()
            }
            Counter::ChatPhoneNumbers => {
                entities::<ChatPhoneNumber>(items)?.iter().filter(|number| counts_chat_number(number)).count()
            }
            Counter::AdminKeys | Counter::Apps | Counter::PhoneNumbers | Counter::PlaygroundUsers => items.len(),
        })
    }
}
