//! The log of a webhook's deliveries, newest first. A filtered page reads a bounded number of items and bytes, however
//! few deliveries match. The partitions of the log are read in small steps and merged.

use domain::events::delivery::{Delivery, DeliveryStatus, oldest_kept};
use domain::events::event::EventName;
use domain::id::{WebhookId, first_ksuid_at};
use domain::page::{DELIVERIES_LOOKED_AT, DELIVERY_BYTES_LOOKED_AT};
use domain::{Failure, Timestamp};
use futures_util::future::try_join_all;

use crate::engine::item::{entity, size};
use crate::engine::page::{Page, PageRequest, sort_key};
use crate::engine::table::{Range, Table};
use crate::{OrganizationStore, keys};

/// At least the size of the largest delivery: 30 attempts with 1 KiB of the response and the names of headers
/// each.
const LARGEST: usize = 56 * 1024;

/// The filter of a list of a webhook's deliveries. Absent values exclude nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    pub status: Option<DeliveryStatus>,
    pub event_type: Option<EventName>,
    /// Only deliveries of events from this time on.
    pub since: Option<Timestamp>,
    /// Only deliveries of events before this time.
    pub until: Option<Timestamp>,
}

impl DeliveryFilter {
    /// Returns whether a delivery within the period matches.
    fn matches(&self, delivery: &Delivery) -> bool {
        self.status.is_none_or(|status| delivery.status == status)
            && self.event_type.is_none_or(|kind| delivery.event_type == kind)
    }
}

impl OrganizationStore {
    /// Returns a page of a webhook's deliveries, newest first. A page of a filtered list may be short, or empty, and
    /// yet not the last one.
    pub async fn deliveries(
        &self,
        webhook: &WebhookId,
        filter: &DeliveryFilter,
        request: &PageRequest,
        now: Timestamp,
    ) -> Result<Page<Delivery>, Failure> {
        let partitions = (0..keys::DELIVERY_PARTITIONS).map(|n| keys::deliveries(&self.organization, webhook, n));
        if *filter == DeliveryFilter::default() {
            let page = self.table.page(partitions.collect(), request).await?;
            return Ok(without_ended(page, now));
        }
        let since = filter.since.map_or(oldest_kept(now), |since| since.max(oldest_kept(now)));
        let filter = DeliveryFilter { since: Some(since), ..filter.clone() };
        let page = Log::new(partitions, &filter, request).page(&self.table).await?;
        Ok(without_ended(page, now))
    }
}

/// Hides deliveries that have ended. They are the oldest ones, so none follows that could be shown.
fn without_ended(mut page: Page<Delivery>, now: Timestamp) -> Page<Delivery> {
    let kept = page.items.partition_point(|delivery| !delivery.has_ended(now));
    if kept < page.items.len() {
        page.items.truncate(kept);
        page.next = None;
    }
    page
}

/// One partition, read from its newest delivery on.
struct Partition {
    key: String,
    /// The sort key of the last delivery that was read.
    last: Option<String>,
    is_exhausted: bool,
}

/// The state of reading one filtered page.
struct Log<'a> {
    partitions: Vec<Partition>,
    filter: &'a DeliveryFilter,
    /// The lowest sort key to read.
    from: Option<String>,
    limit: usize,
    /// The deliveries that match, of all partitions.
    found: Vec<Delivery>,
    items_read: usize,
    bytes_read: usize,
}

impl<'a> Log<'a> {
    fn new(partitions: impl Iterator<Item = String>, filter: &'a DeliveryFilter, request: &PageRequest) -> Self {
        // The ids of deliveries begin with the times of their events.
        let until = filter.until.map(first_ksuid_at);
        let before = request.before.iter().chain(&until).min().cloned();
        let begin = |key| Partition { key, last: before.clone(), is_exhausted: false };
        Log {
            partitions: partitions.map(begin).collect(),
            filter,
            from: filter.since.map(first_ksuid_at),
            limit: request.limit,
            found: Vec::new(),
            items_read: 0,
            bytes_read: 0,
        }
    }

