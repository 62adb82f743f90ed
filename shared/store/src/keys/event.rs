//! Keys of events, the webhooks that listen to them, and their deliveries.

use domain::Mode;
use domain::id::{DeliveryId, EventId, OrganizationId, WebhookId};

use super::class::{KeyClass, ParsedKey};
use super::key::{Key, spread};

type Org = OrganizationId;

pub(crate) fn event(o: &Org, id: &EventId) -> Key {
    Key::alone(KeyClass::Event, &[o, id])
}

/// The event in a partition key, as the table's stream names it.
pub fn event_of(partition: &str) -> Option<(OrganizationId, EventId)> {
    let key = ParsedKey::parse(partition).filter(|key| key.class == KeyClass::Event)?;
    Some((key.organization()?, key.id()?))
}

pub(crate) fn organization_webhooks(o: &Org, mode: Mode) -> String {
    KeyClass::OrganizationWebhook.partition(&[o, &mode.as_str()])
}

pub(crate) fn organization_webhook(o: &Org, id: &WebhookId) -> Key {
    Key::new(organization_webhooks(o, id.mode()), id.ksuid())
}

pub(crate) const DELIVERY_PARTITIONS: u32 = 8;

pub(crate) fn deliveries(o: &Org, webhook: &WebhookId, partition: u32) -> String {
    KeyClass::Delivery.partition(&[o, webhook, &partition])
}

pub(crate) fn delivery(o: &Org, webhook: &WebhookId, id: &DeliveryId) -> Key {
    let partition = spread(id.ksuid(), DELIVERY_PARTITIONS);
    Key::new(deliveries(o, webhook, partition), id.ksuid())
}

pub(crate) fn receiver_health(o: &Org, webhook: &WebhookId) -> Key {
    Key::alone(KeyClass::ReceiverHealth, &[o, webhook])
}
