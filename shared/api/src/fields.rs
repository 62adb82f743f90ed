//! The fields of a JSON body, deserialized so that the failure is the first one in the order of [`crate::body`], also within
//! nested objects.

use domain::Failure;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::strict::Strict;

/// The `param` of a failure about the body as a whole.
pub(crate) const PARAM: &str = "body";
/// How much of an unknown field's name, or of the path to it, a message repeats, in characters.
const LONGEST_NAME: usize = 100;
/// The highest number of fields that are set aside to find a missing one. Each costs another pass over the body.
const MOST_SET_ASIDE: usize = 8;

/// The fields of a body.
pub(crate) struct Fields {
    /// The body, an object that has known fields only.
    pub(crate) object: Value,
    /// The failure about the first unknown field, which is reported if there is no other error.
    pub(crate) unknown: Option<Failure>,
}

/// A problem that serde reports.
enum Problem {
    /// The path of a field of a nested object.
    Missing(String),
    Unknown(Failure),
    Invalid(Failure),
}

type Error = serde_path_to_error::Error<serde_json::Error>;

impl Fields {
    /// Deserializes the fields. Notes the first unknown field of a nested object in `unknown`.
    pub(crate) fn read<T: DeserializeOwned>(&mut self, required: &[&str], nullable: &[&str]) -> Result<T, Failure> {
        if let Some(missing) = required.iter().find(|name| self.object.get(name).is_none()) {
            return Err(Failure::missing(missing));
        }
        // Serde would treat null in an optional field as absent.
        let mut fields = self.object.as_object().into_iter().flatten();
        if let Some((name, _)) = fields.find(|(name, value)| value.is_null() && !nullable.contains(&name.as_str())) {
            return Err(Failure::invalid(name, format!("{name} must not be null. Omit it instead.")));
        }
        self.deserialize()
    }

    /// Serde stops at its first error, which may be about an invalid or unknown field although another one is missing. So that
    /// field is set aside, and the others are read again.
    fn deserialize<T: DeserializeOwned>(&mut self) -> Result<T, Failure> {
        let (mut invalid, mut nested, mut set_aside) = (None, None, Vec::new());
        let wire = loop {
            let error: Error = match serde_path_to_error::deserialize(Strict(&self.object)) {
                Ok(wire) => break Some(wire),
                Err(error) => error,
            };
            match Problem::of(&error) {
                // It was sent, with an invalid value.
                Problem::Missing(path) if set_aside.contains(&path) => break None,
                Problem::Missing(path) => {
                    self.unknown = nested.or(self.unknown.take());
                    return Err(Failure::missing(&path));
                }
                Problem::Unknown(failure) => drop(nested.get_or_insert(failure)),
                Problem::Invalid(failure) => drop(invalid.get_or_insert(failure)),
            }
            if set_aside.len() == MOST_SET_ASIDE || !remove(&mut self.object, error.path()) {
                break None;
            }
            set_aside.push(error.path().to_string());
        };
        self.unknown = nested.or(self.unknown.take());
        match (invalid, wire) {
            (Some(invalid), _) => Err(invalid),
            (None, Some(wire)) => Ok(wire),
            (None, None) => Err(self.unknown.take().unwrap_or_else(|| Failure::internal("no error was noted"))),
        }
    }
}

