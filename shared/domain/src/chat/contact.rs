//! Contacts of a chat phone number.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::{ChatPhoneNumberId, ContactId};
use crate::{E164, Timestamp};

/// A person who has written to a chat phone number, or whom its business app knows.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatContact)]
pub struct Contact {
    pub id: ContactId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    /// Omitted if the platform supplies only a user id.
    pub phone_number: Option<E164>,
    /// The platform's id of the user.
    pub user_id: Option<String>,
    pub name: Option<String>,
    /// The name under which the person can be found, if they have chosen one.
    pub username: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
