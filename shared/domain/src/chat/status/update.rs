//! Status updates of outbound messages, as the platform reports them.

use crate::chat::RecipientStatus;
use crate::message::reason::Reason;
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

/// A person as the platform identifies them: by phone number, by user id, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Person {
    pub phone_number: Option<E164>,
    pub user_id: Option<String>,
}

/// The recipient that a status update is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RecipientRef {
    /// The single recipient of a message that was not sent to a group. It is the same however the platform identifies
    /// it.
    Only(Person),
    /// The group as a whole.
    Group,
    /// A member of the group.
    Member(Person),
}

impl Person {
    pub fn is_unknown(&self) -> bool {
        self.phone_number.is_none() && self.user_id.is_none()
    }

    /// Returns the digits of the phone number, or the user id if there is no number.
    pub fn id(&self) -> Option<String> {
        self.phone_number.as_ref().map(|number| number.digits().to_owned()).or_else(|| self.user_id.clone())
    }
}

/// Why a message failed. A reason with a code is lower than one without.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatusError {
    pub reason: Reason,
    /// The platform's title and details.
    pub title: Option<String>,
    pub details: Option<String>,
}

/// The conversation and its price, which some status updates contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationNote {
    pub id: Option<String>,
    pub origin_type: Option<String>,
    pub expires_at: Option<Timestamp>,
    pub pricing_model: Option<String>,
    pub pricing_type: Option<String>,
    pub pricing_category: Option<String>,
    pub pricing_billable: Option<bool>,
}
