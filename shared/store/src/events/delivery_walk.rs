//! The deliveries of a webhook within a period, oldest first, read a few at a time.

use std::collections::VecDeque;

use domain::events::delivery::{Delivery, oldest_kept};
use domain::events::recovery::Selection;
use domain::id::{DeliveryId, WebhookId, first_ksuid_at};
use domain::{Failure, Timestamp};
use futures_util::future::try_join_all;

use crate::engine::item::entity;
use crate::engine::page::sort_key;
use crate::engine::table::Range;
use crate::{OrganizationStore, keys};

/// How many deliveries are read from a partition at once.
const STEP: usize = 25;

/// Reads deliveries in the order of their events' times.
pub struct DeliveryWalk {
    partitions: Vec<Partition>,
    /// The sort key that all deliveries are below.
    end: String,
}

/// One partition of the log, with the deliveries that were read ahead.
struct Partition {
    key: String,
    /// The lowest sort key to read next; `None` at the end.
    from: Option<String>,
    read: VecDeque<Delivery>,
    /// How many items were skipped because they cannot be deserialized.
    unreadable: usize,
}

/// Returns a text that sorts after a ksuid and before every higher one.
fn after(ksuid: &str) -> String {
    format!("{ksuid}-")
}

impl OrganizationStore {
    /// Returns a walk over the deliveries of a period that have not ended, after `position` if there is one.
    pub fn walk_deliveries(
        &self,
        webhook: &WebhookId,
        selection: &Selection,
        position: Option<&DeliveryId>,
        now: Timestamp,
    ) -> DeliveryWalk {
        let from = position.map_or_else(|| first_ksuid_at(selection.since), |position| after(position.ksuid()));
        let from = from.max(first_ksuid_at(oldest_kept(now)));
        let partitions = (0..keys::DELIVERY_PARTITIONS).map(|n| Partition {
            key: keys::deliveries(&self.organization, webhook, n),
            from: Some(from.clone()),
            read: VecDeque::new(),
            unreadable: 0,
        });
        DeliveryWalk { partitions: partitions.collect(), end: first_ksuid_at(selection.until) }
    }

    /// Returns the next delivery; `None` at the end of the period.
    pub async fn next_delivery(&self, walk: &mut DeliveryWalk) -> Result<Option<Delivery>, Failure> {
        let end = &walk.end;
        // Read further while no item of a page could be deserialized: the order is right only if each partition shows
        // its next delivery.
        while walk.partitions.iter().any(Partition::is_to_be_filled) {
            let empty = walk.partitions.iter_mut().filter(|partition| partition.is_to_be_filled());
            try_join_all(empty.map(|partition| self.fill(partition, end))).await?;
        }
        let first = walk.partitions.iter_mut().filter(|partition| !partition.read.is_empty());
        let first = first.min_by(|a, b| a.next().cmp(&b.next()));
        Ok(first.and_then(|partition| partition.read.pop_front()))
    }

    async fn fill(&self, partition: &mut Partition, end: &str) -> Result<(), Failure> {
        let from = partition.from.take();
        let range = Range {
            partition: partition.key.clone(),
            from: from.as_deref(),
            before: Some(end),
            newest_first: false,
            limit: Some(STEP),
        };
        let page = self.table.query(range).await;
        let Ok(page) = page else {
            partition.from = from;
            return page.map(|_| ());
        };

        partition.from = page.last().filter(|_| page.len() == STEP).map(|last| after(sort_key(last)));
        let found = page.len();
        partition.read = page.into_iter().filter_map(|item| entity(item).ok()).collect();
        partition.unreadable += found - partition.read.len();
        Ok(())
    }
}

impl DeliveryWalk {
    /// Returns how many items were skipped since the last call because they cannot be deserialized. They do not block
    /// the rest.
    pub fn take_unreadable(&mut self) -> usize {
        self.partitions.iter_mut().map(|partition| std::mem::take(&mut partition.unreadable)).sum()
    }
}

impl Partition {
    fn is_to_be_filled(&self) -> bool {
        self.read.is_empty() && self.from.is_some()
    }

    /// Returns the sort key of the delivery that was read first.
    fn next(&self) -> Option<&str> {
        self.read.front().map(|delivery| delivery.id.ksuid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_continues_between_two_deliveries() {
        let (lower, higher) = ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", "0ujtsYcgvSTl8PAuAdqWYSMnLOw");
        let between = after(lower);
        assert!(lower < between.as_str() && between.as_str() < higher);
    }
}
