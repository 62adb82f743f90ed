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

    /// The only item of its partition, or the chief one: its sort key is the name of the class.
    pub(super) fn alone(class: KeyClass, parts: &[&dyn Display]) -> Self {
        Key::new(class.partition(parts), class.as_str())
    }

    /// `None`: of a class that this version does not know.
    pub fn class(&self) -> Option<KeyClass> {
        self.parse().map(|parsed| parsed.class)
    }

    pub fn parse(&self) -> Option<ParsedKey<'_>> {
        ParsedKey::parse(&self.partition)
    }
}

/// One of so many partitions. Any even spread will do: FNV-1a over the key.
pub(crate) fn spread(key: &str, partitions: u32) -> u32 {
    key.bytes().fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619)) % partitions
}
