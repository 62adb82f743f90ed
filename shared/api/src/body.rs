//! JSON bodies. Errors are reported in this order: invalid JSON, missing fields, invalid fields, unknown fields.

use axum::body::to_bytes;
use axum::extract::{FromRef, FromRequest, Request};
use bytes::Bytes;
use domain::Failure;
use domain::credential::hex;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method};
use ring::digest::{SHA256, digest};
use runtime::Context;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::answer::Rejection;
use crate::json::{self, JsonError};
use crate::strict::Strict;

/// The limit for JSON bodies in bytes, more than ten times what any operation needs.
pub const JSON_LIMIT: usize = 256 * 1024;
const PARAM: &str = "body";
/// How much of an unknown field's name a message repeats, in characters.
const LONGEST_NAME: usize = 100;

/// The body of an operation: its wire format, and the validation that turns it into domain values.
pub trait Input: DeserializeOwned {
    /// Required fields.
    const REQUIRED: &'static [&'static str] = &[];
    /// Whether the body must contain at least one field.
    const AT_LEAST_ONE: bool = false;
    /// The validated input that the operation works with.
    type Checked;

    /// Validates the values of the fields. A failure names the field.
    fn check(self, context: &Context) -> Result<Self::Checked, Failure>;
}

/// A validated body, and the fingerprint of the JSON that was sent, which `Idempotency-Key` compares.
#[derive(Debug)]
pub struct Json<T: Input> {
    pub input: T::Checked,
    pub fingerprint: String,
}

impl<S, T> FromRequest<S> for Json<T>
where
    S: Send + Sync,
    T: Input,
    Context: FromRef<S>,
{
    type Rejection = Rejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, Rejection> {
        require_json(request.headers())?;
        // An empty PUT or PATCH is more likely a lost body than an intended change.
        let may_be_empty = request.method() == Method::POST && T::REQUIRED.is_empty();
        let bytes = read(request, JSON_LIMIT).await?;
        let object = if bytes.is_empty() && may_be_empty { Map::new() } else { object(&bytes)? };
        let fingerprint = fingerprint(&[&serde_json::to_vec(&object).map_err(Failure::internal)?]);
        let input = checked::<T>(object, &Context::from_ref(state))?;
        Ok(Json { input, fingerprint })
    }
}

/// Returns the SHA-256 over the length and the hash of each part, in hexadecimal.
pub fn fingerprint(parts: &[&[u8]]) -> String {
    let mut text = Vec::new();
    for part in parts {
        text.extend_from_slice(&(part.len() as u64).to_be_bytes());
        text.extend_from_slice(digest(&SHA256, part).as_ref());
    }
    hex(digest(&SHA256, &text).as_ref())
}

/// Accepts `application/json` or no content type at all.
fn require_json(headers: &HeaderMap) -> Result<(), Failure> {
    let Some(content_type) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let essence = content_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.is_empty() || essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Failure::unsupported_type("This operation takes a JSON body. Set Content-Type to application/json.")
        .with_param("Content-Type"))
}

/// Reads the whole body; a body above the limit is a 413.
async fn read(request: Request, limit: usize) -> Result<Bytes, Failure> {
    to_bytes(request.into_body(), limit)
        .await
        .map_err(|_| Failure::body_too_large(format!("The body exceeds the limit of {limit} bytes.")))
}

fn object(bytes: &[u8]) -> Result<Map<String, Value>, Failure> {
    match json::parse(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Failure::invalid(PARAM, "The body must be a JSON object.")),
        Err(JsonError::DuplicateKey(path)) => {
            Err(Failure::invalid(path, "The body contains this field twice. Send it once."))
        }
        Err(JsonError::Syntax(error)) => Err(Failure::invalid(PARAM, format!("The body is not valid JSON: {error}."))),
    }
}

