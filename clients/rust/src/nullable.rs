//! Fields of which null is a value: `None` leaves them out, and `Some(None)` is null.

use serde::{Deserialize, Deserializer};

pub(crate) fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
