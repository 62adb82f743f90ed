//! What Lambda passes from a stream with a tumbling window. The window is of no use to the counting, but only with one does
//! Lambda name the shard.

use std::cmp::Ordering;

use domain::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::{ItemChange, MeterPosition};

/// Records of one shard of the table's stream, in order.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Window {
    /// There are none when a window ends.
    #[serde(rename = "Records", default)]
    records: Vec<Record>,
    shard_id: Option<String>,
    #[serde(rename = "eventSourceARN")]
    source: Option<String>,
}

/// A record: the change of an item.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    event_name: String,
    dynamodb: Images,
    #[serde(rename = "eventSourceARN")]
    source: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Images {
    keys: Keys,
    old_image: Option<serde_dynamo::Item>,
    new_image: Option<serde_dynamo::Item>,
    sequence_number: String,
    /// In seconds since 1970.
    approximate_creation_date_time: f64,
}

#[derive(Deserialize)]
struct Keys {
    #[serde(rename = "PK")]
    partition: Text,
    #[serde(rename = "SK")]
    sort: Text,
}

#[derive(Deserialize)]
struct Text {
    #[serde(rename = "S")]
    text: String,
}

/// The response: no record has failed, and nothing is kept for the rest of the window.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counting {
    state: Map<String, Value>,
    batch_item_failures: Vec<Value>,
}

impl Window {
    /// Returns the shard, with the stream that it belongs to: a restored table has another one.
    pub(crate) fn shard(&self) -> Option<String> {
        let source = self.source.as_deref().or_else(|| self.records.first()?.source.as_deref());
        let stream = source?.rsplit('/').next()?;
        Some(format!("{stream}/{}", self.shard_id.as_deref()?))
    }

    pub(crate) fn into_records(self) -> Vec<Record> {
        self.records
    }
}

impl Record {
    /// Returns the place in the shard. Sequence numbers are whole numbers of up to 40 digits.
    pub(crate) fn place(&self) -> Place<'_> {
        Place::of(&self.dynamodb.sequence_number)
    }

    pub(crate) fn is_after(&self, position: Option<&MeterPosition>) -> bool {
        position.is_none_or(|position| self.place() > Place::of(&position.sequence))
    }

    /// Returns whether an item was written, and the record does not show it: the stream has another view type than this function needs.
    pub(crate) fn is_blind(&self) -> bool {
        self.event_name != "REMOVE" && self.dynamodb.new_image.is_none()
    }

    /// Returns the position of the shard once this record is counted.
    pub(crate) fn position(&self, now: Timestamp) -> MeterPosition {
        #[expect(clippy::cast_possible_truncation, reason = "a time in milliseconds has 13 digits")]
        let written_at = (self.dynamodb.approximate_creation_date_time * 1000.0) as i64;
        MeterPosition {
            sequence: self.dynamodb.sequence_number.clone(),
            counted_until: Timestamp::from_millis(written_at),
            written_at: now,
        }
    }

    pub(crate) fn change(&self) -> ItemChange {
        let images = &self.dynamodb;
        let image = |image: &Option<serde_dynamo::Item>| image.clone().map(Into::into);
        ItemChange {
            partition: images.keys.partition.text.clone(),
            sort: images.keys.sort.text.clone(),
            before: image(&images.old_image),
            after: image(&images.new_image),
        }
    }
}

/// A sequence number, ordered as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place<'a>(&'a str);

impl<'a> Place<'a> {
    fn of(sequence: &'a str) -> Self {
        Place(sequence.trim_start_matches('0'))
    }
}

impl Ord for Place<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.len(), self.0).cmp(&(other.0.len(), other.0))
    }
}

impl PartialOrd for Place<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_are_ordered_as_numbers() {
        let numbers = ["9", "00010", "111", "300000000000000499659", "1000000000000004996590"];
        for pair in numbers.windows(2) {
            assert!(Place::of(pair[0]) < Place::of(pair[1]), "{pair:?}");
        }
        assert_eq!(Place::of("007"), Place::of("7"));
    }
}
