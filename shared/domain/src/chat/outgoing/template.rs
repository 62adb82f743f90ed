//! Template messages: the short form, which is validated here, and components in the platform's own form, which
//! `platform::render` validates.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::card::{CARDS, CardParameters};
use super::interactive::HEADER_KINDS;
use super::location::Location;
use super::products::Product;
use super::reference::{MediaUse, Source};
use super::template_values::{check_body, check_buttons};
use super::{checks, template_values};
use crate::{Failure, Timestamp};

pub use super::template_values::{
    BUTTONS, ButtonParameter, ButtonValue, COUPON_LENGTH, LAST_BUTTON, NAME_LENGTH, PAYLOAD_LENGTH, SUFFIX_LENGTH,
    VALUE_LENGTH, VALUES,
};

const LANGUAGE_LENGTH: RangeInclusive<usize> = 2..=20;
pub const HEADER_LENGTH: usize = 60;

/// A template with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    pub name: String,
    pub language: String,
    pub parameters: Parameters,
}

/// The parameters of a template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Parameters {
    Short(ShortParameters),
    /// The platform's own form. Media may be named by `mediaId`.
    Components(Vec<Value>),
}

/// The parameters of a template in the short form.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShortParameters {
    pub header: Option<HeaderParameter>,
    /// By name, or by position: `"1"`, `"2"` and so on.
    pub body: Option<BTreeMap<String, String>>,
    pub buttons: Option<Vec<ButtonParameter>>,
    /// The cards of a carousel, from left to right.
    pub cards: Option<Vec<CardParameters>>,
    pub offer: Option<OfferParameter>,
}

/// The parameter of a limited-time offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferParameter {
    pub expires_at: Timestamp,
}

/// The parameter of a template's header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HeaderParameter {
    Text(String),
    Medium(Source),
    Location(Location),
    Product(Product),
}

/// Validates the name of a template.
pub fn check_name(name: &str, param: &str) -> Result<(), Failure> {
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if (1..=NAME_LENGTH).contains(&name.len()) && name.bytes().all(is_name) {
        return Ok(());
    }
    let message = format!("{param} must be 1 to {NAME_LENGTH} lower-case letters, digits and underscores.");
    Err(Failure::invalid(param, message))
}

/// Validates the code of a language.
pub fn check_language(language: &str, param: &str) -> Result<(), Failure> {
    let is_code = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if LANGUAGE_LENGTH.contains(&language.len()) && language.bytes().all(is_code) {
        return Ok(());
    }
    Err(Failure::invalid(param, format!("{param} must be the code of the template's language, such as en_US.")))
}

impl Template {
    pub(super) fn check(&self, at: &str) -> Result<(), Failure> {
        check_name(&self.name, &format!("{at}.name"))?;
        check_language(&self.language, &format!("{at}.language"))?;
        match &self.parameters {
            Parameters::Short(short) => short.check(at),
            Parameters::Components(_) => Ok(()),
        }
    }
}

impl ShortParameters {
    /// Returns whether a parameter of the body is named by its position.
    pub fn is_position(name: &str) -> bool {
        template_values::is_position(name)
    }

    fn check(&self, at: &str) -> Result<(), Failure> {
        let header = format!("{at}.header");
        match &self.header {
            Some(HeaderParameter::Text(text)) => checks::line(text, &format!("{header}.text"), HEADER_LENGTH)?,
            Some(HeaderParameter::Location(location)) => location.check(&format!("{header}.location"))?,
            Some(HeaderParameter::Product(product)) => product.check(&format!("{header}.product"))?,
            Some(HeaderParameter::Medium(_)) | None => {}
        }
        if let Some(body) = &self.body {
            check_body(body, &format!("{at}.body"), VALUE_LENGTH)?;
        }
        if let Some(buttons) = &self.buttons {
            check_buttons(buttons, &format!("{at}.buttons"), &BUTTONS, LAST_BUTTON)?;
        }
        self.check_cards(at)
    }

    fn check_cards(&self, at: &str) -> Result<(), Failure> {
        let Some(cards) = &self.cards else { return Ok(()) };
        let beside =
            [("header", self.header.is_some()), ("buttons", self.buttons.is_some()), ("offer", self.offer.is_some())];
        if let Some((other, _)) = beside.into_iter().find(|(_, is_present)| *is_present) {
            let param = format!("{at}.{other}");
            let message =
                format!("{param} is not allowed with {at}.cards: a carousel has only a body beside its cards.");
            return Err(Failure::invalid(&param, message));
        }
        let at = format!("{at}.cards");
        checks::count(cards.len(), &at, &CARDS)?;
        cards.iter().enumerate().try_for_each(|(index, card)| card.check(&format!("{at}[{index}]")))
    }

    /// Returns the uploaded media in the header, and in the cards, of the template in `at`.
    pub fn media_uses(&self, at: &str) -> Vec<MediaUse> {
        let header = match &self.header {
            Some(HeaderParameter::Medium(source)) => source.media_use(&format!("{at}.header"), HEADER_KINDS),
            _ => None,
        };
        let cards = self.cards.iter().flatten().enumerate();
        let cards = cards.filter_map(|(index, card)| card.media_use(&format!("{at}.cards[{index}]")));
        header.into_iter().chain(cards).collect()
    }
}
