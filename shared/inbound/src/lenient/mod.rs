//! Lenient reading of the platform's JSON. The platform's documentation, its samples and its traffic disagree about
//! types: ids are texts or numbers, lists with one element are objects, absent values are `null` or `""`. An unreadable
//! field must not affect the other fields, so an object is not deserialized as a whole: its fields are taken one by
//! one, each with its intended type. Fields that are not taken, because they are unknown or cannot be read, are left
//! ([`Left`]) and can be kept as they were sent.

mod left;
mod scalar;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use domain::Timestamp;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use self::scalar::{elements, first_byte, list_elements, number, time};

pub(crate) use self::left::Left;
pub(crate) use self::scalar::{bounded_id, text};

/// An object of the platform, from which fields are taken.
pub(crate) struct Object<'a> {
    fields: Vec<Field<'a>>,
    /// The paths of the fields that cannot be read.
    unreadable: Vec<String>,
}

struct Field<'a> {
    name: Cow<'a, str>,
    raw: &'a RawValue,
    left: Left<'a>,
}

/// The result of reading an object.
pub(crate) struct Reading<'a, T> {
    pub(crate) value: T,
    pub(crate) left: Left<'a>,
    pub(crate) unreadable: Vec<String>,
}

/// Reads an object; `None` if the value is not an object. A list counts as its first object.
pub(crate) fn read<'a, T>(raw: &'a RawValue, read: impl FnOnce(&mut Object<'a>) -> T) -> Option<Reading<'a, T>> {
    let mut object = Object::of(raw)?;
    let value = read(&mut object);
    Some(object.reading(value))
}

impl<'a> Object<'a> {
    fn of(raw: &'a RawValue) -> Option<Self> {
        match first_byte(raw) {
            b'{' => {
                let Fields(fields) = serde_json::from_str(raw.get()).ok()?;
                Some(Object { fields, unreadable: Vec::new() })
            }
            // Lists in lists are not searched, because deep nesting would exhaust the stack.
            b'[' => elements(raw)?.into_iter().find(|element| first_byte(element) == b'{').and_then(Object::of),
            _ => None,
        }
    }

    fn reading<T>(self, value: T) -> Reading<'a, T> {
        let left: Vec<_> = self.fields.into_iter().map(|field| (field.name, field.left)).collect();
        let left = if left.iter().all(|(_, left)| left.is_nothing()) { Left::Nothing } else { Left::Fields(left) };
        Reading { value, left, unreadable: self.unreadable }
    }

    /// Takes a field and returns the result of `read`; `None` if the field cannot be read that way. Of fields with the
    /// same name, the last one that can be read wins. `null` counts as an absent field.
    fn take<T>(
        &mut self,
        name: &str,
        mut read: impl FnMut(&'a RawValue) -> Option<(Option<T>, Left<'a>)>,
    ) -> Option<T> {
        let mut taken = None;
        let mut is_readable = true;
        for field in self.fields.iter_mut().rev().filter(|field| field.name == name) {
            if first_byte(field.raw) == b'n' || taken.is_some() {
                field.left = Left::Nothing;
            } else if let Some((value, left)) = read(field.raw) {
                (taken, field.left, is_readable) = (value, left, true);
            } else {
                is_readable = false;
            }
        }
        if !is_readable && taken.is_none() {
            self.unreadable.push(name.to_owned());
        }
        taken
    }

    /// Returns whether there is a field with this name that is not `null`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name && first_byte(field.raw) != b'n')
    }

    /// Takes a text, or a number or truth value as it was written. An empty text counts as absent.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        self.take(name, |raw| Some((Some(text(raw)?).filter(|text| !text.is_empty()), Left::Nothing)))
    }

    /// Takes an id of the platform.
    pub(crate) fn id(&mut self, name: &str) -> Option<String> {
        self.text(name).map(bounded_id)
    }

    /// Takes a truth value, also as a text or a number.
    pub(crate) fn flag(&mut self, name: &str) -> Option<bool> {
        self.take(name, |raw| {
            let flag = match text(raw)?.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                "" => None,
                _ => return None,
            };
            Some((flag, Left::Nothing))
        })
    }

    /// Takes a whole number, also as a text.
    pub(crate) fn number(&mut self, name: &str) -> Option<i64> {
        self.take(name, |raw| {
            let text = text(raw)?;
            if text.is_empty() { Some((None, Left::Nothing)) } else { Some((Some(number(&text)?), Left::Nothing)) }
        })
    }

    /// Takes a time in seconds or milliseconds since 1970, or in RFC 3339 format.
    pub(crate) fn time(&mut self, name: &str) -> Option<Timestamp> {
        self.take(name, |raw| {
            let text = text(raw)?;
            if text.is_empty() { Some((None, Left::Nothing)) } else { Some((Some(time(&text)?), Left::Nothing)) }
        })
    }

    /// Takes a value as it was sent.
    pub(crate) fn raw(&mut self, name: &str) -> Option<&'a RawValue> {
        self.take(name, |raw| Some((Some(raw), Left::Nothing)))
    }

    /// Takes an object. A list counts as its first object.
    pub(crate) fn object<T>(&mut self, name: &str, mut read: impl FnMut(&mut Object<'a>) -> T) -> Option<T> {
        let mut unreadable = Vec::new();
        let taken = self.take(name, |raw| {
            let mut object = Object::of(raw)?;
            let value = read(&mut object);
            let reading = object.reading(value);
            unreadable.extend(reading.unreadable);
            Some((Some(reading.value), reading.left))
        });
        self.unreadable.extend(unreadable.into_iter().map(|path| format!("{name}.{path}")));
        taken
    }

    /// Takes a list of objects. An object counts as a list of one.
    pub(crate) fn list<T>(&mut self, name: &str, mut read: impl FnMut(&mut Object<'a>) -> T) -> Vec<T> {
        let mut unreadable = Vec::new();
        let taken = self.take(name, |raw| {
            let (mut values, mut left) = (Vec::new(), Vec::new());
            for (at, element) in list_elements(raw)?.into_iter().enumerate() {
                let Some(mut object) = Object::of(element) else {
                    unreadable.push(format!("{name}[{at}]"));
                    left.push(Left::Whole(element));
                    continue;
                };
                values.push(read(&mut object));
                let reading = object.reading(());
                unreadable.extend(reading.unreadable.into_iter().map(|path| format!("{name}[{at}].{path}")));
                left.push(reading.left);
            }
            let is_done = left.iter().all(Left::is_nothing);
            Some((Some(values), if is_done { Left::Nothing } else { Left::Elements(left) }))
        });
        self.unreadable.extend(unreadable);
        taken.unwrap_or_default()
    }

    /// Takes the elements of a list as they were sent, without `null`. An object counts as a list of one. The lists of
    /// several fields with the same name are joined.
    pub(crate) fn raw_list(&mut self, name: &str) -> Vec<&'a RawValue> {
        let mut all = Vec::new();
        for field in self.fields.iter_mut().filter(|field| field.name == name && first_byte(field.raw) != b'n') {
            match list_elements(field.raw) {
                Some(elements) => {
                    all.extend(elements);
                    field.left = Left::Nothing;
                }
                None => self.unreadable.push(name.to_owned()),
            }
        }
        all
    }
}

/// The fields of an object in their order, including those whose name occurs twice.
struct Fields<'a>(Vec<Field<'a>>);

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some((Name(name), raw)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
                    fields.push(Field { name, raw, left: Left::Whole(raw) });
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Returns the names and values of an object's fields in their order.
pub(crate) fn fields(raw: &RawValue) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    let Fields(fields) = serde_json::from_str(raw.get()).ok()?;
    Some(fields.into_iter().map(|field| (field.name, field.raw)).collect())
}
