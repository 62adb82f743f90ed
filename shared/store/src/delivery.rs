//! Deliveries, the health of receivers, and what a delivery needs to be made.

use std::collections::HashMap;
use std::time::Duration;

use domain::delivery::{Delivery, DeliveryStatus, KEPT, PROBE_EVERY, ReceiverHealth, SLOW};
use domain::event::OutboxEvent;
use domain::id::{AppId, DeliveryId, EventId, OrganizationId, WebhookId};
use domain::webhook::{Webhook, WebhookSecrets};
use domain::{Failure, Mode, Timestamp};
use serde::{Deserialize, Serialize};

use crate::change::{Change, Refused, never, stale};
use crate::expression::{Condition, Update};
use crate::item::{
    DUE_AT, DUE_PARTITION, Item, NewItem, PARTITION, TTL, due_partition, entities, entity, number, value,
};
use crate::page::{Page, PageRequest};
use crate::table::Range;
use crate::{OrganizationStore, Reads, keys};

/// What was sent to the queue and not done after this is looked after by the sweep.
const LOOKED_AFTER: Duration = Duration::from_secs(5 * 60);
/// The longest delay of a message in SQS.
pub const IN_QUEUE: Duration = Duration::from_secs(15 * 60);
/// What a page of a filtered list looks through at most.
const SCANNED_AT_ONCE: usize = 100;
const SCANS: usize = 10;

/// A webhook as the dispatch of events of the organization finds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WebhookReference {
    webhook_id: WebhookId,
    app_id: AppId,
}

/// What one attempt needs.
pub struct ToDeliver {
    pub delivery: Delivery,
    pub webhook: Option<Webhook>,
    pub secrets: Option<WebhookSecrets>,
    pub event: Option<OutboxEvent>,
    /// `None`: nothing is wrong with the receiver.
    pub health: Option<ReceiverHealth>,
}

/// A near attempt has a message in the queue, and is looked after should it get lost; a far one is sent when it is due.
fn due_at(delivery: &Delivery, now: Timestamp) -> Option<Timestamp> {
    let at = delivery.next_attempt_at?;
    Some(if at > now.plus(IN_QUEUE) { at } else { at.plus(LOOKED_AFTER) })
}

impl Reads {
    pub async fn outbox_event(&self, id: &EventId) -> Result<Option<OutboxEvent>, Failure> {
        self.table.get(&keys::event(&self.organization, id)).await?.map(entity).transpose()
    }

    /// All webhooks of an app; they are few by limit.
    pub async fn webhooks_of_app(&self, app: &AppId) -> Result<Vec<Webhook>, Failure> {
        entities(self.table.query(Range::whole(keys::webhooks(&self.organization, app))).await?)
    }

    /// Webhooks of every app of the mode that listen to events of the organization, as far as they exist.
    pub async fn organization_webhooks(&self, mode: Mode) -> Result<Vec<Webhook>, Failure> {
        let range = Range::whole(keys::organization_webhooks(&self.organization, mode));
        let references: Vec<WebhookReference> = entities(self.table.query(range).await?)?;
        let keys: Vec<_> = references
            .iter()
            .map(|reference| keys::webhook(&self.organization, &reference.app_id, &reference.webhook_id))
            .collect();
        entities(self.table.get_all(&keys).await?)
    }

    pub async fn delivery(&self, webhook: &WebhookId, id: &DeliveryId) -> Result<Option<Delivery>, Failure> {
        self.table.get(&keys::delivery(&self.organization, webhook, id)).await?.map(entity).transpose()
    }

    /// Deliveries of a webhook, newest first. A page of a filtered list may be short, or empty, and yet not the last.
    pub async fn deliveries(
        &self,
        webhook: &WebhookId,
        status: Option<DeliveryStatus>,
        request: &PageRequest,
    ) -> Result<Page<Delivery>, Failure> {
        let partitions =
            || (0..keys::DELIVERY_PARTITIONS).map(|n| keys::deliveries(&self.organization, webhook, n)).collect();
        let Some(status) = status else { return self.table.page(partitions(), request).await };
        let mut found: Vec<Delivery> = Vec::new();
        let mut next = PageRequest { limit: SCANNED_AT_ONCE, before: request.before.clone() };
        for _ in 0..SCANS {
            let page: Page<Delivery> = self.table.page(partitions(), &next).await?;
            for delivery in page.items {
                next.before = Some(delivery.id.ksuid().to_owned());
                if delivery.status == status {
                    found.push(delivery);
                }
                if found.len() == request.limit {
                    return Ok(Page { items: found, next: next.before });
                }
            }
            if page.next.is_none() {
                return Ok(Page { items: found, next: None });
            }
        }
        Ok(Page { items: found, next: next.before })
    }

