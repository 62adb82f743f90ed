//! Conversion between entities and the table's items. Attribute names common to all items are defined here.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{Failure, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::keys::Key;

pub(crate) type Item = HashMap<String, AttributeValue>;

pub(crate) const PARTITION: &str = "PK";
pub(crate) const SORT: &str = "SK";
/// The version of the item's format, for readers of later releases.
pub(crate) const VERSION: &str = "v";
/// The expiry for the table's TTL, in seconds since 1970.
pub(crate) const TTL: &str = "ttl";
/// Whether the item counts in the usage: messages and deliveries of earlier releases do not, until they are marked as well.
pub(crate) const METERED: &str = "metered";
/// The partition key of the due index: class of work and shard.
pub(crate) const DUE_PARTITION: &str = "duePartition";
/// The sort key of the due index: the time at which the item is due, in milliseconds since 1970.
pub(crate) const DUE_AT: &str = "dueAt";

/// An item about to be written.
pub(crate) struct NewItem(pub(crate) Item);

impl NewItem {
    /// Returns the item of `entity` under `key`. Fields that are `None` are not written.
    pub(crate) fn new<T: Serialize>(key: &Key, entity: &T) -> Result<Self, Failure> {
        let mut item: Item = serde_dynamo::to_item(entity).map_err(Failure::internal)?;
        item.extend(key_attributes(key));
        item.insert(VERSION.to_owned(), AttributeValue::N("1".to_owned()));
        Ok(NewItem(item))
    }

    /// Returns an item with nothing but its key.
    pub(crate) fn marker(key: &Key) -> Self {
        let mut item = key_attributes(key);
        item.insert(VERSION.to_owned(), AttributeValue::N("1".to_owned()));
        NewItem(item)
    }

    /// Turns the list to which serde serialized a set into a DynamoDB string set, which `ADD` and `DELETE` require.
    pub(crate) fn string_set(mut self, name: &str) -> Self {
        if let Some(AttributeValue::L(list)) = self.0.remove(name) {
            let members: Vec<String> = list.into_iter().filter_map(|value| value.as_s().ok().cloned()).collect();
            if !members.is_empty() {
                self.0.insert(name.to_owned(), AttributeValue::Ss(members));
            }
        }
        self
    }

    pub(crate) fn with(mut self, name: &str, value: AttributeValue) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }

    pub(crate) fn expiring(self, at: Timestamp) -> Self {
        self.with(TTL, number(at.seconds()))
    }

    /// Like `expiring`, for an item that may have no end.
    pub(crate) fn ending(self, at: Option<Timestamp>) -> Self {
        match at {
            Some(at) => self.expiring(at),
            None => self,
        }
    }
}

pub(crate) fn number(value: impl ToString) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

pub(crate) fn key_attributes(key: &Key) -> Item {
    HashMap::from([
        (PARTITION.to_owned(), AttributeValue::S(key.partition.clone())),
        (SORT.to_owned(), AttributeValue::S(key.sort.clone())),
    ])
}

/// Returns the key of an item.
pub(crate) fn key_of(item: &Item) -> Option<Key> {
    let text = |name| item.get(name).and_then(|value| value.as_s().ok()).cloned();
    Some(Key { partition: text(PARTITION)?, sort: text(SORT)? })
}

/// Returns the entity in an item. Attributes that this release does not know are ignored. The error of the deserializer
/// is dropped, because it may quote stored data.
pub(crate) fn entity<T: DeserializeOwned>(item: Item) -> Result<T, Failure> {
    let unreadable = |_| Failure::internal(format!("an item cannot be read as {}", std::any::type_name::<T>()));
    serde_dynamo::from_item(item).map_err(unreadable)
}

pub(crate) fn entities<T: DeserializeOwned>(items: Vec<Item>) -> Result<Vec<T>, Failure> {
    items.into_iter().map(entity).collect()
}

/// Returns the size of an item in bytes, as DynamoDB counts it.
pub(crate) fn size(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + size_of_value(value)).sum()
}

fn size_of_value(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(digits) => digits.len().div_ceil(2) + 1,
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::Ss(members) => members.iter().map(String::len).sum(),
        AttributeValue::L(values) => 3 + values.iter().map(|value| 1 + size_of_value(value)).sum::<usize>(),
        AttributeValue::M(map) => 3 + map.len() + size(map),
        _ => 1,
    }
}

pub(crate) fn value<T: Serialize>(value: &T) -> Result<AttributeValue, Failure> {
    serde_dynamo::to_attribute_value(value).map_err(Failure::internal)
}

/// Returns the time at which an item with this TTL ends.
pub(crate) fn ends_at(ttl: i64) -> Timestamp {
    Timestamp::from_millis(ttl.saturating_mul(1000))
}
