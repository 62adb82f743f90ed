//! Organizations and their settings.

use domain::id::OrganizationId;
use domain::identity::organization::{MessageRetention, Organization};
use domain::{Failure, Mode, Timestamp};

use serde::{Deserialize, Serialize};

use crate::engine::change::{Change, Refused, absent_or, stale};
use crate::engine::commit::Committed;
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, entity, value};
use crate::limits::counter::Counter;
use crate::{Reads, Store, keys};

/// The settings to change. Absent ones keep their values.
#[derive(Debug, Default)]
pub struct SettingsUpdate {
    pub name: Option<String>,
    pub media_retention_days: Option<u32>,
    pub message_retention: Option<MessageRetention>,
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

    /// Fails if the organization has reached the limit on chat business profiles of a mode.
    pub async fn expect_room_for_profile(&self, mode: Mode) -> Result<(), Failure> {
        let counter = Counter::ChatBusinessProfiles;
        let counters = self.table.get(&keys::counters(&self.organization)).await?.unwrap_or_default();
        let is_full = counter.is_full(mode, &counters)
            && !(counter.is_doubtful(&counters) && self.table.has_room(&self.organization, counter, mode).await?);
        if is_full { Err(counter.refusal(mode)) } else { Ok(()) }
    }
}

impl SettingsUpdate {
    /// Returns the organization with these settings.
    pub fn applied_to(&self, before: &Organization, now: Timestamp) -> Organization {
        let mut after = before.clone();
        after.name = self.name.clone().unwrap_or(after.name);
        after.media_retention_days = self.media_retention_days.unwrap_or(after.media_retention_days);
        after.message_retention = self.message_retention.unwrap_or(after.message_retention);
        after.updated_at = now;
        after
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestRecord {
    organization_id: OrganizationId,
}

impl Change {
    /// Changes the settings of the organization. Stale if they have changed since they were read.
    pub fn update_settings(&mut self, before: &Organization, after: &Organization) -> Result<(), Failure> {
        let write = Update::between(keys::organization(&self.organization), before, after, &["updatedAt"])?
            .set("updatedAt", &after.updated_at)?
            .when("#updatedAt = :seen")
            .value(":seen", value(&before.updated_at)?);
        self.update(write, stale());
        Ok(())
    }

    /// Requires that the organization exists and is not being deleted, for credentials that an operator creates.
    pub fn require_organization(&mut self) {
        let missing = || Failure::not_found("organizationId", "organization");
        self.require(
            keys::organization(&self.organization),
            Condition::new("attribute_exists(PK) AND attribute_not_exists(#deletedAt)"),
            absent_or(missing, move |_| Refused::With(missing())),
        );
    }
}
