//! Deliveries, and the read of everything that an attempt needs.

use std::collections::HashMap;
use std::time::Duration;

use domain::due::DueClass;
use domain::events::delivery::{Delivery, KEPT, ReceiverHealth};
use domain::events::event::OutboxEvent;
use domain::events::webhook::{Webhook, WebhookSecrets};
use domain::id::{AppId, DeliveryId, EventId, OrganizationId, WebhookId};
use domain::{Failure, Timestamp};

use crate::engine::change::{Change, Refused, stale};
use crate::engine::expression::Update;
use crate::engine::item::{Item, METERED, NewItem, PARTITION, entities, entity, number, value};
use crate::{Reads, keys};

/// How long after its scheduled time an attempt counts as overdue. The sweep then queues it again.
const OVERDUE_AFTER: Duration = Duration::from_secs(5 * 60);
/// The longest delay of a message in SQS.
pub const IN_QUEUE: Duration = Duration::from_secs(15 * 60);

/// Everything that one attempt needs.
pub struct ToDeliver {
    pub delivery: Delivery,
    pub webhook: Option<Webhook>,
    pub secrets: Option<WebhookSecrets>,
    pub event: Option<OutboxEvent>,
    /// `None` if the receiver is healthy.
    pub health: Option<ReceiverHealth>,
}

/// Returns when the sweep must act. An attempt within the queue's longest delay has a message there, so the sweep only
/// acts if the message gets lost; a later attempt is sent to the queue when it is due.
fn due_at(delivery: &Delivery, now: Timestamp) -> Option<Timestamp> {
    let at = delivery.next_attempt_at?;
    Some(if at > now.plus(IN_QUEUE) { at } else { at.plus(OVERDUE_AFTER) })
}

impl Reads {
    pub async fn delivery(&self, webhook: &WebhookId, id: &DeliveryId) -> Result<Option<Delivery>, Failure> {
        self.table.get(&keys::delivery(&self.organization, webhook, id)).await?.map(entity).transpose()
    }

    /// Returns those of the deliveries that exist, in no particular order. `ids` are at most as many as an app can have
    /// webhooks.
    pub async fn deliveries_by_id<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a (WebhookId, DeliveryId)>,
    ) -> Result<Vec<Delivery>, Failure> {
        let keys: Vec<_> =
            ids.into_iter().map(|(webhook, id)| keys::delivery(&self.organization, webhook, id)).collect();
        entities(self.table.get_all(&keys).await?)
    }

    /// Returns delivery, webhook, secrets, event and health in one read. `None` if the delivery does not exist (any
    /// more).
    pub async fn to_deliver(
        &self,
        app: &AppId,
        webhook: &WebhookId,
        delivery: &DeliveryId,
        event: &EventId,
    ) -> Result<Option<ToDeliver>, Failure> {
        let wanted = [
            keys::delivery(&self.organization, webhook, delivery),
            keys::webhook(&self.organization, app, webhook),
            keys::webhook_secrets(&self.organization, app, webhook),
            keys::event(&self.organization, event),
            keys::receiver_health(&self.organization, webhook),
        ];

        let mut found: HashMap<String, Item> = HashMap::new();
        for item in self.table.get_all(&wanted).await? {
            let partition = item.get(PARTITION).and_then(|key| key.as_s().ok()).cloned().unwrap_or_default();
            found.insert(partition, item);
        }

        let mut take = |key: &keys::Key| found.remove(&key.partition);
        let Some(delivery) = take(&wanted[0]).map(entity).transpose()? else { return Ok(None) };
        Ok(Some(ToDeliver {
            delivery,
            webhook: take(&wanted[1]).map(entity).transpose()?,
            secrets: take(&wanted[2]).map(entity).transpose()?,
            event: take(&wanted[3]).map(entity).transpose()?,
            health: take(&wanted[4]).map(entity).transpose()?,
        }))
    }
}

fn new_delivery(organization: &OrganizationId, delivery: &Delivery) -> Result<NewItem, Failure> {
    let item = NewItem::new(&keys::delivery(organization, &delivery.webhook_id, &delivery.id), delivery)?
        .with("organizationId", value(organization)?)
        .with(METERED, value(&true)?)
        .expiring(delivery.created_at.plus(KEPT));
    Ok(match due_at(delivery, delivery.created_at) {
        Some(at) => item.due(DueClass::Deliveries, at),
        None => item,
    })
}

impl Change {
    /// Creates a delivery. Already done if it exists: a delivery's id is derived from its event and webhook.
    pub fn create_delivery(&mut self, delivery: &Delivery) -> Result<(), Failure> {
        let item = new_delivery(&self.organization, delivery)?;
        self.create(item, Box::new(|_| Refused::AlreadyDone));
        Ok(())
    }

    /// Writes the differences between two states of a delivery. Stale if its revision has changed.
    pub fn update_delivery(&mut self, before: &Delivery, after: &Delivery, now: Timestamp) -> Result<(), Failure> {
        let key = keys::delivery(&self.organization, &before.webhook_id, &before.id);
        let update = Update::between(key, before, after, &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        let update = match due_at(after, now) {
            None => update.not_due(),
            Some(at) => update.due(DueClass::Deliveries, at),
        };
        self.update(update, stale());
        Ok(())
    }
}
