//! Enumerations to which a later release may add values.

use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer as _};
use serde::{Deserialize, Serialize, Serializer};

/// A value of the enumeration `T`, as it is stored. During the rollout of a later release, and after its rollback,
/// items may contain values that only that release knows. Such values are preserved and shown as they were written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Open<T> {
    Known(T),
    Later(String),
}

impl<T: Copy> Open<T> {
    /// Returns the value; `None` if this release does not know it.
    pub fn known(&self) -> Option<T> {
        match self {
            Open::Known(value) => Some(*value),
            Open::Later(_) => None,
        }
    }
}

impl<T> From<T> for Open<T> {
    fn from(value: T) -> Self {
        Open::Known(value)
    }
}

impl<T: PartialEq> PartialEq<T> for Open<T> {
    fn eq(&self, other: &T) -> bool {
        matches!(self, Open::Known(value) if value == other)
    }
}

impl<T: Serialize> Serialize for Open<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Open::Known(value) => value.serialize(serializer),
            Open::Later(value) => serializer.serialize_str(value),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Open<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let name: StrDeserializer<'_, Error> = text.as_str().into_deserializer();
        Ok(T::deserialize(name).map_or_else(|_| Open::Later(text.clone()), Open::Known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::delivery::DeliveryStatus;

    #[test]
    fn unknown_values_are_written_back_unchanged() {
        for (text, known) in [("\"PENDING\"", Some(DeliveryStatus::Pending)), ("\"HELD\"", None)] {
            let kept: Open<DeliveryStatus> = serde_json::from_str(text).expect("a value");
            assert_eq!(kept.known(), known);
            assert_eq!(serde_json::to_string(&kept).expect("JSON"), text);
        }
        assert!(serde_json::from_str::<Open<DeliveryStatus>>("7").is_err());
    }
}
