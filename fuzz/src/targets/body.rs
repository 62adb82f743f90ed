//! JSON bodies of an operation that has a field of every kind. Line 1 is `POST`, `PATCH` or `PUT` and a content type; the rest
//! is the body.
//!
//! An accepted body is what another parser reads, has no unknown fields and no null, and has the same fingerprint in every
//! notation. The error for a rejected body names the field, if it has a name, and contains no field values.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use api::{Input, Json, Rejection};
use axum::body::Body;
use axum::extract::FromRequest as _;
use domain::events::webhook::AddressPolicy;
use domain::{E164, ErrorKind, Failure, text};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request};
use runtime::{Context, Installation, Metrics, Monitoring};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::Store;
use tests::memory::Memory;

use super::{expect_param, is_nameless, line, now, shown, visible};

/// A value that no error may contain.
const SECRET: &str = "s3cr3t";
const MOST_BYTES: usize = 256 * 1024;

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Everything {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<E164>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nested: Option<Vec<Nested>>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Text,
    Image,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Nested {
    deep: BTreeMap<String, Vec<u32>>,
}

const FIELDS: [&str; 9] = ["name", "number", "count", "ratio", "isOn", "list", "headers", "kind", "nested"];

impl Input for Everything {
    const REQUIRED: &'static [&'static str] = &["name"];
    type Checked = Value;

    fn check(self, _: &Context) -> Result<Value, Failure> {
        let name = text::name(&self.name, "name")?;
        serde_json::to_value(Everything { name, ..self }).map_err(Failure::internal)
    }
}

/// An input whose fields are all optional.
#[derive(Deserialize, Serialize)]
struct Nothing {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl Input for Nothing {
    type Checked = Option<String>;

    fn check(self, _: &Context) -> Result<Option<String>, Failure> {
        Ok(self.name)
    }
}

/// A change, which must have at least one field.
#[derive(Deserialize, Serialize)]
struct Change {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl Input for Change {
    const AT_LEAST_ONE: bool = true;
    type Checked = Option<String>;

