//! Contacts of a chat phone number.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::{ChatPhoneNumberId, ContactId};
use crate::{E164, Timestamp};

/// A WhatsApp user who has written to a WhatsApp number, or who is a contact in its WhatsApp Business app.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatContact)]
pub struct Contact {
    pub id: ContactId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    /// Omitted if WhatsApp supplies only a user id.
    pub phone_number: Option<E164>,
    /// The WhatsApp user id.
    pub user_id: Option<String>,
    /// The name in the person's profile.
    pub name: Option<String>,
    /// The WhatsApp username, if the user has chosen one.
    pub username: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
