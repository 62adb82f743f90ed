//! Phone numbers in E.164 format.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{ErrorCode, Failure};

/// How many digits a phone number has.
const DIGITS: RangeInclusive<usize> = 7..=15;

/// A phone number in E.164 format: `+` and 7 to 15 digits, beginning with a country code, which does not begin with
/// zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct E164(String);

/// The error of parsing a phone number that is not in E.164 format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the phone number is not in E.164 format")]
pub struct InvalidPhoneNumber;

impl E164 {
    pub const PATTERN: &'static str = r"^\+[1-9][0-9]{6,14}$";

    /// Parses the number in the field `param`. Fails with the error code `invalid_phone_number`.
    pub fn in_field(text: &str, param: &str) -> Result<Self, Failure> {
        text.parse().map_err(|_| Self::invalid(param))
    }

    /// Returns the failure of a field that has no phone number.
    pub(crate) fn invalid(param: &str) -> Failure {
        let (fewest, most) = (*DIGITS.start(), *DIGITS.end());
        let message = format!(
            "{param} must be a phone number in E.164 format: + and {fewest} to {most} digits, such as +12015550123."
        );
        Failure::of_code(ErrorCode::InvalidPhoneNumber, message).with_param(param)
    }

    /// Parses a formatted number, such as `+1 631-555-5555`, or bare digits, as the platform writes them.
    pub fn from_digits_in(text: &str) -> Option<Self> {
        let is_formatting = |c: char| matches!(c, '+' | '-' | '.' | '(' | ')') || c.is_whitespace();
        let digits: String = text.chars().filter(|c| !is_formatting(*c)).collect();
        format!("+{digits}").parse().ok()
    }

    /// Returns the number without `+`.
    pub fn digits(&self) -> &str {
        &self.0[1..]
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for E164 {
    type Err = InvalidPhoneNumber;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix('+').ok_or(InvalidPhoneNumber)?;
        let well_formed = DIGITS.contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0');
        well_formed.then(|| E164(text.to_owned())).ok_or(InvalidPhoneNumber)
    }
}

impl utoipa::PartialSchema for E164 {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        crate::schema::builder::string_of_pattern(Self::PATTERN, "A phone number in E.164 format.", "+12015550123")
    }
}

impl utoipa::ToSchema for E164 {}

impl fmt::Display for E164 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for E164 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for E164 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_e164_is_accepted() {
        assert!("+12015550123".parse::<E164>().is_ok());
        for text in
            ["", "+", "12015550123", "+02015550123", "+1201555", "+1 201 555 0123", "+1201555012345678", "+١٢٣٤٥٦٧٨"]
        {
            let refused = text.parse::<E164>().is_err();
            assert_eq!(refused, text != "+1201555", "{text}");
        }
    }
}
