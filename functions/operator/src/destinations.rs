//! The queues that organizations may use as addresses of webhooks
//! ([ADR 37](../../../docs/adr/0037-queues-as-webhook-addresses.md)).

use domain::audit::TargetKind;
use domain::events::webhook::{Destination, QueueArn};
use domain::id::OrganizationId;
use domain::{Failure, Mode};
use store::Change;

use crate::{Operator, Reply};

impl Operator {
    pub(crate) async fn allow_destination(&self, organization: &OrganizationId, arn: &str) -> Result<Reply, Failure> {
        let queue = QueueArn::in_field(arn, "arn")?;
        self.listed.expect(&queue, "arn")?;
        let destination = Destination { arn: queue.to_string(), allowed_at: self.clock.now() };
        let mut change = Change::new(organization);
        change.require_organization();
        change.allow_destination(&queue, &destination)?;
        change.enter(
            &self.entry("operator.allowDestination", Mode::Live).about(TargetKind::Destination, &destination.arn),
        )?;
        self.store.commit(&change).await?;
        self.list_destinations(organization).await
    }

    /// Revokes the organization's permission to use a queue, whether or not the installation still lists the queue.
    pub(crate) async fn disallow_destination(
        &self,
        organization: &OrganizationId,
        arn: &str,
    ) -> Result<Reply, Failure> {
        let mut change = Change::new(organization);
        let queue = QueueArn::in_field(arn, "arn")?;
        change.disallow_destination(&queue);
        change.enter(&self.entry("operator.disallowDestination", Mode::Live).about(TargetKind::Destination, &queue))?;
        self.store.commit(&change).await?;
        self.list_destinations(organization).await
    }

    pub(crate) async fn list_destinations(&self, organization: &OrganizationId) -> Result<Reply, Failure> {
        let destinations = self.store.of(organization).destinations().await?;
        Ok(Reply::Destinations { destinations })
    }
}
