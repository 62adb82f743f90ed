//! The requests to join groups of the simulated platform that have been decided.

use std::collections::BTreeSet;

use domain::Failure;

use crate::engine::expression::Update;
use crate::engine::item::value;
use crate::{OrganizationStore, Reads, keys};

impl Reads {
    /// Returns the requests to join a simulated group that have been approved or rejected.
    pub async fn decided_simulated_joins(&self, platform_group: &str) -> Result<BTreeSet<String>, Failure> {
        let item =
            self.table.get(&keys::simulated_joins(&self.organization, platform_group)).await?.unwrap_or_default();
        let decided = item.get("decided").and_then(|decided| decided.as_ss().ok());
        Ok(decided.into_iter().flatten().cloned().collect())
    }
}

impl OrganizationStore {
    /// Records that a request to join a simulated group has been decided; `false` if it was decided before.
    pub async fn decide_simulated_join(&self, platform_group: &str, request: &str) -> Result<bool, Failure> {
        let update = Update::new(keys::simulated_joins(&self.organization, platform_group))
            .add_member("decided", request)
            .when("NOT contains(#decided, :request)")
            .value(":request", value(&request)?);
        Ok(self.table.try_update(update).await?.is_ok())
    }
}
