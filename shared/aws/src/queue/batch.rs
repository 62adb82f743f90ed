//! The batch of SQS messages that Lambda passes to a function, and the response that reports failures per message.

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);

/// A Lambda invocation by SQS.
#[derive(Deserialize)]
pub struct QueueEvent {
    #[serde(rename = "Records")]
    pub records: Vec<QueueMessage>,
}

impl QueueEvent {
    /// Returns the response that lists the messages to be retried. `done` says for each message, in order, whether it
    /// was processed.
    pub fn outcome(&self, done: Vec<bool>) -> Outcome {
        let failed = self.records.iter().zip(done).filter(|(_, done)| !done);
        let batch_item_failures =
            failed.map(|(message, _)| ItemFailure { item_identifier: message.message_id.clone() }).collect();
        Outcome { batch_item_failures }
    }
}

/// One SQS message of an invocation.
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
    /// Returns how often the message was received, this time included.
    pub fn received(&self) -> u32 {
        let count = self.attributes.get("ApproximateReceiveCount").and_then(|count| count.parse().ok());
        count.unwrap_or(1).max(1)
    }

    /// Returns the pause before the next retry: exponential backoff from `first`, by a factor of five.
    pub(crate) fn pause(&self, first: Duration) -> Duration {
        first.saturating_mul(5_u32.saturating_pow(self.received() - 1)).min(LONGEST_PAUSE)
    }
}

/// The response to an invocation by SQS (`ReportBatchItemFailures`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    pub batch_item_failures: Vec<ItemFailure>,
}

/// A message that was not processed and that SQS delivers again.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemFailure {
    pub item_identifier: String,
}
