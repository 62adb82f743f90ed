//! Organizations, their settings, and the counters behind the limits.

use domain::id::OrganizationId;
use domain::organization::{MessageRetention, Organization};
use domain::{Failure, Timestamp};

use serde::{Deserialize, Serialize};

use crate::change::{Change, absent_or, fail_with, never, stale};
use crate::commit::Committed;
use crate::expression::Update;
use crate::item::{NewItem, entity, number};
use crate::{OrganizationStore, Reads, Store, keys};

/// The settings to change. The others keep their values.
#[derive(Debug, Default)]
pub struct SettingsUpdate {
    pub name: Option<String>,
    pub media_retention_days: Option<u32>,
    pub message_retention: Option<MessageRetention>,
}

/// The objects that are counted per organization, in the transaction that creates or deletes one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counter {
    AdminKeys,
    Apps,
    PhoneNumbers,
    PlaygroundUsers,
    ChatBusinessProfiles,
    ChatPhoneNumbers,
}

impl Counter {
    pub(crate) const ALL: [Counter; 6] = [
        Counter::AdminKeys,
        Counter::Apps,
        Counter::PhoneNumbers,
        Counter::PlaygroundUsers,
        Counter::ChatBusinessProfiles,
        Counter::ChatPhoneNumbers,
    ];

    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Counter::AdminKeys => "adminKeys",
            Counter::Apps => "apps",
            Counter::PhoneNumbers => "phoneNumbers",
            Counter::PlaygroundUsers => "playgroundUsers",
            Counter::ChatBusinessProfiles => "chatBusinessProfiles",
            Counter::ChatPhoneNumbers => "chatPhoneNumbers",
        }
    }

    fn limit(self) -> (u32, &'static str) {
        match self {
            Counter::AdminKeys => (domain::key::ADMIN_KEYS_PER_ORGANIZATION, "admin keys"),
            Counter::Apps => (domain::app::APPS_PER_ORGANIZATION, "apps"),
            Counter::PhoneNumbers => (domain::number::NUMBERS_PER_ORGANIZATION, "phone numbers"),
            Counter::PlaygroundUsers => (domain::playground::USERS_PER_ORGANIZATION, "playground users"),
            Counter::ChatBusinessProfiles => {
                (domain::chat::profile::PROFILES_PER_ORGANIZATION, "chat business profiles")
            }
            Counter::ChatPhoneNumbers => (domain::chat::number::NUMBERS_PER_ORGANIZATION, "chat phone numbers"),
        }
    }

    fn refusal(self) -> Failure {
        let (limit, what) = self.limit();
        Failure::limit(self.attribute(), format!("An organization may have at most {limit} {what}."))
    }
}

impl Store {
    /// Returns the organization that an earlier operator request with this id has created.
    pub async fn organization_of_request(&self, request_id: &str) -> Result<Option<OrganizationId>, Failure> {
        let item = self.table.get(&keys::operator_request(request_id)).await?;
        Ok(item.map(entity::<RequestRecord>).transpose()?.map(|record| record.organization_id))
    }

    /// Creates an organization; `false` if its slug or the request id is already in use.
    pub async fn create_organization(
        &self,
        organization: &Organization,
        request_id: Option<&str>,
    ) -> Result<bool, Failure> {
        let mut change = Change::new(&organization.id);
        change.create(NewItem::marker(&keys::organization_slug(&organization.slug)), stale());
        change.create_entity(&keys::organization(&organization.id), organization)?;
        if let Some(request_id) = request_id {
            let record = RequestRecord { organization_id: organization.id.clone() };
            change.create(NewItem::new(&keys::operator_request(request_id), &record)?, stale());
        }
        Ok(matches!(self.table.commit(&change).await?, Committed::Done))
    }
}

impl Reads {
    pub async fn organization(&self) -> Result<Option<Organization>, Failure> {
        self.table.get(&keys::organization(&self.organization)).await?.map(entity).transpose()
    }

    /// Returns how long a message that is stored now is kept.
    pub async fn message_retention(&self) -> Result<MessageRetention, Failure> {
        let organization = self.organization().await?;
        let missing = || Failure::internal("the organization of a message does not exist");
        Ok(organization.ok_or_else(missing)?.message_retention)
    }

    /// Fails if the organization has reached the limit on chat business profiles.
    pub async fn expect_room_for_profile(&self) -> Result<(), Failure> {
        let counter = Counter::ChatBusinessProfiles;
        let item = self.table.get(&keys::counters(&self.organization)).await?.unwrap_or_default();
        let count = item.get(counter.attribute()).and_then(|count| count.as_n().ok()?.parse::<u32>().ok());
        let is_full = count.is_some_and(|count| count >= counter.limit().0);
        if is_full { Err(counter.refusal()) } else { Ok(()) }
    }
}

impl OrganizationStore {
    /// Writes the supplied settings and returns the organization.
    pub async fn update_settings(&self, sent: &SettingsUpdate, now: Timestamp) -> Result<Organization, Failure> {
        let mut update = Update::new(keys::organization(&self.organization)).set("updatedAt", &now)?.if_present();
        if let Some(name) = &sent.name {
            update = update.set("name", name)?;
        }
        if let Some(days) = sent.media_retention_days {
            update = update.set("mediaRetentionDays", &days)?;
        }
        if let Some(retention) = sent.message_retention {
            update = update.set("messageRetentionDays", &retention)?;
        }
        let missing = || Failure::internal("a credential's organization does not exist");
        entity(self.table.update(update, missing).await?)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestRecord {
    organization_id: OrganizationId,
}

impl Change {
    /// Counts a new object, unless the organization has reached the limit.
    pub(crate) fn count(&mut self, counter: Counter) {
        let attribute = counter.attribute();
        let update = Update::new(keys::counters(&self.organization))
            .add(attribute, 1)
            .when(&format!("attribute_not_exists(#{attribute}) OR #{attribute} < :limit"))
            .value(":limit", number(counter.limit().0));
        self.update(update, fail_with(move || counter.refusal()));
    }

    pub(crate) fn count_without_limit(&mut self, counter: Counter, more: usize) {
        let more = i64::try_from(more).unwrap_or(i64::MAX);
        self.update(Update::new(keys::counters(&self.organization)).add(counter.attribute(), more), never());
    }

    pub(crate) fn uncount(&mut self, counter: Counter) {
        let update = Update::new(keys::counters(&self.organization)).add(counter.attribute(), -1);
        self.update(update, never());
    }

    /// Requires that the organization exists and is not being deleted, for credentials that an operator creates.
    pub fn require_organization(&mut self) {
        let missing = || Failure::not_found("organizationId", "organization");
        self.require(
            keys::organization(&self.organization),
            crate::expression::Condition::new("attribute_exists(PK) AND attribute_not_exists(#deletedAt)"),
            absent_or(missing, move |_| crate::change::Refused::With(missing())),
        );
    }
}
