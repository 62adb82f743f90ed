//! Status updates of outbound messages, as the platform reports them.

use crate::chat::RecipientStatus;
use crate::{E164, Timestamp};

/// The status of a message for one of its recipients, with the platform's timestamp.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusUpdate {
    pub recipient: RecipientRef,
    pub status: RecipientStatus,
    pub at: Timestamp,
    pub error: Option<StatusError>,
    pub conversation: Option<ConversationNote>,
}

/// The id of a recipient that the platform does not identify.
const UNIDENTIFIED: &str = "unknown";

/// The recipient that a status update is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecipientRef {
    /// Of a group member: the digits of the phone number, or the platform's user id if the platform supplies no number.
    /// `None` for the single recipient of a message that was not sent to a group.
    pub id: Option<String>,
    pub phone_number: Option<E164>,
}

impl RecipientRef {
    /// Returns the single recipient of a message. It is the same whether the platform identifies it by number or by
    /// user id.
    pub fn only(digits: Option<&str>) -> Self {
        RecipientRef { id: None, phone_number: digits.and_then(E164::from_digits_in) }
    }

    /// Returns a group member as a recipient.
    pub fn member(digits: Option<&str>, user_id: Option<&str>) -> Self {
        let phone_number = digits.and_then(E164::from_digits_in);
        let non_empty = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        let id = phone_number.as_ref().map(|number| number.digits().to_owned());
        let id = id.or(non_empty(user_id)).or(non_empty(digits)).unwrap_or_else(|| UNIDENTIFIED.to_owned());
        RecipientRef { id: Some(id), phone_number }
    }
}

/// Why a message failed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatusError {
    pub code: String,
    pub title: Option<String>,
    pub message: Option<String>,
    pub details: Option<String>,
}

/// The conversation and its price, which some status updates contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationNote {
    pub id: Option<String>,
    pub origin_type: Option<String>,
    pub expires_at: Option<Timestamp>,
    pub pricing_model: Option<String>,
    pub pricing_category: Option<String>,
    pub pricing_billable: Option<bool>,
}
