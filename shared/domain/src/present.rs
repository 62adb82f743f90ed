//! Optional fields of requests.

use serde::{Deserialize, Deserializer};

/// Deserializes an optional field that is present, so that null is a wrong type instead of an absent value:
/// `#[serde(default, deserialize_with = "present")]`.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
