//! Template messages: the short form, which is validated here, and components in the platform's own form, which
//! `platform::render` validates.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::checks;
use super::flow::TOKEN_LENGTH;
use super::interactive::HEADER_KINDS;
use super::location::Location;
use super::reference::{MediaUse, Source};
use crate::Failure;

pub const NAME_LENGTH: usize = 512;
const LANGUAGE_LENGTH: RangeInclusive<usize> = 2..=20;
pub const HEADER_LENGTH: usize = 60;
/// The longest value of a parameter of the body, and the number of values.
pub const VALUE_LENGTH: usize = 1024;
pub const VALUES: RangeInclusive<usize> = 1..=100;
pub const BUTTONS: RangeInclusive<usize> = 1..=10;
/// The highest position of a button, from 0.
pub const LAST_BUTTON: i64 = 9;
pub const PAYLOAD_LENGTH: usize = 256;
pub const SUFFIX_LENGTH: usize = 2000;
pub const COUPON_LENGTH: usize = 15;

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
}

/// The parameter of a template's header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HeaderParameter {
    Text(String),
    Medium(Source),
    Location(Location),
}

/// The parameter of a template's button.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ButtonParameter {
    /// The position of the button, from 0.
    pub index: i64,
    pub value: ButtonValue,
}

/// The value of a button's parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ButtonValue {
    Payload(String),
    UrlSuffix(String),
    CouponCode(String),
    FlowToken(String),
}

impl ButtonValue {
    /// Returns the name of the field that has the value.
    pub fn field(&self) -> &'static str {
        match self {
            ButtonValue::Payload(_) => "payload",
            ButtonValue::UrlSuffix(_) => "urlSuffix",
            ButtonValue::CouponCode(_) => "couponCode",
            ButtonValue::FlowToken(_) => "flowToken",
        }
    }

    fn check(&self, at: &str) -> Result<(), Failure> {
        let param = format!("{at}.{}", self.field());
        match self {
            ButtonValue::Payload(payload) => checks::line(payload, &param, PAYLOAD_LENGTH),
            ButtonValue::UrlSuffix(suffix) => checks::token(suffix, &param, SUFFIX_LENGTH),
            ButtonValue::CouponCode(code) => checks::token(code, &param, COUPON_LENGTH),
            ButtonValue::FlowToken(token) => checks::token(token, &param, TOKEN_LENGTH),
        }
    }
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
        name.bytes().all(|byte| byte.is_ascii_digit())
    }

    fn check(&self, at: &str) -> Result<(), Failure> {
        let header = format!("{at}.header");
        match &self.header {
            Some(HeaderParameter::Text(text)) => checks::line(text, &format!("{header}.text"), HEADER_LENGTH)?,
            Some(HeaderParameter::Location(location)) => location.check(&format!("{header}.location"))?,
            Some(HeaderParameter::Medium(_)) | None => {}
        }
        if let Some(body) = &self.body {
            check_body(body, &format!("{at}.body"))?;
        }
        if let Some(buttons) = &self.buttons {
            check_buttons(buttons, &format!("{at}.buttons"))?;
        }
        Ok(())
    }

    /// Returns the uploaded medium in the header of the template in `at`.
    pub fn media_use(&self, at: &str) -> Option<MediaUse> {
        match self.header.as_ref()? {
            HeaderParameter::Medium(source) => source.media_use(&format!("{at}.header"), HEADER_KINDS),
            HeaderParameter::Text(_) | HeaderParameter::Location(_) => None,
        }
    }
}

fn check_body(values: &BTreeMap<String, String>, at: &str) -> Result<(), Failure> {
    checks::count(values.len(), at, &VALUES)?;
    let positions = values.keys().filter(|name| ShortParameters::is_position(name)).count();
    for (name, value) in values {
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.is_empty() || name.len() > NAME_LENGTH || !name.bytes().all(is_name) {
            let message = format!(
                "{at} must have names of lower-case letters, digits and underscores, or \"1\", \"2\" and so on."
            );
            return Err(Failure::invalid(at, message));
        }
        let param = format!("{at}.{name}");
        let mixed = positions > 0 && positions < values.len();
        let follows =
            name.parse().is_ok_and(|position: usize| (1..=positions).contains(&position)) && !name.starts_with('0');
        if ShortParameters::is_position(name) && (mixed || !follows) {
            let message = format!(
                "{param} is not allowed. Use names only, or number the parameters \"1\", \"2\" and so on without gaps."
            );
            return Err(Failure::invalid(&param, message));
        }
        checks::lines(value, &param, VALUE_LENGTH)?;
    }
    Ok(())
}

fn check_buttons(buttons: &[ButtonParameter], at: &str) -> Result<(), Failure> {
    checks::count(buttons.len(), at, &BUTTONS)?;
    let mut seen = BTreeSet::new();
    for (position, button) in buttons.iter().enumerate() {
        let at = format!("{at}[{position}]");
        let param = format!("{at}.index");
        if !(0..=LAST_BUTTON).contains(&button.index) {
            return Err(Failure::invalid(&param, format!("{param} must be from 0 to {LAST_BUTTON}.")));
        }
        if !seen.insert(button.index) {
            return Err(Failure::invalid(&param, format!("{param} repeats the button of another entry.")));
        }
        button.value.check(&at)?;
    }
    Ok(())
}
