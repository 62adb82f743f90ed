//! The log of a webhook's deliveries, newest first. A filtered page reads a bounded number of items and bytes, however
//! few deliveries match.

use domain::events::delivery::{Delivery, DeliveryStatus, oldest_kept};
use domain::events::event::EventName;
use domain::id::{WebhookId, first_ksuid_at};
use domain::page::{DELIVERIES_LOOKED_AT, DELIVERY_BYTES_LOOKED_AT};
use domain::{Failure, Timestamp};

use crate::engine::log::{Log, Most, Span};
use crate::engine::page::{Page, PageRequest};
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
        // The ids of deliveries begin with the times of their events.
        let span = Span { from: Some(first_ksuid_at(since)), until: filter.until.map(first_ksuid_at) };
        let most = Most { items: DELIVERIES_LOOKED_AT, bytes: DELIVERY_BYTES_LOOKED_AT, of_one: LARGEST };
        let log = Log::new(partitions, span, most, |delivery: &Delivery| delivery.id.ksuid());
        let page = log.page(&self.table, request, |delivery| filter.matches(delivery)).await?;
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

#[cfg(test)]
mod tests {
    use domain::due::DueClass;
    use domain::events::delivery::{Attempt, BODY_KEPT, HEADER_NAMES_KEPT};
    use domain::id::{AppId, EventId, OrganizationId};
    use ring::rand::SystemRandom;

    use super::*;
    use crate::engine::item::{NewItem, size};

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
