//! Template messages: the short form, and the platform's own form.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use serde_with::skip_serializing_none;

use super::expected::{ExpectedHeader, expected_header};
use super::flow::TOKEN_LENGTH;
use super::interactive::HEADER_KINDS;
use super::plain::Location;
use super::reference::{MediaUse, Rendering, Source};
use super::{checks, components};
use crate::Failure;

const NAME_LENGTH: usize = 512;
const LANGUAGE_LENGTH: RangeInclusive<usize> = 2..=20;
const HEADER_LENGTH: usize = 60;
const VALUE_LENGTH: usize = 1024;
const VALUES: RangeInclusive<usize> = 1..=100;
const BUTTONS: RangeInclusive<usize> = 1..=10;
const LAST_BUTTON: i64 = 9;
const PAYLOAD_LENGTH: usize = 256;
const SUFFIX_LENGTH: usize = 2000;
const COUPON_LENGTH: usize = 15;

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
    /// Returns the field's name, the platform's name of the button's kind, and the value.
    pub(super) fn parts(&self) -> (&'static str, &'static str, &str) {
        match self {
            ButtonValue::Payload(value) => ("payload", "quick_reply", value),
            ButtonValue::UrlSuffix(value) => ("urlSuffix", "url", value),
            ButtonValue::CouponCode(value) => ("couponCode", "copy_code", value),
            ButtonValue::FlowToken(value) => ("flowToken", "flow", value),
        }
    }

    fn check(&self, at: &str) -> Result<(), Failure> {
        let (field, _, value) = self.parts();
        let param = format!("{at}.{field}");
        match self {
            ButtonValue::Payload(_) => checks::line(value, &param, PAYLOAD_LENGTH),
            ButtonValue::UrlSuffix(_) => checks::token(value, &param, SUFFIX_LENGTH),
            ButtonValue::CouponCode(_) => checks::token(value, &param, COUPON_LENGTH),
            ButtonValue::FlowToken(_) => checks::token(value, &param, TOKEN_LENGTH),
        }
    }

    fn parameter(&self) -> Value {
        match self {
            ButtonValue::Payload(payload) => json!({"type": "payload", "payload": payload}),
            ButtonValue::UrlSuffix(suffix) => json!({"type": "text", "text": suffix}),
            ButtonValue::CouponCode(code) => json!({"type": "coupon_code", "coupon_code": code}),
            ButtonValue::FlowToken(token) => json!({"type": "action", "action": {"flow_token": token}}),
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
pub(super) fn check_language(language: &str, param: &str) -> Result<(), Failure> {
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
            Parameters::Components(all) => components::check(all, &format!("{at}.components")),
        }
    }

    pub(super) fn object(&self, rendering: Rendering<'_>) -> Result<Value, Failure> {
        let components = match &self.parameters {
            Parameters::Short(short) => short.components(rendering)?,
            Parameters::Components(all) => components::rendered(all, rendering)?,
        };
        let mut object = json!({"name": self.name, "language": {"code": self.language}});
        if !components.is_empty() {
            object["components"] = Value::Array(components);
        }
        Ok(object)
    }
}

impl ShortParameters {
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

    pub(super) fn media_use(&self, at: &str) -> Option<MediaUse> {
        match self.header.as_ref()? {
            HeaderParameter::Medium(source) => source.media_use(&format!("{at}.header"), HEADER_KINDS),
            HeaderParameter::Text(_) | HeaderParameter::Location(_) => None,
        }
    }

    /// Returns the platform's components.
    fn components(&self, rendering: Rendering<'_>) -> Result<Vec<Value>, Failure> {
        let header = self.header.as_ref().map(|header| header.component(rendering)).transpose()?;
        let body = self.body.as_ref().map(body_component);
        let button = |button: &ButtonParameter| {
            let (_, kind, _) = button.value.parts();
            let parameters = [button.value.parameter()];
            json!({"type": "button", "sub_type": kind, "index": button.index.to_string(), "parameters": parameters})
        };
        Ok(header.into_iter().chain(body).chain(self.buttons.iter().flatten().map(button)).collect())
    }
}

impl HeaderParameter {
    fn component(&self, rendering: Rendering<'_>) -> Result<Value, Failure> {
        let known = rendering.resolved.template.as_ref().and_then(expected_header);
        let parameter = match self {
            HeaderParameter::Text(text) => {
                let mut parameter = json!({"type": "text", "text": text});
                if let Some(ExpectedHeader::Text(variables)) = &known
                    && let Some(name) = variables.first().filter(|name| !is_position(name))
                {
                    parameter["parameter_name"] = json!(name);
                }
                parameter
            }
            HeaderParameter::Location(location) => json!({"type": "location", "location": location.object()}),
            HeaderParameter::Medium(source) => {
                let kind = match known {
                    Some(ExpectedHeader::Medium(kind)) => kind,
                    _ => rendering.kind(source)?,
                };
                json!({"type": kind.as_str(), kind.as_str(): rendering.medium(source)?})
            }
        };
        Ok(json!({"type": "header", "parameters": [parameter]}))
    }
}

fn body_component(values: &BTreeMap<String, String>) -> Value {
    let mut sorted: Vec<_> = values.iter().collect();
    sorted.sort_by_key(|(name, _)| name.parse::<usize>().unwrap_or(0));
    let parameter = |(name, text): (&String, &String)| {
        if is_position(name) {
            json!({"type": "text", "text": text})
        } else {
            json!({"type": "text", "parameter_name": name, "text": text})
        }
    };
    json!({"type": "body", "parameters": sorted.into_iter().map(parameter).collect::<Vec<_>>()})
}

pub(super) fn is_position(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

fn check_body(values: &BTreeMap<String, String>, at: &str) -> Result<(), Failure> {
    checks::count(values.len(), at, &VALUES)?;
    let positions = values.keys().filter(|name| is_position(name)).count();
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
        if is_position(name) && (mixed || !follows) {
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
