//! JSON bodies, refused in the API's order: not JSON, then missing fields, then wrong fields, then unknown fields.

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

/// Bytes of a JSON body; the largest that any operation needs is below a tenth of it.
pub const JSON_LIMIT: usize = 256 * 1024;
const PARAM: &str = "body";

/// The body of an operation: its wire form, and the rules that make domain values of it.
pub trait Input: DeserializeOwned {
    /// Fields that must be there.
    const REQUIRED: &'static [&'static str] = &[];
    /// Whether a body without any field asks for nothing.
    const AT_LEAST_ONE: bool = false;
    /// What the rules of the operation work with.
    type Checked;

    /// Judges the fields' values; the failure names the field.
    fn check(self, context: &Context) -> Result<Self::Checked, Failure>;
}

/// A checked body, and the fingerprint of what was sent for `Idempotency-Key`.
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
        // What replaces or changes is never meant by a body that got lost.
        let may_be_empty = request.method() == Method::POST && T::REQUIRED.is_empty();
        let bytes = read(request, JSON_LIMIT).await?;
        let object = if bytes.is_empty() && may_be_empty { Map::new() } else { object(&bytes)? };
        let fingerprint = fingerprint(&[&serde_json::to_vec(&object).map_err(Failure::internal)?]);
        let input = checked::<T>(object, &Context::from_ref(state))?;
        Ok(Json { input, fingerprint })
    }
}

/// SHA-256 over the parts, each with its length.
pub fn fingerprint(parts: &[&[u8]]) -> String {
    let mut text = Vec::new();
    for part in parts {
        text.extend_from_slice(&(part.len() as u64).to_be_bytes());
        text.extend_from_slice(digest(&SHA256, part).as_ref());
    }
    hex(digest(&SHA256, &text).as_ref())
}

/// `application/json`, or no type at all.
fn require_json(headers: &HeaderMap) -> Result<(), Failure> {
    let Some(content_type) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let essence = content_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.is_empty() || essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Failure::unsupported_type("This operation takes a JSON body; Content-Type must be application/json.")
        .with_param("Content-Type"))
}

/// The whole body, or 413.
async fn read(request: Request, limit: usize) -> Result<Bytes, Failure> {
    to_bytes(request.into_body(), limit)
        .await
        .map_err(|_| Failure::body_too_large(format!("The body may have at most {limit} bytes.")))
}

fn object(bytes: &[u8]) -> Result<Map<String, Value>, Failure> {
    match json::parse(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Failure::invalid(PARAM, "The body must be a JSON object.")),
        Err(JsonError::DuplicateKey(path)) => Err(Failure::invalid(path, "The body names this field twice.")),
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
        let none = || Failure::invalid(PARAM, format!("Give at least one of {}.", fields.join(", ")));
        return Err(unknown.map_or_else(none, unknown_field));
    }
    // No field of a body is nullable; without this an optional one would take null for absence.
    if let Some((name, _)) = object.iter().find(|(_, value)| value.is_null()) {
        return Err(Failure::invalid(name, format!("{name} must not be null; leave it out instead.")));
    }
    let wire: T = serde_path_to_error::deserialize(Value::Object(object)).map_err(wrong_type)?;
    let input = wire.check(context)?;
    match unknown {
        None => Ok(input),
        Some(name) => Err(unknown_field(name)),
    }
}

fn unknown_field(name: String) -> Failure {
    let param = if name.is_empty() { PARAM.to_owned() } else { name };
    Failure::invalid(param, "There is no field of this name in this operation.")
}

/// Says what was expected, never what was sent: a value may be a secret.
fn wrong_type(error: serde_path_to_error::Error<serde_json::Error>) -> Failure {
    let path = error.path().to_string();
    let message = error.inner().to_string();
    let expected = message.rsplit_once("expected ").map_or("a different value", |(_, expected)| expected);
    let expected = match expected {
        "i64" | "u64" | "u32" => "an integer",
        "f64" => "a number",
        "a sequence" => "an array",
        "a map" => "an object",
        other => other,
    };
    Failure::invalid(path, format!("The value has a wrong type or is none of those allowed: expected {expected}."))
}
