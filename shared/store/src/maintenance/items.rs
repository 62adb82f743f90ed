//! Items as they were read from the table, with access to their entities.

use std::collections::BTreeMap;

use domain::id::OrganizationId;
use domain::{Failure, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::item::{DUE_AT, Item, NewItem, entity, key_attributes, key_of, number};
use crate::keys::{Key, KeyClass};

/// Items by key.
#[derive(Default)]
pub struct Items(BTreeMap<Key, Item>);

/// An entity and its key.
pub struct Found<T> {
    pub key: Key,
    pub entity: T,
}

impl<T> Found<T> {
    /// Returns the organization in the key. Fails for classes whose keys contain none.
    pub fn organization(&self) -> Result<OrganizationId, Failure> {
        organization_of(&self.key)
    }
}

pub(super) fn organization_of(key: &Key) -> Result<OrganizationId, Failure> {
    let named = key.parse().and_then(|parsed| parsed.organization());
    named.ok_or_else(|| Failure::internal("the key of an item names no organization"))
}

impl Items {
    pub(super) fn new(items: Vec<Item>) -> Result<Self, Failure> {
        let with_key = |item: Item| Some((key_of(&item)?, item));
        let items: Option<BTreeMap<Key, Item>> = items.into_iter().map(with_key).collect();
        items.map(Items).ok_or_else(|| Failure::internal("an item has no key"))
    }

    pub fn contains(&self, key: &Key) -> bool {
        self.0.contains_key(key)
    }

    pub fn remove(&mut self, key: &Key) {
        self.0.remove(key);
    }

    /// Replaces an entity.
    pub fn replace<T: Serialize>(&mut self, key: &Key, entity: &T) -> Result<(), Failure> {
        let item = NewItem::new(key, entity)?;
        self.0.insert(key.clone(), item.0);
        Ok(())
    }

    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.keys()
    }

    pub fn organizations(&self) -> Result<Vec<OrganizationId>, Failure> {
        let keys = self.of(KeyClass::Organization).map(|(key, _)| key);
        keys.filter(|key| key.sort == KeyClass::Organization.as_str()).map(organization_of).collect()
    }

    pub(super) fn set_counter(&mut self, key: &Key, name: &str, count: i64) {
        let item = self.0.entry(key.clone()).or_insert_with(|| key_attributes(key));
        item.insert(name.to_owned(), number(count));
    }

    pub fn get<T: DeserializeOwned>(&self, key: &Key) -> Result<Option<T>, Failure> {
        self.0.get(key).cloned().map(entity).transpose()
    }

    /// Returns all entities of a class, ordered by key.
    pub fn all<T: DeserializeOwned>(&self, class: KeyClass) -> Result<Vec<Found<T>>, Failure> {
        let of_class = self.of(class);
        of_class.map(|(key, item)| Ok(Found { key: key.clone(), entity: entity(item.clone())? })).collect()
    }

    pub(super) fn of(&self, class: KeyClass) -> impl Iterator<Item = (&Key, &Item)> {
        self.0.iter().filter(move |(key, _)| key.class() == Some(class))
    }

    /// Returns the value of a counter, zero if it does not exist.
    pub(super) fn counter(&self, key: &Key, name: &str) -> i64 {
        let value = self.0.get(key).and_then(|item| item.get(name));
        value.and_then(|value| value.as_n().ok()?.parse().ok()).unwrap_or(0)
    }

    pub(super) fn due_after(&self, now: Timestamp) -> Vec<Key> {
        let is_later = |key: &&Key| self.counter(key, DUE_AT) > now.millis();
        self.0.keys().filter(is_later).cloned().collect()
    }
}
