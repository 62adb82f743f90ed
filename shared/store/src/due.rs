//! Items that become due at some time: the sparse, keys-only index `due`. The index is eventually consistent, so every
//! item found in it is read again before anything is done.

use domain::id::{ChatMessageId, DeliveryId, EventId, MediaId, OrganizationId, WebhookId};
use domain::{Failure, Timestamp};

use crate::Store;
use crate::expression::Update;
use crate::item::{DUE_AT, DUE_PARTITION, DUE_PARTITIONS, key_of, number};
use crate::keys::{Key, KeyClass};

/// The identity of a due item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    Event(EventId),
    Delivery(WebhookId, DeliveryId),
    Media(MediaId),
    Message(ChatMessageId),
    /// With the hash of its code.
    Onboarding(String),
    /// With the ksuid of the app.
    DeletedApp(String),
}

/// An entry of the due index.
#[derive(Clone, Debug)]
pub struct DueItem {
    pub organization: OrganizationId,
    pub due: Due,
    /// Since when the item is due. An item whose processing failed was postponed.
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
    /// Returns at most `most` due items of one partition of the index, those that are due longest first.
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

    /// Postpones a due item. Does nothing if the item is no longer due or was deleted.
    pub async fn postpone(&self, item: &DueItem, until: Timestamp) -> Result<(), Failure> {
        let update =
            Update::new(item.key.clone()).set_value(DUE_AT, number(until.millis())).when("attribute_exists(#dueAt)");
        self.table.try_update(update).await.map(|_| ())
    }

    /// Removes an item from the due index.
    pub async fn no_longer_due(&self, item: &DueItem) -> Result<(), Failure> {
        let update = Update::new(item.key.clone()).remove(DUE_PARTITION).remove(DUE_AT).if_present();
        self.table.try_update(update).await.map(|_| ())
    }

    /// Postpones a due item that still has the revision that was read. Otherwise does nothing: a concurrent writer has
    /// already set its due time.
    pub async fn postpone_as_seen(&self, item: &DueItem, until: Timestamp, revision: u64) -> Result<(), Failure> {
        let update = Update::new(item.key.clone())
            .set_value(DUE_AT, number(until.millis()))
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(revision));
        self.table.try_update(update).await.map(|_| ())
    }

    /// Removes an item from the due index if it still has the revision that was read.
    pub async fn no_longer_due_as_seen(&self, item: &DueItem, revision: u64) -> Result<(), Failure> {
        let update = Update::new(item.key.clone())
            .remove(DUE_PARTITION)
            .remove(DUE_AT)
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(revision));
        self.table.try_update(update).await.map(|_| ())
    }
}
