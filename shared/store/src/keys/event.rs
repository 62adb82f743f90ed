//! Keys of events, feeds, the webhooks that listen to events of the organization, and deliveries.

use domain::Mode;
use domain::id::{AppId, DeliveryId, EventId, OrganizationId, RecoveryId, WebhookId};

use super::class::{KeyClass, ParsedKey};
use super::key::{Key, spread};

pub(crate) fn event(organization: &OrganizationId, id: &EventId) -> Key {
    Key::alone(KeyClass::Event, &[organization, id])
}

/// Returns organization and event of a partition key in a stream record; `None` if it is not the key of an event.
pub fn event_of(partition: &str) -> Option<(OrganizationId, EventId)> {
    let key = ParsedKey::parse(partition).filter(|key| key.class == KeyClass::Event)?;
    Some((key.organization()?, key.id()?))
}

/// Sorts after the sort keys of all entries of a feed, and not after its head.
pub(crate) const FEED_END: &str = "A";

pub(crate) fn feed(organization: &OrganizationId, app: &AppId) -> String {
    KeyClass::Feed.partition(&[organization, app])
}

pub(crate) fn feed_head(organization: &OrganizationId, app: &AppId) -> Key {
    Key::new(feed(organization, app), "HEAD")
}

/// Returns the sort key of an entry: as many digits as the largest number has, so that entries sort by their numbers.
pub(crate) fn feed_sequence(sequence: u64) -> String {
    format!("{sequence:020}")
}

pub(crate) fn feed_entry(organization: &OrganizationId, app: &AppId, sequence: u64) -> Key {
    Key::new(feed(organization, app), feed_sequence(sequence))
}

pub(crate) fn in_feed(organization: &OrganizationId, event: &EventId, app: &AppId) -> Key {
    Key::new(KeyClass::EventInFeed.partition(&[organization, event]), app.to_string())
}

/// Returns the event of a partition key of `in_feed`.
pub(crate) fn event_in_feed(partition: &str) -> Option<EventId> {
    ParsedKey::parse(partition).filter(|key| key.class == KeyClass::EventInFeed)?.id()
}

pub(crate) fn organization_webhooks(organization: &OrganizationId, mode: Mode) -> String {
    KeyClass::OrganizationWebhook.partition(&[organization, &mode.as_str()])
}

pub(crate) fn organization_webhook(organization: &OrganizationId, id: &WebhookId) -> Key {
    Key::new(organization_webhooks(organization, id.mode()), id.ksuid())
}

pub(crate) const DELIVERY_PARTITIONS: u32 = 8;

pub(crate) fn deliveries(organization: &OrganizationId, webhook: &WebhookId, partition: u32) -> String {
    KeyClass::Delivery.partition(&[organization, webhook, &partition])
}

pub(crate) fn delivery(organization: &OrganizationId, webhook: &WebhookId, id: &DeliveryId) -> Key {
    let partition = spread(id.ksuid(), DELIVERY_PARTITIONS);
    Key::new(deliveries(organization, webhook, partition), id.ksuid())
}

pub(crate) fn recovery(organization: &OrganizationId, webhook: &WebhookId, id: &RecoveryId) -> Key {
    Key::new(KeyClass::Recovery.partition(&[organization, webhook]), id.ksuid())
}

/// Returns the key of the item that the recoveries of a webhook share.
pub(crate) fn recovery_head(organization: &OrganizationId, webhook: &WebhookId) -> Key {
    Key::new(KeyClass::Recovery.partition(&[organization, webhook]), "HEAD")
}

pub(crate) fn receiver_health(organization: &OrganizationId, webhook: &WebhookId) -> Key {
    Key::alone(KeyClass::ReceiverHealth, &[organization, webhook])
}

pub(crate) fn slow_posts(organization: &OrganizationId) -> Key {
    Key::new(KeyClass::ReceiverHealth.partition(&[organization]), "SLOW")
}
