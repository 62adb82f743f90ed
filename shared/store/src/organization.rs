//! Organizations, their settings, and the counters behind the limits.

use domain::id::OrganizationId;
use domain::organization::Organization;
use domain::{Failure, Timestamp};

use crate::change::{Change, Committed, absent_or, fail_with};
use crate::expression::Update;
use crate::item::{NewItem, entity, number};
use crate::{Store, keys};

/// What is counted for each organization, in the transaction that makes or removes one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counter {
    AdminKeys,
    Apps,
    PhoneNumbers,
    PlaygroundUsers,
}

impl Counter {
    fn attribute(self) -> &'static str {
        match self {
            Counter::AdminKeys => "adminKeys",
            Counter::Apps => "apps",
            Counter::PhoneNumbers => "phoneNumbers",
            Counter::PlaygroundUsers => "playgroundUsers",
        }
    }

    fn limit(self) -> (u32, &'static str) {
        match self {
            Counter::AdminKeys => (domain::key::ADMIN_KEYS_PER_ORGANIZATION, "admin keys"),
            Counter::Apps => (domain::app::APPS_PER_ORGANIZATION, "apps"),
            Counter::PhoneNumbers => (domain::number::NUMBERS_PER_ORGANIZATION, "phone numbers"),
            Counter::PlaygroundUsers => (domain::playground::USERS_PER_ORGANIZATION, "playground users"),
        }
    }
}

impl Store {
    pub async fn organization(&self, o: &OrganizationId) -> Result<Option<Organization>, Failure> {
        self.table.get(&keys::organization(o)).await?.map(entity).transpose()
    }

    pub async fn update_settings(
        &self,
        o: &OrganizationId,
        name: Option<&str>,
        media_retention_days: Option<u32>,
        now: Timestamp,
    ) -> Result<Organization, Failure> {
        let mut update = Update::new(keys::organization(o)).set("updatedAt", &now)?.if_present();
        if let Some(name) = name {
            update = update.set("name", &name)?;
        }
        if let Some(days) = media_retention_days {
            update = update.set("mediaRetentionDays", &days)?;
        }
        let missing = || Failure::internal("a credential's organization does not exist");
        entity(self.table.update(update, missing).await?)
    }

    /// Whether the slug was free; then the organization is there with its credentials.
    pub async fn create_organization(&self, organization: &Organization, mut change: Change) -> Result<bool, Failure> {
        change.create(
            NewItem::marker(&keys::organization_slug(&organization.slug)),
            Box::new(|_| crate::change::Refused::Stale),
        );
        change.create_entity(&keys::organization(&organization.id), organization)?;
        Ok(matches!(self.table.commit(&change).await?, Committed::Done))
    }
}

impl Change {
    /// Counts one more, unless the organization has as many as it may.
    pub(crate) fn count(&mut self, o: &OrganizationId, counter: Counter) {
        let (limit, what) = counter.limit();
        let attribute = counter.attribute();
        let update = Update::new(keys::counters(o))
            .add(attribute, 1)
            .when(&format!("attribute_not_exists(#{attribute}) OR #{attribute} < :limit"))
            .value(":limit", number(limit));
        let message = format!("An organization may have at most {limit} {what}.");
        self.update(update, fail_with(move || Failure::limit(attribute, message.clone())));
    }

    pub(crate) fn uncount(&mut self, o: &OrganizationId, counter: Counter) {
        let update = Update::new(keys::counters(o)).add(counter.attribute(), -1);
        self.update(update, crate::change::never());
    }

    /// The organization of a credential that an operator asks for must exist.
    pub fn require_organization(&mut self, o: &OrganizationId) {
        let missing = || Failure::not_found("organizationId", "organization");
        self.require(
            keys::organization(o),
            crate::expression::Condition::present(),
            absent_or(missing, move |_| crate::change::Refused::With(missing())),
        );
    }
}
