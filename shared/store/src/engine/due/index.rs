//! Adding items to the index `due`, and removing them.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::due::DueClass;
use domain::{Failure, Timestamp};

use crate::engine::expression::Update;
use crate::engine::item::{DUE_AT, DUE_PARTITION, NewItem, key_of, number};
use crate::keys::Key;

/// Returns the partition of the index that holds the due items of this class and shard.
pub(super) fn partition(class: DueClass, shard: u32) -> String {
    format!("{}#{shard}", class.as_str())
}

fn partition_of(key: &Key, class: DueClass) -> String {
    partition(class, key.shard(class.shards()))
}

impl NewItem {
    /// Adds the item to the due index.
    pub(crate) fn due(self, class: DueClass, at: Timestamp) -> Self {
        let partition = key_of(&self.0).map(|key| partition_of(&key, class)).unwrap_or_default();
        self.with(DUE_PARTITION, AttributeValue::S(partition)).with(DUE_AT, number(at.millis()))
    }
}

impl Update {
    /// Adds the item to the due index, or changes the time at which it is due.
    pub(crate) fn due(self, class: DueClass, at: Timestamp) -> Self {
        let partition = partition_of(&self.key, class);
        self.set_value(DUE_PARTITION, AttributeValue::S(partition)).set_value(DUE_AT, number(at.millis()))
    }

    /// Adds the item to the due index, unless it is in it already.
    pub(crate) fn due_if_absent(self, class: DueClass, at: Timestamp) -> Result<Self, Failure> {
        let partition = partition_of(&self.key, class);
        self.set_if_absent(DUE_PARTITION, &partition)?.set_if_absent(DUE_AT, &at.millis())
    }

    /// Removes the item from the due index.
    pub(crate) fn not_due(self) -> Self {
        self.remove(DUE_PARTITION).remove(DUE_AT)
    }
}
