//! Statuses of outbound messages as the platform reports them.

use crate::chat::RecipientStatus;
use crate::{E164, Timestamp};

/// What the platform says of one recipient of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusUpdate {
    pub recipient: RecipientRef,
    pub status: RecipientStatus,
    pub at: Timestamp,
    pub error: Option<StatusError>,
    pub conversation: Option<ConversationNote>,
}

/// A recipient that the platform does not name.
const NOBODY: &str = "unknown";

/// Who it is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecipientRef {
    /// Of a member of a group: the digits of the number, or the platform's id of the user where it gives no number. `None`:
    /// the one recipient of a message that went to one.
    pub id: Option<String>,
    pub phone_number: Option<E164>,
}

impl RecipientRef {
    /// However the platform names the one recipient, by number or by user id, it is the same.
    pub fn only(digits: Option<&str>) -> Self {
        RecipientRef { id: None, phone_number: digits.and_then(E164::from_digits_in) }
    }

    pub fn member(digits: Option<&str>, user_id: Option<&str>) -> Self {
        let phone_number = digits.and_then(E164::from_digits_in);
        let said = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        let id = phone_number.as_ref().map(|number| number.digits().to_owned());
        let id = id.or(said(user_id)).or(said(digits)).unwrap_or_else(|| NOBODY.to_owned());
        RecipientRef { id: Some(id), phone_number }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatusError {
    pub code: String,
    pub title: Option<String>,
    pub message: Option<String>,
    pub details: Option<String>,
}

/// Conversation and price, as some statuses carry them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationNote {
    pub id: Option<String>,
    pub origin_type: Option<String>,
    pub expires_at: Option<Timestamp>,
    pub pricing_model: Option<String>,
    pub pricing_category: Option<String>,
    pub pricing_billable: Option<bool>,
}