    /// Delivery, webhook, secrets, event and health in one read. `None`: there is no such delivery (any more).
    pub async fn to_deliver(
        &self,
        app: &AppId,
        webhook: &WebhookId,
        (delivery, event): (&DeliveryId, &EventId),
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

impl OrganizationStore {
    /// Whether this delivery is the one of this minute that tries whether the receiver is back.
    pub async fn may_probe(&self, webhook: &WebhookId, now: Timestamp) -> Result<bool, Failure> {
        let update = Update::new(keys::receiver_health(&self.organization, webhook))
            .set("probeAt", &now.plus(PROBE_EVERY))?
            .if_present()
            .when("attribute_not_exists(#probeAt) OR #probeAt <= :now")
            .value(":now", value(&now)?);
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Counts a failure, and answers how the receiver has been doing since its last success.
    pub async fn note_failure(&self, webhook: &WebhookId, now: Timestamp) -> Result<ReceiverHealth, Failure> {
        let update = Update::new(keys::receiver_health(&self.organization, webhook))
            .add("failures", 1)
            .set_if_absent("firstFailureAt", &now)?
            .set(TTL, &now.plus(KEPT).seconds())?
            .set("v", &1)?;
        entity(self.table.update(update, || Failure::internal("an unconditional update was refused")).await?)
    }

    /// All failures are forgotten with the first success; that it is slow, when it has been prompt for a while.
    pub async fn note_success(
        &self,
        webhook: &WebhookId,
        health: &ReceiverHealth,
        slow: bool,
        now: Timestamp,
    ) -> Result<(), Failure> {
        if slow {
            return self.note_slow(webhook, now).await;
        }
        if !health.is_slow(now) {
            let mut change = Change::new(&self.organization);
            change.delete_any(keys::receiver_health(&self.organization, webhook));
            return self.table.commit(&change).await.map(|_| ());
        }
        if health.failures == 0 {
            return Ok(());
        }
        let update =
            Update::new(keys::receiver_health(&self.organization, webhook)).remove("failures").remove("firstFailureAt");
        self.table.try_update(update.remove("probeAt").if_present()).await.map(|_| ())
    }

    /// It has answered, but not promptly.
    async fn note_slow(&self, webhook: &WebhookId, now: Timestamp) -> Result<(), Failure> {
        let update = self.slowness(webhook, now)?.remove("failures").remove("firstFailureAt").remove("probeAt");
        self.table.try_update(update).await.map(|_| ())
    }

    /// It has not answered promptly; whether it will at all is not known yet.
    pub async fn suspect_slow(&self, webhook: &WebhookId, now: Timestamp) -> Result<(), Failure> {
        self.table.try_update(self.slowness(webhook, now)?).await.map(|_| ())
    }

    fn slowness(&self, webhook: &WebhookId, now: Timestamp) -> Result<Update, Failure> {
        Update::new(keys::receiver_health(&self.organization, webhook))
            .set("slowUntil", &now.plus(SLOW))?
            .set(TTL, &now.plus(KEPT).seconds())?
            .set("v", &1)
    }

    /// `false`: it is disabled already, or leads elsewhere by now.
    pub async fn disable_webhook(&self, webhook: &Webhook, reason: &str, now: Timestamp) -> Result<bool, Failure> {
        // Mended meanwhile, it is another receiver's webhook.
        let update = Update::new(keys::webhook(&self.organization, &webhook.app_id, &webhook.id))
            .set("disabledAt", &now)?
            .set("disabledReason", &reason)?
            .set("updatedAt", &now)?
            .add("revision", 1)
            .if_present()
            .when("attribute_not_exists(#disabledAt) AND #url = :attempted")
            .value(":attempted", value(&webhook.url)?);
        Ok(self.table.try_update(update).await?.is_ok())
    }
}

fn new_delivery(o: &OrganizationId, delivery: &Delivery) -> Result<NewItem, Failure> {
    let item = NewItem::new(&keys::delivery(o, &delivery.webhook_id, &delivery.id), delivery)?
        .with("organizationId", value(o)?)
        .expiring(delivery.created_at.plus(KEPT));
    Ok(match due_at(delivery, delivery.created_at) {
        Some(at) => item.due(at),
        None => item,
    })
}

impl Change {
    /// A delivery that is there already is the same one.
    pub fn create_delivery(&mut self, delivery: &Delivery) -> Result<(), Failure> {
        let item = new_delivery(&self.organization, delivery)?;
        self.create(item, Box::new(|_| Refused::AlreadyDone));
        Ok(())
    }

    /// From one state to the next, if nobody else has changed it meanwhile.
    pub fn update_delivery(&mut self, before: &Delivery, after: &Delivery, now: Timestamp) -> Result<(), Failure> {
        let key = keys::delivery(&self.organization, &before.webhook_id, &before.id);
        let due = due_partition(&key.partition).to_string();
        let update = Update::between(key, before, after, &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        let update = match due_at(after, now) {
            None => update.remove(DUE_PARTITION).remove(DUE_AT),
            Some(at) => update.set(DUE_PARTITION, &due)?.set_value(DUE_AT, number(at.millis())),
        };
        self.update(update, stale());
        Ok(())
    }

    /// Every webhook of the event has its delivery.
    pub fn note_dispatched(&mut self, event: &EventId) {
        let update =
            Update::new(keys::event(&self.organization, event)).remove(DUE_PARTITION).remove(DUE_AT).if_present();
        self.update(update, Box::new(|_| Refused::AlreadyDone));
    }

    /// An event whose delivery is made with it; nothing else hears of it.
    pub fn create_undispatched_event(&mut self, event: &OutboxEvent) -> Result<(), Failure> {
        let item = NewItem::new(&keys::event(&self.organization, &event.id), event)?
            .with("organizationId", value(&self.organization)?)
            .expiring(event.created_at.plus(KEPT));
        self.put(item);
        Ok(())
    }

    /// Kept beside a webhook that listens to events of the organization, and only beside such.
    pub fn list_for_organization(&mut self, webhook: &Webhook) -> Result<(), Failure> {
        let key = keys::organization_webhook(&self.organization, &webhook.id);
        if webhook.listens_to_organization() {
            let reference = WebhookReference { webhook_id: webhook.id.clone(), app_id: webhook.app_id.clone() };
            self.put(NewItem::new(&key, &reference)?);
            self.join_organization_webhooks(&webhook.id)
        } else {
            self.delete(key, Condition::default(), never());
            self.leave_organization_webhooks(std::slice::from_ref(&webhook.id));
            Ok(())
        }
    }
}
