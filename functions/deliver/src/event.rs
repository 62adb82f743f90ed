//! The event of an SQS mapping that reports failures item by item.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub struct QueueEvent {
    #[serde(rename = "Records")]
    pub records: Vec<QueueMessage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueMessage {
    pub message_id: String,
    pub receipt_handle: String,
    pub body: String,
    #[serde(default)]
    pub attributes: HashMap<String, String>,
}

impl QueueMessage {
    /// How often it was received, this time included.
    pub(crate) fn received(&self) -> u32 {
        let count = self.attributes.get("ApproximateReceiveCount").and_then(|count| count.parse().ok());
        count.unwrap_or(1).max(1)
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    pub batch_item_failures: Vec<ItemFailure>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemFailure {
    pub item_identifier: String,
}
