//! Phone numbers of an organization (`ph_`), and identifiers of phone numbers of either kind (`ph_` and `wapn_`).

pub mod assignments;
pub mod country;
pub mod phone;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::{AppId, ChatPhoneNumberId, Identifier, InvalidId, PhoneNumberId};
use crate::number::assignments::Assignments;
use crate::number::country::Country;
use crate::sms::carrier_link::{Capability, CarrierLink, CarrierStatus};
use crate::{E164, Failure, Mode, Open, Timestamp};

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
    #[serde(default, skip_serializing_if = "Assignments::is_empty")]
    pub assigned_at: Assignments,
    /// When the number was last unassigned from an app, or stopped sending. Its line of queued messages is renewed
    /// then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_reset_at: Option<Timestamp>,
    /// Whether the number is a system number: one that was created with a test app, or for a simulated message to it.
    /// It is an ordinary test number, which the playground lists, and which is deleted with its app if it belongs to no
    /// other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_system: bool,
    /// The link to the carrier. Only live numbers can have one; test numbers are simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<Box<CarrierLink>>,
    /// Whether the organization deleted the number while it was linked. Its item is deleted when it is unlinked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
    /// Counts all changes, so that deletion can detect concurrent assignments.
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The capabilities of a test number.
const SIMULATED: [Capability; 2] = [Capability::Sms, Capability::Mms];

impl PhoneNumber {
    /// Returns a new number that is assigned to these apps.
    pub fn new(id: PhoneNumberId, number: E164, apps: BTreeSet<AppId>, now: Timestamp) -> Self {
        PhoneNumber {
            id,
            number,
            assigned_at: Assignments::of_new(&apps, now),
            apps,
            line_reset_at: None,
            is_system: false,
            carrier: None,
            is_deleted: false,
            revision: 1,
            created_at: now,
            updated_at: now,
        }
    }

    pub fn carrier_status(&self) -> CarrierStatus {
        match &self.carrier {
            _ if self.id.mode().is_test() => CarrierStatus::Active,
            Some(link) => link.status(),
            None => CarrierStatus::Unlinked,
        }
    }

    /// Returns the number's capabilities; none if it is not linked.
    pub fn capabilities(&self) -> Vec<Open<Capability>> {
        match &self.carrier {
            _ if self.id.mode().is_test() => SIMULATED.into_iter().map(Open::from).collect(),
            Some(link) if link.status() != CarrierStatus::Unlinked => link.capabilities.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns the number's country: the carrier's information if the number is linked, else that of its digits.
    pub fn country(&self) -> Option<Country> {
        self.carrier.as_ref().map(|link| link.country).or_else(|| Country::of(&self.number))
    }

    /// Fails if the number cannot send, because it is not linked to the carrier.
    pub fn expect_linked(&self) -> Result<(), Failure> {
        if self.carrier_status() == CarrierStatus::Active {
            return Ok(());
        }
        let message = "This number is not linked to the carrier. Ask the operator of this installation to link it.";
        Err(Failure::conflict(message).with_param("from"))
    }

    /// Fails unless the number may send a message to `to`: it must be linked, and the recipient's country must be one
    /// of those that the operator allowed. A test number sends to all countries, because nothing leaves the simulation.
    pub fn expect_may_send_to(&self, to: &E164) -> Result<(), Failure> {
        self.expect_linked()?;
        let Some(link) = &self.carrier else { return Ok(()) };
        let country = Country::of(to);
        if country.is_some_and(|country| link.countries.contains(&country)) {
            return Ok(());
        }
        let country = country.map_or_else(|| "a number of no country".to_owned(), |country| country.to_string());
        let allowed: Vec<&str> = link.countries.iter().map(Country::as_str).collect();
        let message = format!(
            "This number may send to {} only, not to {country}. The operator of this installation can allow more countries.",
            allowed.join(", "),
        );
        Err(Failure::forbidden(message).with_param("to"))
    }

    /// Returns since when the number has been assigned to the app; `None` if it is not.
    pub fn assigned_since(&self, app: &AppId) -> Option<Timestamp> {
        self.assigned_at.since(&self.apps, app, self.created_at)
    }
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

impl NumberId {
    /// Returns the part of the id that sorts by creation.
    pub fn ksuid(&self) -> &str {
        match self {
            NumberId::Phone(id) => id.ksuid(),
            NumberId::Chat(id) => id.ksuid(),
        }
    }
}

impl From<PhoneNumberId> for NumberId {
    fn from(id: PhoneNumberId) -> Self {
        NumberId::Phone(id)
    }
}

impl From<ChatPhoneNumberId> for NumberId {
    fn from(id: ChatPhoneNumberId) -> Self {
        NumberId::Chat(id)
    }
}

impl Identifier for NumberId {
    const KIND: &'static str = "a phone number or a chat phone number";
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
        crate::schema::builder::string_of_pattern(
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

impl Serialize for NumberId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for NumberId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for NumberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