fn checked<T: Input>(mut object: Map<String, Value>, context: &Context) -> Result<T::Checked, Failure> {
    if let Some(missing) = T::REQUIRED.iter().find(|name| !object.contains_key(**name)) {
        return Err(Failure::missing(missing));
    }
    let fields = serde_aux::serde_introspection::serde_introspect::<T>();
    let unknown = object.keys().find(|name| !fields.contains(&name.as_str())).cloned();
    object.retain(|name, _| fields.contains(&name.as_str()));
    if T::AT_LEAST_ONE && object.is_empty() {
        let none = || Failure::invalid(PARAM, format!("Provide at least one of: {}.", fields.join(", ")));
        return Err(unknown.map_or_else(none, |name| unknown_field(name, fields)));
    }
    // No field of a body is nullable; serde would treat null in an optional field as absent.
    if let Some((name, _)) = object.iter().find(|(_, value)| value.is_null()) {
        return Err(Failure::invalid(name, format!("{name} must not be null. Omit it instead.")));
    }
    let wire: T = serde_path_to_error::deserialize(Strict(Value::Object(object))).map_err(wrong_type)?;
    let input = wire.check(context)?;
    match unknown {
        None => Ok(input),
        Some(name) => Err(unknown_field(name, fields)),
    }
}

fn unknown_field(name: String, fields: &[&str]) -> Failure {
    let shown: String = name.chars().take(LONGEST_NAME).collect();
    let message = format!("\"{shown}\" is not a field of this operation. Allowed: {}.", fields.join(", "));
    Failure::invalid(if name.is_empty() { PARAM.to_owned() } else { name }, message)
}

/// Reports a missing or unknown field of a nested object, or the expected type. The message never repeats a value that
/// was sent: it may be a secret.
fn wrong_type(error: serde_path_to_error::Error<serde_json::Error>) -> Failure {
    let path = error.path().to_string();
    // Serde quotes names in backticks.
    let message = error.inner().to_string().replace('`', "");
    if let Some(field) = message.strip_prefix("missing field ") {
        return Failure::missing(&format!("{path}.{field}"));
    }
    let expected = message.rsplit_once("expected ").map_or("of another type", |(_, expected)| expected);
    if message.starts_with("unknown field ") {
        let allowed = expected.strip_prefix("one of ").unwrap_or(expected);
        let message = format!("This is not a field of the object. Allowed: {allowed}.");
        return Failure::invalid(path, message);
    }
    let expected = match expected {
        "i64" | "u64" | "u32" => "an integer",
        "f64" => "a number",
        "a sequence" => "an array",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    let message = format!("{path} must be {expected}.");
    Failure::invalid(path, message)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

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
        assert_eq!(Values::deserialize(Strict(body.clone())).ok(), Values::deserialize(body).ok());
        // serde_json alone would take an object for the variant that it names.
        for wrong in [json!(7), json!({"A": null}), json!({"A": 1}), json!(["A"]), json!(null)] {
            let error = Choice::deserialize(Strict(wrong)).expect_err("not a string");
            assert!(error.to_string().contains("expected a string"), "{error}");
        }
    }

    #[test]
    fn errors_in_nested_objects_name_the_field_and_what_is_allowed() {
        for (inner, param, message) in [
            (json!({}), "inner[1].name", "inner[1].name is required."),
            (json!({"name": 7}), "inner[1].name", "inner[1].name must be a string."),
            (json!({"name": "a", "isOn": null}), "inner[1].isOn", "inner[1].isOn must be a boolean."),
            (json!({"name": "a", "x": 1}), "inner[1].x", "This is not a field of the object. Allowed: name or isOn."),
            (json!("a"), "inner[1]", "inner[1] must be an object."),
            // The derived implementation alone would read the fields in their order.
            (json!(["a", true]), "inner[1]", "inner[1] must be an object."),
        ] {
            let body = json!({"inner": [{"name": "a"}, inner]});
            let failure = wrong_type(serde_path_to_error::deserialize::<_, Outer>(Strict(body)).expect_err(param));
            assert_eq!((failure.param(), failure.message()), (Some(param), message));
        }
    }
}
