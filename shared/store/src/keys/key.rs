//! The primary key of an item.

use std::fmt::Display;

use super::class::{KeyClass, ParsedKey};

/// The primary key of one item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub partition: String,
    pub sort: String,
}

impl Key {
    pub(super) fn new(partition: String, sort: impl Into<String>) -> Self {
        Key { partition, sort: sort.into() }
    }

    /// Returns the key of the only item of a partition, or of its main item. The sort key is the name of the class.
    pub(super) fn alone(class: KeyClass, parts: &[&dyn Display]) -> Self {
        Key::new(class.partition(parts), class.as_str())
    }

    /// Returns the class; `None` if this release does not know it.
    pub fn class(&self) -> Option<KeyClass> {
        self.parse().map(|parsed| parsed.class)
    }

    /// Returns one of `shards` shards, by partition and sort key, so that items of the same partition spread too.
    pub(crate) fn shard(&self, shards: u32) -> u32 {
        hash(self.partition.bytes().chain(self.sort.bytes())) % shards
    }

    /// Parses the partition key; `None` if this release does not know its class.
    pub fn parse(&self) -> Option<ParsedKey<'_>> {
        ParsedKey::parse(&self.partition)
    }
}

/// Returns one of `partitions` partitions, by the FNV-1a hash of the key. Any hash that spreads keys evenly would do.
pub(crate) fn spread(key: &str, partitions: u32) -> u32 {
    hash(key.bytes()) % partitions
}

fn hash(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(2_166_136_261, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
}
