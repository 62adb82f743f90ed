//! Phone numbers of an organization (`ph_`), and identifiers of phone numbers of either kind (`ph_` and `wapn_`).

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::{AppId, ChatPhoneNumberId, Identifier, InvalidId, PhoneNumberId};
use crate::{E164, Mode, Timestamp};

pub const NUMBERS_PER_ORGANIZATION: u32 = 1000;
pub const APPS_PER_NUMBER: u32 = 40;

/// A phone number of an organization, with the apps to which it is assigned.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhoneNumber {
    pub id: PhoneNumberId,
    pub number: E164,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub apps: BTreeSet<AppId>,
    /// Counts all changes, so that deletion can detect concurrent assignments.
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The identifier of a number of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberId {
    Phone(PhoneNumberId),
    Chat(ChatPhoneNumberId),
}

impl NumberId {
    pub fn mode(&self) -> Mode {
        match self {
            NumberId::Phone(id) => id.mode(),
            NumberId::Chat(id) => id.mode(),
        }
    }
}

impl Identifier for NumberId {
    const PREFIX: &'static str = "";
    const PATTERN: &'static str = "^(?:ph|wapn)_(?:test_)?[a-zA-Z0-9]{27}$";

    fn as_str(&self) -> &str {
        match self {
            NumberId::Phone(id) => id.as_str(),
            NumberId::Chat(id) => id.as_str(),
        }
    }
}

impl utoipa::PartialSchema for NumberId {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        crate::schema_builder::string_of_pattern(
            Self::PATTERN,
            "The identifier of a phone number or chat phone number.",
            "ph_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
        )
    }
}

impl utoipa::ToSchema for NumberId {}

impl FromStr for NumberId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        text.parse().map(NumberId::Phone).or_else(|_| text.parse().map(NumberId::Chat))
    }
}

impl fmt::Display for NumberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
