//! Locations.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, Type};

use super::checks;
use crate::Failure;
use crate::present::present;
use crate::schema::Line;
use crate::text::STRING_LENGTH;

/// Degrees of latitude or longitude, as a decimal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degrees(String);

/// The longest decimal string, in characters.
const DEGREES_LENGTH: usize = 32;

impl Degrees {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses a decimal number without exponent, such as `-12.5`.
    fn parse(text: &str) -> Option<Self> {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
        let is_decimal = digits(whole.strip_prefix('-').unwrap_or(whole)) && fraction.is_none_or(digits);
        (is_decimal && text.len() <= DEGREES_LENGTH).then(|| Degrees(text.to_owned()))
    }

    /// Returns the decimal number without exponent. Fifteen decimals are more than the size of an atom.
    fn of_number(value: f64) -> Self {
        let text = value.to_string();
        Degrees(if text.len() <= DEGREES_LENGTH { text } else { format!("{value:.15}") })
    }

    fn check(&self, param: &str, most: f64) -> Result<(), Failure> {
        if self.0.parse::<f64>().is_ok_and(|degrees| degrees.abs() <= most) {
            return Ok(());
        }
        Err(Failure::invalid(param, format!("{param} must be from -{most} to {most} degrees.")))
    }
}

impl Serialize for Degrees {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Degrees {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrText;

        impl Visitor<'_> for NumberOrText {
            type Value = Degrees;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a decimal string such as \"52.52\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Degrees, E> {
                Degrees::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Degrees, E> {
                Ok(Degrees::of_number(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Degrees, E> {
                Ok(Degrees(value.to_string()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Degrees, E> {
                Ok(Degrees(value.to_string()))
            }
        }

        deserializer.deserialize_any(NumberOrText)
    }
}

impl utoipa::PartialSchema for Degrees {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Number).minimum(Some(-180)).maximum(Some(180));
        let text = ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some(r"^-?[0-9]+(\.[0-9]+)?$"))
            .max_length(Some(DEGREES_LENGTH));
        OneOfBuilder::new()
            .item(number)
            .item(text)
            .description(Some("Degrees, as a number or a decimal string."))
            .into()
    }
}

impl utoipa::ToSchema for Degrees {}

/// A place.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatLocation)]
pub struct Location {
    /// From -90 to 90.
    pub latitude: Degrees,
    /// From -180 to 180.
    pub longitude: Degrees,
    /// The name of the place.
    #[schema(inline, value_type = Option<Line<{ STRING_LENGTH }>>)]
    pub name: Option<String>,
    /// The address of the place.
    #[schema(inline, value_type = Option<Line<{ STRING_LENGTH }>>)]
    pub address: Option<String>,
}

impl Location {
    pub(super) fn check(&self, at: &str) -> Result<(), Failure> {
        let line = |value: &str, param: &str| checks::line(value, param, STRING_LENGTH);
        self.latitude.check(&format!("{at}.latitude"), 90.0)?;
        self.longitude.check(&format!("{at}.longitude"), 180.0)?;
        checks::optional(self.name.as_ref(), &format!("{at}.name"), line)?;
        checks::optional(self.address.as_ref(), &format!("{at}.address"), line)
    }
}
