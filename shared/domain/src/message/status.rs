//! The status of a message: how far it has got.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How far a message has got: to the recipient, or of several recipients to the one whom it has reached most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = MessageStatus)]
pub enum MessageStatus {
    /// The message was received here.
    Received,
    /// The message waits, here or at the provider, or its outcome is unknown.
    Queued,
    /// The provider has sent the message.
    Sent,
    Delivered,
    /// The recipient has read the message. Only chat messages are.
    Read,
    /// The message was not sent, or not delivered.
    Failed,
}
