//! The batch of SQS messages that Lambda passes to a function, and the response that reports failures per message.

use std::collections::HashMap;

use domain::Timestamp;
use serde::{Deserialize, Serialize};

/// The message attribute with the time at which the work was first queued, in milliseconds since 1970. Only messages
/// that a retry has put back have it.
pub(super) const FIRST_SENT_AT: &str = "FirstSentAt";

/// A Lambda invocation by SQS.
#[derive(Deserialize)]
pub struct QueueEvent {
    #[serde(rename = "Records")]
    pub records: Vec<QueueMessage>,
}

impl QueueEvent {
    /// Returns the response that lists the messages to be retried. `done` is, for each message in order, whether it was
    /// processed.
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
    #[serde(default)]
    pub message_attributes: HashMap<String, MessageAttribute>,
    /// The ARN of the queue that the message comes from.
    #[serde(default, rename = "eventSourceARN")]
    pub source: Option<String>,
}

/// An attribute that the sender of a message has set.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageAttribute {
    pub string_value: Option<String>,
}

impl QueueMessage {
    /// Returns how often the message was received, including this time.
    pub fn received(&self) -> u32 {
        let count = self.attributes.get("ApproximateReceiveCount").and_then(|count| count.parse().ok());
        count.unwrap_or(1).max(1)
    }

    /// Returns when the work was first queued; `None` if the message has no such attribute.
    pub(super) fn first_sent_at(&self) -> Option<Timestamp> {
        let copied = self.message_attributes.get(FIRST_SENT_AT).and_then(|attribute| attribute.string_value.as_ref());
        let millis = copied.or_else(|| self.attributes.get("SentTimestamp"))?;
        millis.parse().ok().map(Timestamp::from_millis)
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
