//! SMS messages of the playground.

use serde::{Deserialize, Serialize};

use crate::chat::Direction;
use crate::id::{AppId, SmsMessageId};
use crate::{E164, Open, Timestamp};

/// The longest text of an SMS message, in characters.
pub const TEXT_LENGTH: usize = 1600;

/// The state of an SMS message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SmsStatus {
    Received,
    Sent,
    Delivered,
    Failed,
}

/// An SMS message of the playground.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SmsMessage {
    pub id: SmsMessageId,
    pub app_id: AppId,
    pub from: E164,
    pub to: E164,
    pub text: String,
    pub direction: Direction,
    pub status: Open<SmsStatus>,
    pub created_at: Timestamp,
}

/// Returns whether the playground fails messages to this number, so that customers can test their error handling.
pub fn fails_in_the_playground(to: &E164) -> bool {
    to.as_str().ends_with("0000")
}