    fn check(self, _: &Context) -> Result<Option<String>, Failure> {
        Ok(self.name)
    }
}

static CONTEXT: LazyLock<Context> = LazyLock::new(|| {
    let webhook_addresses = AddressPolicy { own: Vec::new(), allow_local: false };
    let installation = Installation { docs_url: "https://docs.example.com".to_owned(), webhook_addresses };
    let store = Store::new(Memory::default().connection().dynamodb(), "table");
    Context::new(store, installation, Metrics::new("fuzz", Monitoring::Essential, std::io::sink()))
});

pub fn run(input: &[u8]) {
    let (head, body) = line(input);
    let (method, mime) = head.split_at(head.iter().position(|byte| *byte == b' ').unwrap_or(head.len()));
    let Ok(method) = Method::from_bytes(method) else { return };
    let Ok(mime) = HeaderValue::from_bytes(mime.trim_ascii()) else { return };
    let request = || {
        let mut request = Request::new(Body::from(body.to_vec()));
        *request.method_mut() = method.clone();
        if !mime.is_empty() {
            request.headers_mut().insert(CONTENT_TYPE, mime.clone());
        }
        request
    };
    let value = serde_json::from_slice::<Value>(body);
    let everything = read::<Everything>(request());
    match &everything {
        Err(rejection) => expect_refusal(rejection, body, &value),
        Ok(taken) => {
            let sent = value.as_ref().ok().and_then(Value::as_object).expect("a JSON object");
            expect_taken(sent, &taken.input);
            expect_same_fingerprint::<Everything>(sent, &taken.fingerprint);
        }
    }
    expect_other::<Nothing>(read(request()), body, &value, method == Method::POST);
    expect_other::<Change>(read(request()), body, &value, false);
}

fn read<T: Input>(request: Request<Body>) -> Result<Json<T>, Rejection> {
    now(Json::<T>::from_request(request, &*CONTEXT))
}

fn expect_refusal(rejection: &Rejection, body: &[u8], value: &serde_json::Result<Value>) {
    let Rejection::Failed(failure) = rejection else { panic!("{rejection:?}") };
    if failure.kind() == ErrorKind::TooLarge {
        assert!(body.len() > MOST_BYTES);
        return;
    }
    let Some(param) = expect_param(rejection, &[ErrorKind::InvalidRequest, ErrorKind::UnsupportedMediaType]) else {
        assert!(may_name_none(value, failure.message()), "{failure:?}");
        return;
    };
    if failure.kind() == ErrorKind::UnsupportedMediaType {
        assert_eq!(param, "Content-Type");
        return;
    }
    let is_no_json = failure.message().starts_with("The body is not valid JSON");
    assert!(!is_no_json || value.is_err(), "{failure:?}");
    let is_no_text = failure.message().starts_with("The body is not UTF-8 text");
    assert!(!is_no_text || std::str::from_utf8(body).is_err(), "{failure:?}");
    let Ok(value) = value else {
        assert!(is_no_json || is_no_text || body.is_empty() || failure.message().contains("twice"), "{failure:?}");
        return;
    };
    let fields = value.as_object();
    let is_of_body = |name: &String| {
        let name = shown(name);
        name.is_empty() || param.starts_with(&name) || name.starts_with(param)
    };
    let is_known =
        param == "body" || FIELDS.contains(&param) || fields.is_some_and(|fields| fields.keys().any(is_of_body));
    assert!(is_known, "{failure:?}");
    if !has_key(value, SECRET) {
        assert!(!failure.message().contains(SECRET) && !param.contains(SECRET), "{failure:?}");
    }
}

/// Whether an error may name no field: a field has an empty name, or the body ends early after a duplicate name.
pub(super) fn may_name_none(body: &serde_json::Result<Value>, message: &str) -> bool {
    let Ok(body) = body else { return message.contains("twice") };
    body.as_object().is_some_and(|fields| fields.keys().any(|name| is_nameless(name)))
}

/// Whether a field's name contains this text: errors may contain names of fields, but no values.
fn has_key(value: &Value, wanted: &str) -> bool {
    match value {
        Value::Array(list) => list.iter().any(|value| has_key(value, wanted)),
        Value::Object(object) => {
            object.iter().any(|(key, value)| visible(key).contains(wanted) || has_key(value, wanted))
        }
        _ => false,
    }
}

fn expect_taken(sent: &Map<String, Value>, taken: &Value) {
    let taken = taken.as_object().expect("an object");
    assert!(sent.keys().all(|name| FIELDS.contains(&name.as_str())), "{sent:?}");
    assert_eq!(sent.keys().collect::<Vec<_>>().len(), taken.len(), "{sent:?} {taken:?}");
    for (name, value) in sent {
        assert!(!value.is_null(), "{sent:?}");
        if name == "name" {
            assert_eq!(value.as_str().map(str::trim), taken["name"].as_str());
            assert!(taken["name"].as_str().is_some_and(|name| (1..=255).contains(&name.chars().count())));
        } else {
            assert!(are_same(value, &taken[name]), "{value} {}", taken[name]);
        }
    }
}

/// Compares values; 3.0 and 3 are the same number.
fn are_same(sent: &Value, taken: &Value) -> bool {
    match (sent, taken) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| are_same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| are_same(value, other)))
        }
        _ => sent == taken,
    }
}

/// Checks that the fingerprint, by which a retry is recognized, does not depend on white space. Fractions are excluded:
/// serde_json does not always read back the same number from what it writes for a fraction with many digits.
fn expect_same_fingerprint<T: Input>(sent: &Map<String, Value>, fingerprint: &str) {
    if sent.values().any(has_fraction) {
        return;
    }
    let text = serde_json::to_string_pretty(sent).expect("JSON");
    let mut request = Request::new(Body::from(text));
    *request.method_mut() = Method::POST;
    let Ok(again) = read::<T>(request) else { panic!("rejected after reformatting: {sent:?}") };
    assert_eq!(again.fingerprint, fingerprint, "{sent:?}");
}

fn has_fraction(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(list) => list.iter().any(has_fraction),
        Value::Object(object) => object.values().any(has_fraction),
        _ => false,
    }
}

/// Checks an operation with a single field.
fn expect_other<T: Input<Checked = Option<String>>>(
    taken: Result<Json<T>, Rejection>,
    body: &[u8],
    value: &serde_json::Result<Value>,
    may_be_empty: bool,
) {
    let Ok(taken) = taken else { return };
    if body.is_empty() {
        assert!(may_be_empty && taken.input.is_none());
        return;
    }
    let sent = value.as_ref().ok().and_then(Value::as_object).expect("a JSON object");
    assert!(sent.keys().all(|name| name == "name"), "{sent:?}");
    assert!(!T::AT_LEAST_ONE || !sent.is_empty());
    assert_eq!(sent.get("name").map(|name| name.as_str().map(str::to_owned)), taken.input.map(Some));
    expect_same_fingerprint::<T>(sent, &taken.fingerprint);
}
