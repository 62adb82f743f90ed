//! The values of bodies and buttons, of a template or of its cards.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::flow::TOKEN_LENGTH;
use super::products::ProductList;
use super::{checks, products};
use crate::Failure;

/// The longest name of a template, and of a parameter.
pub const NAME_LENGTH: usize = 512;
/// The longest value of a parameter of the body, and the number of values.
pub const VALUE_LENGTH: usize = 1024;
pub const VALUES: RangeInclusive<usize> = 1..=100;
pub const BUTTONS: RangeInclusive<usize> = 1..=10;
/// The highest position of a button, from 0.
pub const LAST_BUTTON: i64 = 9;
pub const PAYLOAD_LENGTH: usize = 256;
pub const SUFFIX_LENGTH: usize = 2000;
pub const COUPON_LENGTH: usize = 15;

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
    ThumbnailProductRetailerId(String),
    Products(ProductList),
}

impl ButtonValue {
    /// Returns the name of the field that has the value.
    pub fn field(&self) -> &'static str {
        match self {
            ButtonValue::Payload(_) => "payload",
            ButtonValue::UrlSuffix(_) => "urlSuffix",
            ButtonValue::CouponCode(_) => "couponCode",
            ButtonValue::FlowToken(_) => "flowToken",
            ButtonValue::ThumbnailProductRetailerId(_) => "thumbnailProductRetailerId",
            ButtonValue::Products(_) => "products",
        }
    }

    fn check(&self, at: &str) -> Result<(), Failure> {
        let param = format!("{at}.{}", self.field());
        match self {
            ButtonValue::Payload(payload) => checks::line(payload, &param, PAYLOAD_LENGTH),
            ButtonValue::UrlSuffix(suffix) => checks::token(suffix, &param, SUFFIX_LENGTH),
            ButtonValue::CouponCode(code) => checks::token(code, &param, COUPON_LENGTH),
            ButtonValue::FlowToken(token) => checks::token(token, &param, TOKEN_LENGTH),
            ButtonValue::ThumbnailProductRetailerId(id) => products::check_id(id, &param),
            ButtonValue::Products(products) => products.check(&param),
        }
    }
}

/// Returns whether a parameter of the body is named by its position.
pub(super) fn is_position(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Validates the parameters of a body, each of at most `most` characters.
pub(super) fn check_body(values: &BTreeMap<String, String>, at: &str, most: usize) -> Result<(), Failure> {
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
        checks::lines(value, &param, most)?;
    }
    Ok(())
}

/// Validates the parameters of buttons, whose positions are from 0 to `last`.
pub(super) fn check_buttons(
    buttons: &[ButtonParameter],
    at: &str,
    allowed: &RangeInclusive<usize>,
    last: i64,
) -> Result<(), Failure> {
    checks::count(buttons.len(), at, allowed)?;
    let mut seen = BTreeSet::new();
    for (position, button) in buttons.iter().enumerate() {
        let at = format!("{at}[{position}]");
        let param = format!("{at}.index");
        if !(0..=last).contains(&button.index) {
            return Err(Failure::invalid(&param, format!("{param} must be from 0 to {last}.")));
        }
        if !seen.insert(button.index) {
            return Err(Failure::invalid(&param, format!("{param} repeats the button of another entry.")));
        }
        button.value.check(&at)?;
    }
    Ok(())
}
