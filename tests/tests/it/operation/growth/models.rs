//! Copies of items: what the API wrote for one object becomes the items of others.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::Timestamp;
use domain::due::DueClass;
use domain::id::mint_ksuid;
use domain::port::Random;
use serde_json::json;

pub(super) const KSUID: usize = 27;
const DIGITS: usize = 7;

pub(super) type Item = HashMap<String, AttributeValue>;

/// The items that the API wrote for one object, as a model for others.
pub(super) struct Model {
    pub(super) items: Vec<Item>,
    pub(super) own: Vec<Own>,
}

/// Values that are unique per object.
pub(super) enum Own {
    Ksuid(String),
    /// A value whose last digits are the object's number.
    Counted(String),
}

impl Own {
    /// The last part of an id, which is a KSUID.
    pub(super) fn ksuid_of(id: &str) -> Own {
        Own::Ksuid(id[id.len() - KSUID..].to_owned())
    }

    pub(super) fn counted(text: &str) -> Own {
        Own::Counted(text.to_owned())
    }
}

/// Replaces the last digits of a value with the number of an object.
pub(super) fn counted(text: &str, n: usize) -> String {
    format!("{}{n:0DIGITS$}", &text[..text.len() - DIGITS])
}

/// Ids in the order of their numbers, all older than objects created now.
#[derive(Clone, Copy)]
pub(super) struct Ids {
    pub(super) newest: Timestamp,
    pub(super) size: usize,
}

impl Ids {
    pub(super) fn ksuid(&self, n: usize) -> String {
        self.ksuid_of_part(n, 0)
    }

    /// Ids of things that belong to an object.
    fn ksuid_of_part(&self, n: usize, part: usize) -> String {
        let age = i64::try_from(self.size - n).unwrap();
        mint_ksuid(Timestamp::from_millis(self.newest.millis() - age), &Numbered(part))
    }
}

/// A source of bytes that is always the same number.
struct Numbered(usize);

impl Random for Numbered {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
        bytes[..8].copy_from_slice(&self.0.to_be_bytes());
    }
}

impl Model {
    /// The items of the n-th object of the kind.
    pub(super) fn numbered(&self, n: usize, ids: &Ids) -> Vec<Item> {
        let names: Vec<(&str, String)> = self
            .own
            .iter()
            .enumerate()
            .map(|(part, own)| match own {
                Own::Ksuid(text) => (text.as_str(), ids.ksuid_of_part(n, part)),
                Own::Counted(text) => (text.as_str(), counted(text, n)),
            })
            .collect();
        self.items.iter().map(|item| renamed(item, &names)).collect()
    }
}

/// An item of the model, as the item of another object.
fn renamed(item: &Item, names: &[(&str, String)]) -> Item {
    let mut renamed: Item = item.iter().map(|(name, value)| (name.clone(), renamed_value(value, names))).collect();
    let partition = string(&renamed, "PK");
    if let Some((of_profile, _)) = partition.rsplit_once('#').filter(|_| partition.starts_with("TPL#")) {
        let spread = spread(&string(&renamed, "SK"));
        renamed.insert("PK".to_owned(), AttributeValue::S(format!("{of_profile}#{spread}")));
    }
    if partition.starts_with("EVT#") {
        // The state after dispatch, which lasts for thirty days.
        renamed.remove("duePartition");
        renamed.remove("dueAt");
    } else if let Some(AttributeValue::S(due)) = renamed.get("duePartition") {
        let class = due.split('#').next().unwrap();
        let shards = serde_json::from_value::<DueClass>(json!(class)).unwrap().shards();
        let shard = hash(&format!("{partition}{}", string(&renamed, "SK"))) % shards;
        renamed.insert("duePartition".to_owned(), AttributeValue::S(format!("{class}#{shard}")));
    }
    renamed
}

fn renamed_value(value: &AttributeValue, names: &[(&str, String)]) -> AttributeValue {
    let rename = |text: &String| names.iter().fold(text.clone(), |text, (from, to)| text.replace(from, to));
    match value {
        AttributeValue::S(text) => AttributeValue::S(rename(text)),
        AttributeValue::Ss(members) => AttributeValue::Ss(members.iter().map(rename).collect()),
        AttributeValue::L(items) => AttributeValue::L(items.iter().map(|item| renamed_value(item, names)).collect()),
        AttributeValue::M(map) => {
            AttributeValue::M(map.iter().map(|(name, value)| (name.clone(), renamed_value(value, names))).collect())
        }
        other => other.clone(),
    }
}

/// Spreads keys over sixteen partitions like shared/store/src/keys/key.rs; otherwise seeded objects would be missing in lists.
pub(super) fn spread(key: &str) -> u32 {
    hash(key) % 16
}

fn hash(key: &str) -> u32 {
    key.bytes().fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
}

pub(super) fn string(item: &Item, name: &str) -> String {
    item[name].as_s().unwrap().clone()
}
