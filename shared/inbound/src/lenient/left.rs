//! The parts of a value that were not taken.

use std::borrow::Cow;

use domain::Json;
use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The part of a value that was not taken, in the form in which it was sent.
#[derive(Default)]
pub(crate) enum Left<'a> {
    #[default]
    Nothing,
    Whole(&'a RawValue),
    Fields(Vec<(Cow<'a, str>, Left<'a>)>),
    Elements(Vec<Left<'a>>),
}

impl Left<'_> {
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Left::Nothing)
    }

    /// Returns the JSON of the remaining parts; `None` if nothing is left.
    pub(crate) fn json(&self) -> Option<Json> {
        if self.is_nothing() { None } else { Json::of(self).ok() }
    }
}

impl Serialize for Left<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Left::Nothing => serializer.serialize_unit(),
            Left::Whole(raw) => raw.serialize(serializer),
            Left::Fields(fields) => {
                let mut map = serializer.serialize_map(None)?;
                for (at, (name, left)) in fields.iter().enumerate().filter(|(_, (_, left))| !left.is_nothing()) {
                    // Of fields with the same name, the last one wins, as in most parsers.
                    if fields[at + 1..].iter().all(|(other, left)| other != name || left.is_nothing()) {
                        map.serialize_entry(name, left)?;
                    }
                }
                map.end()
            }
            Left::Elements(elements) => {
                let mut list = serializer.serialize_seq(Some(elements.len()))?;
                for element in elements {
                    list.serialize_element(element)?;
                }
                list.end()
            }
        }
    }
}
