//! Strict JSON parsing: an object that contains a key twice is rejected.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The reason why a text is rejected as JSON.
pub(crate) enum JsonError {
    /// An object contains a key more than once; the path of that key.
    DuplicateKey(String),
    Syntax(serde_json::Error),
}

/// Parses JSON and rejects repeated keys.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    let trail = RefCell::new(Trail::default());
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let parsed = Strict(&trail).deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    parsed.map_err(|error| trail.take().duplicate.map_or(JsonError::Syntax(error), JsonError::DuplicateKey))
}

/// The parser's position, and the path of the repeated key if there is one.
#[derive(Default)]
struct Trail {
    steps: Vec<Step>,
    duplicate: Option<String>,
}

enum Step {
    Key(String),
    Index(usize),
}

impl Trail {
    fn path_to(&self, key: &str) -> String {
        let mut path = String::new();
        for step in &self.steps {
            match step {
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => path.extend([".", key]),
                Step::Index(index) => path.push_str(&format!("[{index}]")),
            }
        }
        if path.is_empty() { key.to_owned() } else { path + "." + key }
    }
}

struct Strict<'a>(&'a RefCell<Trail>);

impl Strict<'_> {
    fn enter(&self, step: Step) -> Self {
        self.0.borrow_mut().steps.push(step);
        Strict(self.0)
    }

    fn leave(&self) {
        self.0.borrow_mut().steps.pop();
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(whole(value).map_or_else(|| Value::from(value), Value::from))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = access.next_element_seed(self.enter(Step::Index(list.len())))? {
            self.leave();
            list.push(value);
        }
        // Leaves the step that was entered to find the end of the array.
        self.leave();
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if object.contains_key(&key) {
                let mut trail = self.0.borrow_mut();
                trail.duplicate = Some(trail.path_to(&key));
                return Err(A::Error::custom("duplicate key"));
            }
            let value = access.next_value_seed(self.enter(Step::Key(key.clone())))?;
            self.leave();
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// Returns the integer for a number with a zero fraction, such as 3.0 (JSON Schema 2020-12, section 6.1.1), if a double
/// represents it exactly.
#[expect(clippy::cast_possible_truncation, reason = "the value is an integer of at most 53 bits")]
fn whole(value: f64) -> Option<i64> {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    (value.fract() == 0.0 && value.abs() <= LARGEST).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_reads_as_serde_json_reads_it() {
        let text = br#"{"a": [1, -2, 3.5, true, null, "x"], "b": {"c": {}}}"#;
        let Ok(parsed) = parse(text) else { panic!("refused") };
        assert_eq!(parsed, serde_json::from_slice::<Value>(text).expect("JSON"));
    }

    #[test]
    fn whole_numbers_are_integers_however_they_are_written() {
        let Ok(parsed) = parse(b"[3.0, -0.0, 1e3, 3.5, 1e300]") else { panic!("refused") };
        assert_eq!(parsed, serde_json::json!([3, 0, 1000, 3.5, 1e300]));
    }

    #[test]
    fn a_repeated_key_is_named_with_its_path() {
        for (text, path) in
            [(r#"{"a":1,"a":2}"#, "a"), (r#"{"h":{"X":1,"X":2}}"#, "h.X"), (r#"{"l":[{},{"k":1,"k":1}]}"#, "l[1].k")]
        {
            assert!(matches!(parse(text.as_bytes()), Err(JsonError::DuplicateKey(found)) if found == path), "{text}");
        }
    }

    #[test]
    fn invalid_json_is_rejected() {
        let deep = "[".repeat(100_000);
        for text in ["", "{", "{}x", "nul", "{\"a\":\"\u{1}\"}", &deep] {
            assert!(matches!(parse(text.as_bytes()), Err(JsonError::Syntax(_))));
        }
        assert!(matches!(parse(b"\"\xff\""), Err(JsonError::Syntax(_))));
    }
}
