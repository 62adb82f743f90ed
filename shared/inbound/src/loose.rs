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

/// A list whose absence, null or other type means that nothing is in it.
pub(crate) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}
