//! JSON bodies. Errors are reported in this order: invalid JSON, missing fields, invalid fields, unknown fields. An unknown
//! field is reported together with a missing one, because it is often a misspelling of it.

use axum::body::to_bytes;
use axum::extract::{FromRef, FromRequest, Request};
use bytes::Bytes;
use domain::Failure;
use domain::identity::credential::hex;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method};
use ring::digest::{SHA256, digest};
use runtime::Context;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::answer::Rejection;
use crate::fields::{Fields, PARAM, unknown_field};
use crate::json::{self, JsonError};

/// The limit for JSON bodies in bytes, more than ten times what any operation needs.
pub const JSON_LIMIT: usize = 256 * 1024;

/// The body of an operation: its wire format, and the validation that turns it into domain values.
pub trait Input: DeserializeOwned {
    /// Required fields.
    const REQUIRED: &'static [&'static str] = &[];
    /// Fields of which `null` is a value: it removes what they set.
    const NULLABLE: &'static [&'static str] = &[];
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
        // The body of an empty PUT or PATCH has more likely been lost than left out.
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
    to_bytes(request.into_body(), limit).await.map_err(|_| {
        Failure::body_too_large(format!("The body exceeds the limit of {limit} bytes. Send less in one request."))
    })
}

/// Fails if the text is not UTF-8. It is never repaired, so that stored values are exactly those of the request.
pub fn expect_utf8(bytes: &[u8]) -> Result<(), Failure> {
    let Err(error) = std::str::from_utf8(bytes) else { return Ok(()) };
    let at = error.valid_up_to();
    Err(Failure::invalid(
        PARAM,
        format!("The body is not UTF-8 text: byte {at} begins no character. Encode it as UTF-8."),
    ))
}

fn object(bytes: &[u8]) -> Result<Map<String, Value>, Failure> {
    if bytes.is_empty() {
        return Err(Failure::invalid(PARAM, "The body is empty. Send a JSON object."));
    }
    expect_utf8(bytes)?;
    match json::parse(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Failure::invalid(PARAM, "The body must be a JSON object: {\"field\": value}.")),
        Err(JsonError::DuplicateKey(path)) => {
            Err(Failure::invalid(path, "The body contains this field twice. Send it once."))
        }
        Err(JsonError::Syntax(error)) => Err(Failure::invalid(PARAM, format!("The body is not valid JSON: {error}."))),
    }
}

fn checked<T: Input>(mut object: Map<String, Value>, context: &Context) -> Result<T::Checked, Failure> {
    let names = serde_aux::serde_introspection::serde_introspect::<T>();
    let is_known = |name: &str| names.contains(&name);
    let unknown =
        object.keys().find(|name| !is_known(name)).map(|name| unknown_field(name, name, "this operation", names));
    object.retain(|name, _| is_known(name));
    if T::AT_LEAST_ONE && object.is_empty() {
        let none = || Failure::invalid(PARAM, format!("Provide at least one of: {}.", names.join(", ")));
        return Err(unknown.unwrap_or_else(none));
    }

    let mut fields = Fields { object: Value::Object(object), unknown };
    let input = fields.read::<T>(T::REQUIRED, T::NULLABLE).and_then(|wire| wire.check(context));
    match (input, fields.unknown) {
        (Ok(input), None) => Ok(input),
        (Ok(_), Some(unknown)) => Err(unknown),
        (Err(failure), None) => Err(failure),
        (Err(failure), Some(unknown)) => Err(failure.with_unknown(&unknown)),
    }
}
