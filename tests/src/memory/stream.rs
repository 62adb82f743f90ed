//! The stream of the table: its changes in order, with the items before and after each.

use serde_json::{Value, json};

use super::expression::Item;

/// The changes that nobody has taken yet.
#[derive(Default)]
pub(crate) struct Stream {
    records: Vec<Value>,
    reported: u64,
}

impl Stream {
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Forgets the last records, whose transaction was not made.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.records.truncate(length);
    }

    /// Adds a record, unless the write has changed nothing.
    pub(crate) fn report(&mut self, key: &(String, String), before: Option<&Item>, after: Option<&Item>) {
        if before == after {
            return;
        }
        self.reported += 1;
        let event = match (before, after) {
            (None, _) => "INSERT",
            (Some(_), None) => "REMOVE",
            (Some(_), Some(_)) => "MODIFY",
        };
        let mut images = json!({
            "Keys": {"PK": {"S": key.0}, "SK": {"S": key.1}},
            "SequenceNumber": format!("{:021}", self.reported),
        });
        for (name, item) in [("OldImage", before), ("NewImage", after)] {
            if let Some(item) = item {
                images[name] = json!(item);
            }
        }
        self.records.push(json!({"eventName": event, "dynamodb": images}));
    }

    pub(crate) fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.records)
    }
}
