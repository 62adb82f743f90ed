//! Lenient deserialization: the platform sends some values as strings or as numbers, and empty lists as null.

use domain::Timestamp;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

/// A string, or a number with its digits exactly as sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextOrNumber(pub(crate) String);

impl<'de> Deserialize<'de> for TextOrNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map(TextOrNumber).map_err(de::Error::custom),
            Some(b'-' | b'0'..=b'9') => Ok(TextOrNumber(text.to_owned())),
            _ => Err(de::Error::custom("expected a string or a number")),
        }
    }
}

impl TextOrNumber {
    /// Returns the value as an integer.
    pub(crate) fn number(&self) -> Option<i64> {
        self.0.trim().parse().ok()
    }

    /// Returns the value as a time in seconds since 1970.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.number().map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000)))
    }
}

/// Deserializes a list; null is an empty list.
pub(crate) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_digit_is_lost() {
        for (written, read) in
            [("25.50", "25.50"), ("\"25.50\"", "25.50"), ("-122.1000000000000001", "-122.1000000000000001")]
        {
            assert_eq!(
                serde_json::from_str::<TextOrNumber>(written).ok(),
                Some(TextOrNumber(read.to_owned())),
                "{written}"
            );
        }
        for written in ["null", "true", "[]", "{}"] {
            assert!(serde_json::from_str::<TextOrNumber>(written).is_err(), "{written}");
        }
        let time = |text: &str| TextOrNumber(text.to_owned()).time().map(Timestamp::millis);
        assert_eq!((time("1800000000"), time("soon")), (Some(1_800_000_000_000), None));
    }
}
