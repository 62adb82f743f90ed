//! Countries and territories, and the one that a telephone number belongs to.

mod prefixes;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::E164;
use prefixes::PREFIXES;

/// A country or territory: its two-letter code in ISO 3166-1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

/// The error of parsing a text that is not a two-letter code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a two-letter country code in capitals, such as US")]
pub struct InvalidCountry;

impl Country {
    pub const PATTERN: &'static str = "^[A-Z]{2}$";

    /// Returns the country of a telephone number; `None` for numbers of no country, such as those of satellite networks,
    /// and for unassigned country codes.
    pub fn of(number: &E164) -> Option<Self> {
        let digits = number.digits();
        let matching = PREFIXES.iter().flat_map(|(code, prefixes)| {
            prefixes.split(' ').filter(|prefix| digits.starts_with(prefix)).map(move |prefix| (prefix.len(), *code))
        });
        matching.max_by_key(|(length, _)| *length).and_then(|(_, code)| code.parse().ok())
    }

    /// Returns whether telephone numbers of this country can be distinguished from those of others.
    pub fn has_numbers(self) -> bool {
        PREFIXES.iter().any(|(code, _)| *code == self.as_str())
    }

    pub fn as_str(&self) -> &str {
        // It contains only capital letters.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl FromStr for Country {
    type Err = InvalidCountry;

    fn from_str(text: &str) -> Result<Self, InvalidCountry> {
        match text.as_bytes() {
            [first, second] if first.is_ascii_uppercase() && second.is_ascii_uppercase() => {
                Ok(Country([*first, *second]))
            }
            _ => Err(InvalidCountry),
        }
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Country {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Country {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl utoipa::PartialSchema for Country {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        crate::schema::builder::string_of_pattern(Self::PATTERN, "A two-letter country code (ISO 3166-1).", "US")
    }
}

impl utoipa::ToSchema for Country {}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn country_of(number: &str) -> Option<String> {
        Country::of(&number.parse().expect("a number")).map(|country| country.to_string())
    }

    #[test]
    fn the_longest_prefix_decides() {
        for (number, country) in [
            ("+12015550123", "US"),
            ("+18005550123", "US"),
            ("+14165550123", "CA"),
            ("+16045550123", "CA"),
            ("+18765550123", "JM"),
            ("+16585550123", "JM"),
            ("+17875550123", "PR"),
            ("+18095550123", "DO"),
            ("+18295550123", "DO"),
            ("+4930123456", "DE"),
            ("+447400123456", "GB"),
            ("+447911123456", "GG"),
            ("+447911923456", "GB"),
            ("+441534123456", "JE"),
            ("+447624123456", "IM"),
            ("+79161234567", "RU"),
            ("+77011234567", "KZ"),
            ("+390669812345", "VA"),
            ("+39061234567", "IT"),
            ("+5999123456", "CW"),
            ("+5997123456", "BQ"),
            ("+262639012345", "YT"),
            ("+262692123456", "RE"),
            ("+35818123456", "AX"),
            ("+358401234567", "FI"),
            ("+919876543210", "IN"),
        ] {
            assert_eq!(country_of(number).as_deref(), Some(country), "{number}");
        }
    }

    #[test]
    fn a_number_of_no_country_has_none() {
        for number in ["+870773111632", "+88213000000", "+80012345678", "+2101234567", "+9991234567"] {
            assert_eq!(country_of(number), None, "{number}");
        }
    }

    /// If two countries shared a prefix, the order of the table would decide the country.
    #[test]
    fn a_prefix_belongs_to_one_country() {
        let prefixes: Vec<&str> = PREFIXES.iter().flat_map(|(_, prefixes)| prefixes.split(' ')).collect();
        let distinct: HashSet<_> = prefixes.iter().collect();
        assert_eq!(prefixes.len(), distinct.len());
        for (code, prefixes) in PREFIXES {
            let country: Country = code.parse().expect("a country");
            assert!(country.has_numbers());
            let digits = |prefix: &str| !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
            assert!(prefixes.split(' ').all(digits), "{code}");
        }
    }

    #[test]
    fn a_code_is_two_capital_letters() {
        for text in ["", "U", "us", "USA", "U1", "ÄÖ"] {
            assert_eq!(text.parse::<Country>(), Err(InvalidCountry), "{text}");
        }
        let unused: Country = "ZZ".parse().expect("a code");
        assert!(!unused.has_numbers());
    }
}
