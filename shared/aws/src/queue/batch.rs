//! A batch of messages as Lambda hands it over, and the answer that reports failures item by item.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);

#[derive(Deserialize)]
pub struct QueueEvent {
    #[serde(rename = "Records")]
    pub records: Vec<QueueMessage>,
}

impl QueueEvent {
    /// Names the messages whose work is not done; `done` stands in their order.
    pub fn outcome(&self, done: Vec<bool>) -> Outcome {
        let failed = self.records.iter().zip(done).filter(|(_, done)| !done);
        let batch_item_failures =
            failed.map(|(message, _)| ItemFailure { item_identifier: message.message_id.clone() }).collect();
        Outcome { batch_item_failures }
    }
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
    pub fn received(&self) -> u32 {
        let count = self.attributes.get("ApproximateReceiveCount").and_then(|count| count.parse().ok());
        count.unwrap_or(1).max(1)
    }

    /// How long it waits for its next try: five times as long each time.
    pub(crate) fn pause(&self, first: Duration) -> Duration {
        first.saturating_mul(5_u32.saturating_pow(self.received() - 1)).min(LONGEST_PAUSE)
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
