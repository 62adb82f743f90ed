//! Values that the platform writes now as text, now as numbers.

use domain::Timestamp;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

/// Text, or a number as it was written: no digit of it is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loose(pub(crate) String);

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map(Loose).map_err(de::Error::custom),
            Some(b'-' | b'0'..=b'9') => Ok(Loose(text.to_owned())),
            _ => Err(de::Error::custom("expected text or a number")),
        }
    }
}

impl Loose {
    pub(crate) fn number(&self) -> Option<i64> {
        self.0.trim().parse().ok()
    }

    /// Seconds since 1970.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.number().map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000)))
    }
}

/// A list whose absence or null means that nothing is in it.
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
            assert_eq!(serde_json::from_str::<Loose>(written).ok(), Some(Loose(read.to_owned())), "{written}");
        }
        for written in ["null", "true", "[]", "{}"] {
            assert!(serde_json::from_str::<Loose>(written).is_err(), "{written}");
        }
        let time = |text: &str| Loose(text.to_owned()).time().map(Timestamp::millis);
        assert_eq!((time("1800000000"), time("soon")), (Some(1_800_000_000_000), None));
    }
}
