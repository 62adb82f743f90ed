//! Keys of events, the webhooks that listen to events of the organization, and deliveries.

use domain::Mode;
use domain::id::{DeliveryId, EventId, OrganizationId, WebhookId};

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

pub(crate) fn receiver_health(organization: &OrganizationId, webhook: &WebhookId) -> Key {
    Key::alone(KeyClass::ReceiverHealth, &[organization, webhook])
}