    async fn page(mut self, table: &Table) -> Result<Page<Delivery>, Failure> {
        let mut merged = 0;
        while let Some(step) = self.next_step()
            && merged < self.limit
        {
            self.read(table, step).await?;
            self.found.sort_by(|a, b| b.id.ksuid().cmp(a.id.ksuid()));
            let horizon = self.horizon();
            merged = self.found.partition_point(|found| horizon.is_none_or(|horizon| found.id.ksuid() >= horizon));
        }
        let horizon = self.horizon().map(str::to_owned);
        let is_cut = merged > self.limit || (merged == self.limit && horizon.is_some());
        self.found.truncate(merged.min(self.limit));
        let next = if is_cut { self.found.last().map(|last| last.id.ksuid().to_owned()) } else { horizon };
        Ok(Page { items: self.found, next })
    }

    /// Returns how many deliveries may be read next from each partition, or `None` if there are none left or the page
    /// may read no more.
    fn next_step(&self) -> Option<usize> {
        let open = self.partitions.iter().filter(|partition| !partition.is_exhausted).count();
        let by_items = DELIVERIES_LOOKED_AT.saturating_sub(self.items_read).checked_div(open)?;
        let by_bytes = DELIVERY_BYTES_LOOKED_AT.saturating_sub(self.bytes_read).checked_div(open * LARGEST)?;
        Some(by_items.min(by_bytes)).filter(|step| *step > 0)
    }

    async fn read(&mut self, table: &Table, step: usize) -> Result<(), Failure> {
        let from = self.from.as_deref();
        let mut open: Vec<_> = self.partitions.iter_mut().filter(|partition| !partition.is_exhausted).collect();
        let pages = open.iter().map(|partition| {
            let (key, before) = (partition.key.clone(), partition.last.as_deref());
            table.query(Range { partition: key, from, before, newest_first: true, limit: Some(step) })
        });
        let pages = try_join_all(pages).await?;

        for (partition, page) in open.iter_mut().zip(pages) {
            partition.is_exhausted = page.len() < step;
            if let Some(last) = page.last() {
                partition.last = Some(sort_key(last).to_owned());
            }
            self.items_read += page.len();
            for item in page {
                self.bytes_read += size(&item);
                let delivery: Delivery = entity(item)?;
                if self.filter.matches(&delivery) {
                    self.found.push(delivery);
                }
            }
        }

        Ok(())
    }

    /// Returns the lowest sort key down to which all partitions have been read; `None` if they have been read to their
    /// ends.
    fn horizon(&self) -> Option<&str> {
        let open = self.partitions.iter().filter(|partition| !partition.is_exhausted);
        open.filter_map(|partition| partition.last.as_deref()).max()
    }
}

#[cfg(test)]
mod tests {
    use domain::due::DueClass;
    use domain::events::delivery::{Attempt, BODY_KEPT, HEADER_NAMES_KEPT};
    use domain::id::{AppId, EventId, OrganizationId};
    use ring::rand::SystemRandom;

    use super::*;
    use crate::engine::item::NewItem;

    #[test]
    fn no_delivery_is_larger_than_assumed() {
        let (now, random) = (Timestamp::from_millis(2_000_000_000_000), SystemRandom::new());
        let app = AppId::mint(domain::Mode::Test, now, &random);
        let webhook = WebhookId::mint(domain::Mode::Test, now, &random);
        let event = EventId::mint(now, &random);
        let kind = EventName::ChatAccountDisconnected.into();
        let mut delivery = Delivery::new(&event, kind, &app, &webhook, now).expect("a delivery");
        let attempt = Attempt {
            attempted_at: now,
            status_code: Some(500),
            error: Some("e".repeat(200)),
            duration_ms: 15_000,
            response_body: Some("b".repeat(BODY_KEPT)),
            header_names: vec!["h".repeat(HEADER_NAMES_KEPT / 20); 20],
            to_queue: true,
        };
        for _ in 0..40 {
            delivery.attempts.push(attempt.clone());
            delivery.attempts.truncate(domain::events::delivery::ATTEMPTS_SHOWN);
        }
        let organization = OrganizationId::from_ksuid("0ujtsYcgvSTl8PAuAdqWYSMnLOv").expect("a ksuid");
        let key = keys::delivery(&organization, &webhook, &delivery.id);
        let item = NewItem::new(&key, &delivery).expect("an item").due(DueClass::Deliveries, now).expiring(now);
        assert!(size(&item.0) + 64 < LARGEST, "{}", size(&item.0));
    }
}
