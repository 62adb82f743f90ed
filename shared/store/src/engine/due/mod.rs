//! Items that become due at some time: the sparse, keys-only index `due`. The index is eventually consistent, so every
//! item found in it is read again before it is processed.

mod index;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::due::DueClass;
use domain::id::{
    ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId, DeliveryId, EventId, MediaId, OrganizationId,
    PhoneNumberId, RecoveryId, SmsMessageId, WebhookId,
};
use domain::{Failure, Mode, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Store;
use crate::engine::expression::Update;
use crate::engine::item::{DUE_AT, DUE_PARTITION, Item, key_attributes, key_of, number};
use crate::engine::table::DueRange;
use crate::keys::{Key, KeyClass};

/// The identity of a due item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    Event(EventId),
    Delivery(WebhookId, DeliveryId),
    Recovery(WebhookId, RecoveryId),
    Media(MediaId),
    Message(ChatMessageId),
    Sms(SmsMessageId),
    /// An onboarding, identified by the hash of its code.
    Onboarding(String),
    /// The disconnection of a profile, which has begun.
    Disconnection(ChatBusinessProfileId),
    /// A deleted app, identified by its ksuid.
    DeletedApp(String),
    PhoneNumber(PhoneNumberId),
    Profile(ChatBusinessProfileId),
    /// The erasure of a contact, identified by its reference.
    Erasure(String),
    /// The history of a number, which waits to be imported.
    History(ChatPhoneNumberId),
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

/// An entry of the due index that this release does not understand.
#[derive(Clone, Debug)]
pub struct UnknownDue {
    key: Key,
}

impl UnknownDue {
    /// Returns the class in the item's key.
    pub fn class(&self) -> &str {
        self.key.partition.split('#').next().unwrap_or_default()
    }
}

/// A page of the due items of one class and shard, the earliest due first.
#[derive(Debug, Default)]
pub struct DuePage {
    pub items: Vec<DueItem>,
    pub unknown: Vec<UnknownDue>,
    /// Where the next page begins; `None` if this is the last one.
    pub next: Option<String>,
}

/// A position in the index, as text in [`DuePage::next`].
#[derive(Serialize, Deserialize)]
struct Position(i64, String, String);

impl Position {
    fn of(item: &Item) -> Option<String> {
        let key = key_of(item)?;
        serde_json::to_string(&Position(due_at(item)?.millis(), key.partition, key.sort)).ok()
    }

    fn start_key(text: &str, partition: &str) -> Result<Item, Failure> {
        let Position(at, key, sort) = serde_json::from_str(text).map_err(Failure::internal)?;
        let mut start = key_attributes(&Key { partition: key, sort });
        start.insert(DUE_PARTITION.to_owned(), AttributeValue::S(partition.to_owned()));
        start.insert(DUE_AT.to_owned(), number(at));
        Ok(start)
    }
}

fn due_at(item: &Item) -> Option<Timestamp> {
    item.get(DUE_AT)?.as_n().ok()?.parse().ok().map(Timestamp::from_millis)
}

fn parse(key: &Key, at: Timestamp) -> Option<DueItem> {
    let parsed = key.parse()?;
    let organization = parsed.organization()?;
    let due = match parsed.class {
        KeyClass::Event => Due::Event(parsed.id()?),
        KeyClass::Delivery => Due::Delivery(parsed.id()?, DeliveryId::from_ksuid(&key.sort).ok()?),
        KeyClass::Recovery => Due::Recovery(parsed.id()?, RecoveryId::from_ksuid(&key.sort).ok()?),
        KeyClass::Media => Due::Media(parsed.id()?),
        KeyClass::Message => Due::Message(parsed.id()?),
        KeyClass::SmsMessage => Due::Sms(parsed.id()?),
        KeyClass::Onboarding => Due::Onboarding(parsed.own_part()?.to_owned()),
        KeyClass::Disconnection => Due::Disconnection(parsed.id()?),
        KeyClass::DeletedApp => Due::DeletedApp(key.sort.clone()),
        KeyClass::Erasure => Due::Erasure(key.sort.clone()),
        KeyClass::History => Due::History(parsed.id()?),
        // Only live numbers can be linked, and only linked ones become due.
        KeyClass::PhoneNumber => Due::PhoneNumber(PhoneNumberId::from_ksuid(Mode::Live, &key.sort).ok()?),
        // Only live profiles are checked.
        KeyClass::Profile => Due::Profile(ChatBusinessProfileId::live(&key.sort).ok()?),
        _ => return None,
    };
    Some(DueItem { organization, due, at, key: key.clone() })
}

impl Store {
    /// Returns the next page of due items of a class and shard, as many as DynamoDB reads at once (1 MiB). `after` is
    /// `next` of the previous page.
    pub async fn due(
        &self,
        class: DueClass,
        shard: u32,
        now: Timestamp,
        after: Option<&str>,
    ) -> Result<DuePage, Failure> {
        let partition = index::partition(class, shard);
        let after = after.map(|after| Position::start_key(after, &partition)).transpose()?;
        let (entries, last) = self.table.due(DueRange { partition, now, after, limit: None }).await?;
        let mut page = DuePage {
            items: Vec::with_capacity(entries.len()),
            unknown: Vec::new(),
            next: last.as_ref().and_then(Position::of),
        };
        // The index contains no entry without a key and a time.
        for (key, at) in entries.iter().filter_map(|entry| Some((key_of(entry)?, due_at(entry)?))) {
            match parse(&key, at) {
                Some(item) => page.items.push(item),
                None => page.unknown.push(UnknownDue { key }),
            }
        }
        Ok(page)
    }

    /// Returns the due time of the earliest due entry of a class and shard, whether or not this release understands it;
    /// `None` if nothing is due.
    pub async fn oldest_due(&self, class: DueClass, shard: u32, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
        let partition = index::partition(class, shard);
        let (entries, _) = self.table.due(DueRange { partition, now, after: None, limit: Some(1) }).await?;
        Ok(entries.first().and_then(due_at))
    }

    /// Postpones a due item. Does nothing if the item is no longer due or was deleted.
    pub async fn postpone(&self, item: &DueItem, until: Timestamp) -> Result<(), Failure> {
        let update =
            Update::new(item.key.clone()).set_value(DUE_AT, number(until.millis())).when("attribute_exists(#dueAt)");
        self.table.try_update(update).await.map(|_| ())
    }

    /// Postpones an entry that this release does not understand. The call names no attribute but the due time, because
    /// the sweep is not permitted to change anything else in such an item.
    pub async fn put_off(&self, unknown: &UnknownDue, until: Timestamp) -> Result<(), Failure> {
        self.table.put_off(&unknown.key, until).await
    }

    /// Removes an item from the due index.
    pub async fn no_longer_due(&self, item: &DueItem) -> Result<(), Failure> {
        let update = Update::new(item.key.clone()).not_due().if_present();
        self.table.try_update(update).await.map(|_| ())
    }

    /// Postpones a due item that still has the revision and the due time that were read. Otherwise returns `false`: a
    /// concurrent writer has already set its due time, or another sweep has processed it.
    pub async fn postpone_as_seen(&self, item: &DueItem, until: Timestamp, revision: u64) -> Result<bool, Failure> {
        let update = Update::new(item.key.clone())
            .set_value(DUE_AT, number(until.millis()))
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(revision))
            .when("#dueAt = :seenDueAt")
            .value(":seenDueAt", number(item.at.millis()));
        Ok(self.table.try_update(update).await?.is_ok())
    }

    /// Removes an item from the due index if it still has the revision that was read.
    pub async fn no_longer_due_as_seen(&self, item: &DueItem, revision: u64) -> Result<(), Failure> {
        let update = Update::new(item.key.clone())
            .not_due()
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(revision));
        self.table.try_update(update).await.map(|_| ())
    }
}