/// Removes the field of an object; returns `false` if the path does not lead to one.
fn remove(object: &mut Value, path: &Path) -> bool {
    let mut segments: Vec<&Segment> = path.iter().collect();
    let Some(Segment::Map { key }) = segments.pop() else { return false };
    let parent = segments.into_iter().try_fold(object, |value, segment| match segment {
        Segment::Map { key } => value.get_mut(key),
        Segment::Seq { index } => value.get_mut(index),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    parent.and_then(Value::as_object_mut).is_some_and(|fields| fields.remove(key).is_some())
}

/// Returns the failure about a field that does not exist. `object` names the object that would have the field.
pub(crate) fn unknown_field(path: &str, name: &str, object: &str, allowed: &[&str]) -> Failure {
    let (name, object) = (shown(name), shown(object));
    let message = format!("\"{name}\" is not a field of {object}. Allowed: {}.", allowed.join(", "));
    Failure::invalid(if path.is_empty() { PARAM } else { path }, message)
}

fn shown(text: &str) -> String {
    text.chars().take(LONGEST_NAME).collect()
}

impl Problem {
    /// Reads serde's message. A failure never repeats a value of the request, which can be a secret.
    fn of(error: &Error) -> Problem {
        let path = error.path().to_string();
        // Serde quotes names in backticks.
        let message = error.inner().to_string().replace('`', "");
        if let Some(field) = message.strip_prefix("missing field ") {
            let is_nested = error.path().iter().next().is_some();
            return Problem::Missing(if is_nested { format!("{path}.{field}") } else { field.to_owned() });
        }

        let expected = message.rsplit_once("expected ").map_or("of another type", |(_, expected)| expected);
        if message.starts_with("unknown field ") {
            let name = match error.path().iter().next_back() {
                Some(Segment::Map { key }) => key.as_str(),
                _ => "",
            };
            let object = path.strip_suffix(name).map_or("the object", |object| object.trim_end_matches('.'));
            let allowed = expected.strip_prefix("one of ").unwrap_or(expected).replace(" or ", ", ");
            return Problem::Unknown(unknown_field(&path, name, object, &[&allowed]));
        }

        let expected = match expected {
            "i64" => "an integer",
            "u64" | "u32" => "an integer from 0",
            "f64" => "a number",
            "a sequence" => "an array",
            "a map" => "an object",
            other if other.starts_with("struct ") => "an object",
            other => other,
        };
        let message = format!("{path} must be {expected}.");
        Problem::Invalid(Failure::invalid(path, message))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::{Map, json};

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Outer {
        #[serde(rename = "inner")]
        _inner: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Inner {
        #[serde(rename = "name")]
        _name: String,
        #[serde(default, deserialize_with = "domain::present::present", rename = "isOn")]
        _is_on: Option<bool>,
    }

    #[test]
    fn values_read_as_serde_json_reads_them() {
        #[derive(Debug, Deserialize, PartialEq)]
        enum Choice {
            A,
        }

        #[derive(Debug, Deserialize, PartialEq)]
        struct Values {
            choice: Choice,
            list: Vec<Option<i64>>,
            ratio: f64,
            map: Map<String, Value>,
            wrapped: Wrapped,
        }

        #[derive(Debug, Deserialize, PartialEq)]
        struct Wrapped(String);

        let body =
            json!({"choice": "A", "list": [1, null], "ratio": 1.5, "map": {"a": [1, {"b": null}]}, "wrapped": "c"});
        assert_eq!(Values::deserialize(Strict(&body)).ok(), Values::deserialize(&body).ok());
        // serde_json alone would accept an object that names the variant.
        for wrong in [json!(7), json!({"A": null}), json!({"A": 1}), json!(["A"]), json!(null)] {
            let error = Choice::deserialize(Strict(&wrong)).expect_err("not a string");
            assert!(error.to_string().contains("expected a string"), "{error}");
        }
    }

    /// Reads a body, and returns the failure and the note about an unknown field.
    fn failure(body: Value) -> (Option<Failure>, Option<Failure>) {
        let mut fields = Fields { object: body, unknown: None };
        (fields.read::<Outer>(&["inner"], &[]).err(), fields.unknown)
    }

    #[test]
    fn errors_in_nested_objects_name_the_field_and_what_is_allowed() {
        for (inner, param, message) in [
            (json!({}), "inner[1].name", "inner[1].name is required."),
            (json!({"name": 7}), "inner[1].name", "inner[1].name must be a string."),
            (json!({"isOn": 7}), "inner[1].name", "inner[1].name is required."),
            (json!({"name": "a", "isOn": null}), "inner[1].isOn", "inner[1].isOn must be a boolean."),
            (json!("a"), "inner[1]", "inner[1] must be an object."),
            // The derived implementation alone would read the fields in their order.
            (json!(["a", true]), "inner[1]", "inner[1] must be an object."),
        ] {
            let (failure, unknown) = failure(json!({"inner": [{"name": "a"}, inner]}));
            let failure = failure.expect(param);
            assert_eq!((failure.param(), failure.message()), (Some(param), message));
            assert!(unknown.is_none());
        }
    }

    #[test]
    fn an_unknown_field_is_noted_and_the_others_are_read() {
        let note = "\"x\" is not a field of inner[0]. Allowed: name, isOn.";
        for (body, failed) in [
            (json!({"inner": [{"name": "a", "x": 1}, {"name": "b", "y": 1}]}), None),
            (json!({"inner": [{"name": "a", "x": 1}, {"name": 7}]}), Some("inner[1].name must be a string.")),
            (json!({"inner": [{"isOn": 7, "x": 1}]}), Some("inner[0].name is required.")),
            (json!({"inner": [{"name": 7, "x": 1}]}), Some("inner[0].name must be a string.")),
        ] {
            let (failure, unknown) = failure(body);
            assert_eq!(failure.as_ref().map(Failure::message), failed);
            assert_eq!(
                unknown.as_ref().map(|unknown| (unknown.param(), unknown.message())),
                Some((Some("inner[0].x"), note))
            );
        }
    }

    #[test]
    fn a_body_of_unknown_fields_is_read_a_few_times_only() {
        let fields: Map<String, Value> = (0..100).map(|number| (format!("x{number:02}"), json!(1))).collect();
        let (failure, _) = failure(json!({"inner": [fields]}));
        assert_eq!(
            failure.as_ref().map(Failure::message),
            Some("\"x00\" is not a field of inner[0]. Allowed: name, isOn.")
        );
    }
}
