//! The recipients of a chat message, each with a status of its own.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::message::reason::MessageProvider;
use crate::message::step::Step;
use crate::{E164, Open, Timestamp};

/// The status of a message for one recipient: the last of these values whose time is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = ChatMessageRecipientStatus)]
pub enum RecipientStatus {
    Queued,
    Sent,
    Delivered,
    Read,
    Failed,
}

impl RecipientStatus {
    pub const ALL: [RecipientStatus; 5] = [
        RecipientStatus::Queued,
        RecipientStatus::Sent,
        RecipientStatus::Delivered,
        RecipientStatus::Read,
        RecipientStatus::Failed,
    ];
}

/// A recipient of an outbound message.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMessageRecipient)]
pub struct Recipient {
    /// For a group member, the digits of the phone number or the WhatsApp user id.
    pub id: String,
    /// Omitted if WhatsApp supplies only a user id.
    pub phone_number: Option<E164>,
    /// The WhatsApp user id of the recipient.
    pub user_id: Option<String>,
    #[schema(value_type = RecipientStatus)]
    pub status: Open<RecipientStatus>,
    pub queued_at: Option<Timestamp>,
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    /// The error code for the failure of the message. Not every failure has one.
    pub error_code: Option<String>,
    /// A description of the failure.
    pub error_message: Option<String>,
    pub provider: Option<MessageProvider>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The events that have reported its statuses. Stored, but not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(ignore)]
    pub steps: Vec<Step>,
}

impl Recipient {
    /// Returns a recipient without any reported status.
    pub(in crate::chat) fn new(id: String, now: Timestamp) -> Self {
        Recipient {
            id,
            phone_number: None,
            user_id: None,
            status: RecipientStatus::Queued.into(),
            queued_at: None,
            sent_at: None,
            delivered_at: None,
            read_at: None,
            failed_at: None,
            error_code: None,
            error_message: None,
            provider: None,
            created_at: now,
            updated_at: now,
            steps: Vec::new(),
        }
    }
}
