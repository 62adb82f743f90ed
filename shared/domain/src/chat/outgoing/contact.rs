//! Contact cards.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::{Date, Month};
use utoipa::ToSchema;

use super::checks;
use crate::Failure;
use crate::present::present;
use crate::text::STRING_LENGTH;

/// The number of cards in a message.
pub const CARDS: RangeInclusive<usize> = 1..=20;
/// The number of entries in a list of a card.
pub const ENTRIES: RangeInclusive<usize> = 1..=20;

/// A contact card.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatContactCard)]
pub struct ContactCard {
    pub name: CardName,
    /// Phone numbers.
    #[schema(min_items = 1, max_items = 20)]
    pub phones: Option<Vec<CardPhone>>,
    /// Email addresses.
    #[schema(min_items = 1, max_items = 20)]
    pub emails: Option<Vec<CardEmail>>,
    /// Websites.
    #[schema(min_items = 1, max_items = 20)]
    pub urls: Option<Vec<CardUrl>>,
    /// Postal addresses.
    #[schema(min_items = 1, max_items = 20)]
    pub addresses: Option<Vec<CardAddress>>,
    pub org: Option<CardOrganization>,
    /// `YYYY-MM-DD`.
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", example = "1990-08-18")]
    pub birthday: Option<String>,
}

/// The name on a contact card.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatContactCardName)]
pub struct CardName {
    /// The full name, as it is shown.
    #[schema(min_length = 1, max_length = 2048)]
    pub formatted_name: String,
    /// The first name.
    #[schema(min_length = 1, max_length = 2048)]
    pub first_name: Option<String>,
    /// The last name.
    #[schema(min_length = 1, max_length = 2048)]
    pub last_name: Option<String>,
    /// The middle name.
    #[schema(min_length = 1, max_length = 2048)]
    pub middle_name: Option<String>,
    /// The title before the name, such as `Dr.`
    #[schema(min_length = 1, max_length = 2048)]
    pub prefix: Option<String>,
    /// The suffix after the name, such as `Jr.`
    #[schema(min_length = 1, max_length = 2048)]
    pub suffix: Option<String>,
}

/// A phone number on a contact card.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatContactCardPhone)]
pub struct CardPhone {
    /// The phone number, in any format.
    #[schema(min_length = 1, max_length = 2048)]
    pub phone: String,
    /// The number's id on the chat network, usually its digits. With it, the card has a button that opens a chat.
    #[schema(min_length = 1, max_length = 2048)]
    pub wa_id: Option<String>,
    /// For example `HOME`, `WORK` or `CELL`.
    #[serde(rename = "type")]
    #[schema(min_length = 1, max_length = 2048)]
    pub kind: Option<String>,
}

/// An email address on a contact card.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatContactCardEmail)]
pub struct CardEmail {
    /// The email address.
    #[schema(min_length = 1, max_length = 2048)]
    pub email: String,
    /// For example `HOME` or `WORK`.
    #[serde(rename = "type")]
    #[schema(min_length = 1, max_length = 2048)]
    pub kind: Option<String>,
}

/// A URL on a contact card.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatContactCardUrl)]
pub struct CardUrl {
    /// The URL.
    #[schema(min_length = 1, max_length = 2048)]
    pub url: String,
    /// For example `HOME` or `WORK`.
    #[serde(rename = "type")]
    #[schema(min_length = 1, max_length = 2048)]
    pub kind: Option<String>,
}

/// A postal address on a contact card.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatContactCardAddress)]
pub struct CardAddress {
    /// The street and house number.
    #[schema(min_length = 1, max_length = 2048)]
    pub street: Option<String>,
    /// The city.
    #[schema(min_length = 1, max_length = 2048)]
    pub city: Option<String>,
    /// The state or region.
    #[schema(min_length = 1, max_length = 2048)]
    pub state: Option<String>,
    /// The postal code.
    #[schema(min_length = 1, max_length = 2048)]
    pub zip: Option<String>,
    /// The country's name.
    #[schema(min_length = 1, max_length = 2048)]
    pub country: Option<String>,
    /// The two letters of ISO 3166-1.
    #[schema(min_length = 1, max_length = 2048)]
    pub country_code: Option<String>,
    /// For example `HOME` or `WORK`.
    #[serde(rename = "type")]
    #[schema(min_length = 1, max_length = 2048)]
    pub kind: Option<String>,
}

/// The organization on a contact card.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatContactCardOrganization)]
pub struct CardOrganization {
    /// The company's name.
    #[schema(min_length = 1, max_length = 2048)]
    pub company: Option<String>,
    /// The department.
    #[schema(min_length = 1, max_length = 2048)]
    pub department: Option<String>,
    /// The job title.
    #[schema(min_length = 1, max_length = 2048)]
    pub title: Option<String>,
}

/// Validates the cards of a message.
pub(super) fn check(cards: &[ContactCard], at: &str) -> Result<(), Failure> {
    checks::count(cards.len(), at, &CARDS)?;
    for (index, card) in cards.iter().enumerate() {
        let at = format!("{at}[{index}]");
        check_texts(&serde_json::to_value(card).map_err(Failure::internal)?, &at)?;
        let param = format!("{at}.birthday");
        checks::optional(card.birthday.as_ref(), &param, check_date)?;
    }
    Ok(())
}

/// Validates a date of the form `YYYY-MM-DD`.
fn check_date(value: &str, param: &str) -> Result<(), Failure> {
    if parsed_date(value).is_some() {
        return Ok(());
    }
    Err(Failure::invalid(param, format!("{param} must be a date, such as 1990-08-18.")))
}

fn parsed_date(value: &str) -> Option<Date> {
    let is_date = |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    if value.len() != 10 || !value.bytes().enumerate().all(is_date) {
        return None;
    }
    let month = Month::try_from(value[5..7].parse::<u8>().ok()?).ok()?;
    Date::from_calendar_date(value[..4].parse().ok()?, month, value[8..].parse().ok()?).ok()
}

/// Validates all texts and lists of a card.
fn check_texts(value: &Value, at: &str) -> Result<(), Failure> {
    match value {
        Value::String(text) => checks::line(text, at, STRING_LENGTH),
        Value::Object(fields) => {
            fields.iter().try_for_each(|(name, value)| check_texts(value, &format!("{at}.{name}")))
        }
        Value::Array(entries) => {
            checks::count(entries.len(), at, &ENTRIES)?;
            entries.iter().enumerate().try_for_each(|(index, value)| check_texts(value, &format!("{at}[{index}]")))
        }
        _ => Ok(()),
    }
}
