//! The queues that an organization may use as addresses of webhooks.

use domain::Failure;
use domain::events::webhook::{Destination, QueueArn};

use crate::engine::change::{Change, Refused, fail_with};
use crate::engine::expression::Condition;
use crate::engine::item::{NewItem, entities};
use crate::engine::table::Range;
use crate::{OrganizationStore, Reads, keys};

impl Reads {
    /// Returns whether the organization may use the queue.
    pub async fn may_use(&self, queue: &QueueArn) -> Result<bool, Failure> {
        Ok(self.table.get(&keys::destination(&self.organization, queue)).await?.is_some())
    }
}

impl OrganizationStore {
    /// Returns all queues that the organization may use, by their ARNs.
    pub async fn destinations(&self) -> Result<Vec<Destination>, Failure> {
        entities(self.table.query(Range::whole(keys::destinations(&self.organization))).await?)
    }
}

impl Change {
    /// Allows the organization to use a queue. Already done if it has the permission.
    pub fn allow_destination(&mut self, queue: &QueueArn, destination: &Destination) -> Result<(), Failure> {
        let item = NewItem::new(&keys::destination(&self.organization, queue), destination)?;
        self.create(item, Box::new(|_| Refused::AlreadyDone));
        Ok(())
    }

    /// Revokes the organization's permission to use a queue. Fails if it has none.
    pub fn disallow_destination(&mut self, queue: &QueueArn) {
        let missing = || {
            let message = "The organization may not use this queue, so nothing was changed. Check the ARN; \
                           listDestinations shows the queues that it may use.";
            Failure::not_found_with("arn", message)
        };
        self.delete(keys::destination(&self.organization, queue), Condition::present(), fail_with(missing));
    }

    /// Requires that the organization may use the queue that is the address of a webhook.
    pub fn require_destination(&mut self, queue: &QueueArn) {
        let refusal = || {
            let message = "url names a queue that this organization may not use. Check the ARN, and ask the operator of \
                           this installation to allow the queue for your organization (allowDestination).";
            Failure::invalid("url", message)
        };
        self.require(keys::destination(&self.organization, queue), Condition::present(), fail_with(refusal));
    }
}
