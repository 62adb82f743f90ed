//! The rate limits that the operator has set for organizations. All are in one item, which each environment reads once per
//! minute.

use std::collections::BTreeMap;

use domain::Failure;
use domain::audit::Entry;
use domain::id::OrganizationId;
use serde::{Deserialize, Serialize};

use crate::engine::change::{Change, stale};
use crate::engine::expression::Condition;
use crate::engine::item::{NewItem, entity, number};
use crate::{Store, keys};

/// The highest number of organizations with a limit: one item holds them all.
pub const LIMITED_ORGANIZATIONS: usize = 1_000;

/// The requests per second of each organization that has a limit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OrganizationLimits {
    limits: BTreeMap<OrganizationId, u32>,
    /// Counts the changes.
    revision: u64,
}

impl OrganizationLimits {
    pub fn of(&self, organization: &OrganizationId) -> Option<u32> {
        self.limits.get(organization).copied()
    }
}

impl Store {
    pub async fn organization_limits(&self) -> Result<OrganizationLimits, Failure> {
        let item = self.table.get(&keys::organization_limits()).await?;
        Ok(item.map(entity).transpose()?.unwrap_or_default())
    }

    /// Sets the limit of an organization that exists, or removes that of any. Writes nothing if nothing changes.
    pub async fn limit_organization(
        &self,
        organization: &OrganizationId,
        requests_per_second: Option<u32>,
        entry: &Entry,
    ) -> Result<(), Failure> {
        let decide = || async {
            let seen = self.organization_limits().await?;
            let mut change = Change::new(organization);
            if seen.of(organization) == requests_per_second {
                return Ok((change, ()));
            }
            let mut after = OrganizationLimits { revision: seen.revision + 1, ..seen.clone() };
            match requests_per_second {
                Some(rate) => {
                    change.require_organization();
                    after.limits.insert(organization.clone(), rate)
                }
                None => after.limits.remove(organization),
            };
            if after.limits.len() > LIMITED_ORGANIZATIONS {
                let message = format!(
                    "At most {LIMITED_ORGANIZATIONS} organizations can have a limit. Remove the limit of another one first."
                );
                return Err(Failure::limit("requestsPerSecond", message));
            }
            let as_seen = Condition::new("attribute_not_exists(#revision) OR #revision = :seen")
                .value(":seen", number(seen.revision));
            change.put_if(NewItem::new(&keys::organization_limits(), &after)?, as_seen, stale());
            let [before, after] = [&seen, &after].map(|limits| limits.of(organization).map(|rate| rate.to_string()));
            change.enter(&entry.clone().field("requestsPerSecond", before.as_deref(), after.as_deref()))?;
            Ok((change, ()))
        };
        self.settle(decide).await
    }
}
