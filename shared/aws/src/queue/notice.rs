//! The messages that SNS delivers to a queue.

use domain::Timestamp;
use serde::Deserialize;

/// A message of a topic in its envelope.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Notice {
    pub message: String,
    /// When the message was published.
    pub timestamp: Timestamp,
}
