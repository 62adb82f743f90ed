//! The rate limits of organizations, so that none of them uses up what all of them share.

use domain::audit::TargetKind;
use domain::id::OrganizationId;
use domain::identity::rate::MOST_PER_SECOND_OF_ORGANIZATION as MOST;
use domain::{Failure, Mode};

use crate::{Operator, Reply};

impl Operator {
    pub(crate) async fn set_limit(
        &self,
        organization: &OrganizationId,
        requests_per_second: Option<u32>,
    ) -> Result<Reply, Failure> {
        if requests_per_second.is_some_and(|rate| !(1..=MOST).contains(&rate)) {
            let message = format!("requestsPerSecond must be from 1 to {MOST}. Leave it out to remove the limit.");
            return Err(Failure::invalid("requestsPerSecond", message));
        }
        let entry = self.entry("operator.setLimit", Mode::Live).about(TargetKind::Organization, organization);
        self.store.limit_organization(organization, requests_per_second, &entry).await?;
        Ok(Reply::Limit { organization_id: organization.clone(), requests_per_second })
    }
}
