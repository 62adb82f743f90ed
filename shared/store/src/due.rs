//! What waits for its time: the sparse, keys-only index `due`. It is read a little late on purpose, and everything found
//! in it is read again before anything is done.

use domain::id::{ChatMessageId, DeliveryId, EventId, MediaId, OrganizationId, WebhookId};
use domain::{Failure, Timestamp};

use crate::Store;
use crate::expression::Update;
use crate::item::{DUE_AT, DUE_PARTITION, DUE_PARTITIONS, key_of, number};
use crate::keys::{Key, KeyClass};

/// An item that is due, by what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    Event(EventId),
    Delivery(WebhookId, DeliveryId),
    Media(MediaId),
    Message(ChatMessageId),
    /// The hash of its code.
    Onboarding(String),
    DeletedApp(String),
}

#[derive(Clone, Debug)]
pub struct DueItem {
    pub organization: OrganizationId,
    pub due: Due,
    /// Since when, or since when again: what failed is put off.
    pub at: Timestamp,
    key: Key,
}

fn parse(key: Key, at: Timestamp) -> Option<DueItem> {
    let parsed = key.parse()?;
    let organization = parsed.organization()?;
    let due = match parsed.class {
        KeyClass::Event => Due::Event(parsed.id()?),
        KeyClass::Delivery => Due::Delivery(parsed.id()?, DeliveryId::from_ksuid(&key.sort).ok()?),
        KeyClass::Media => Due::Media(parsed.id()?),
        KeyClass::Message => Due::Message(parsed.id()?),
        KeyClass::Onboarding => Due::Onboarding(parsed.own_part()?.to_owned()),
        KeyClass::DeletedApp => Due::DeletedApp(key.sort.clone()),
        _ => return None,
    };
    Some(DueItem { organization, due, at, key })
}

impl Store {
    /// The longest due first, of one of the index's partitions.
    pub async fn due(&self, partition: u32, now: Timestamp, most: i32) -> Result<Vec<DueItem>, Failure> {
        let items = self.table.due(&partition.to_string(), now, most).await?;
        let found = items.into_iter().filter_map(|item| {
            let key = key_of(&item)?;
            let at = item.get(DUE_AT)?.as_n().ok()?.parse().ok()?;
            parse(key, Timestamp::from_millis(at))
        });
        Ok(found.collect())
    }

    pub fn due_partitions() -> std::ops::Range<u32> {
        0..DUE_PARTITIONS
    }

    /// Looks at it again later. What is no longer due, or gone, stays so.
    pub async fn postpone(&self, item: &DueItem, until: Timestamp) -> Result<(), Failure> {
        let update =
            Update::new(item.key.clone()).set_value(DUE_AT, number(until.millis())).when("attribute_exists(#dueAt)");
        self.table.try_update(update).await.map(|_| ())
    }

    pub async fn no_longer_due(&self, item: &DueItem) -> Result<(), Failure> {
        let update = Update::new(item.key.clone()).remove(DUE_PARTITION).remove(DUE_AT).if_present();
        self.table.try_update(update).await.map(|_| ())
    }

    /// The same, as long as the item is as it was seen; whoever has changed it has seen to when it is due.
    pub async fn postpone_as_seen(&self, item: &DueItem, until: Timestamp, revision: u64) -> Result<(), Failure> {
        let update = Update::new(item.key.clone())
            .set_value(DUE_AT, number(until.millis()))
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(revision));
        self.table.try_update(update).await.map(|_| ())
    }

    pub async fn no_longer_due_as_seen(&self, item: &DueItem, revision: u64) -> Result<(), Failure> {
        let update = Update::new(item.key.clone())
            .remove(DUE_PARTITION)
            .remove(DUE_AT)
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(revision));
        self.table.try_update(update).await.map(|_| ())
    }
}
