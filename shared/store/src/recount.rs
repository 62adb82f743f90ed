//! Counting an organization's objects anew, before a limit refuses one by counters that another version has changed
//! ([ADR 47](../../../docs/adr/0047-counters-by-mode.md)). A recount takes place only if the counters are still those that
//! refused: whatever is created or deleted meanwhile changes them.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::playground::platform_id_of_simulated;
use domain::{Failure, Mode};

use crate::counter::Counter;
use crate::doubt::{About, Doubt};
use crate::expression::Update;
use crate::item::{entities, number};
use crate::keys;
use crate::table::{Range, Table};

/// Returns whether a profile counts. The playground's does not.
pub(crate) fn counts_profile(organization: &OrganizationId, profile: &ChatBusinessProfile) -> bool {
    profile.id != ChatBusinessProfileId::of_playground(organization)
}

/// Returns whether a chat number counts. Those that test apps are made with do not, because apps are limited: the simulated
/// platform knows them by their digits, as no other number.
pub(crate) fn counts_chat_number(number: &ChatPhoneNumber) -> bool {
    let is_of_app = number.provider_phone_number_id == platform_id_of_simulated(&number.display_phone_number);
    number.id.mode() == Mode::Live || !is_of_app
}

impl Table {
    /// Corrects what a refusal is based on, unless that has changed: then the change is tried again with what it is now.
    pub(crate) async fn recount(&self, organization: &OrganizationId, doubt: &Doubt) -> Result<(), Failure> {
        let update = match &doubt.about {
            About::Counter(counter, seen) => self.recounted(organization, *counter, seen).await?,
            About::Correctable(update) => Update::clone(update),
        };
        self.try_update(update).await.map(|_| ())
    }

    /// Returns the update of counters to what there is.
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

    /// Returns whether there are fewer objects of a mode than there may be.
    pub(crate) async fn has_room(
        &self,
        organization: &OrganizationId,
        counter: Counter,
        mode: Mode,
    ) -> Result<bool, Failure> {
        Ok(counter.allows(self.count_objects(organization, counter, mode).await?))
    }

    /// Returns how many objects count in a mode.
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
