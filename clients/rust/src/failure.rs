//! The error of a response.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;
use serde::Deserialize as _;
use serde_json::Value;

use crate::Error;
use crate::generated::kinds::ErrorKind;
use crate::types::ErrorProvider;

/// Makes the error of a response. `body` is what its text says as JSON, or the text. It has one of three forms:
/// `{error: {…}}`, `{error: "…"}`, and the gateway's `{message: "…"}`; what is between may send any other.
pub(crate) fn error_of(status: u16, headers: HeaderMap, body: Value, now: SystemTime) -> Error {
    let details = &body["error"];
    let text = |name: &str| details[name].as_str().map(str::to_owned);
    let plain = details.as_str().or(body["message"].as_str()).map(str::to_owned);
    let message = text("message").or(plain).unwrap_or_else(|| format!("The service responded with status {status}."));
    let mut error = Error::new(kind_of(status, details), message);
    let facts = &mut error.0;
    facts.status = Some(status);
    (facts.code, facts.param, facts.doc_url) = (text("code"), text("param"), text("doc_url"));
    facts.provider = ErrorProvider::deserialize(&details["provider"]).ok();
    facts.additional_info = Vec::deserialize(&details["additional_info"]).ok();
    facts.request_id = request_id(&headers);
    facts.message_id = header(&headers, "x-message-id");
    facts.retry_after = retry_after(&headers, now);
    facts.headers = Some(headers);
    error.with_body(body)
}

fn kind_of(status: u16, details: &Value) -> ErrorKind {
    match (ErrorKind::of_status(status), details["type"].as_str()) {
        (Some(kind), _) => kind,
        (None, Some("provider_error")) if (400..500).contains(&status) => ErrorKind::Provider,
        (None, _) if (400..500).contains(&status) => ErrorKind::InvalidRequest,
        (None, _) => ErrorKind::Internal,
    }
}

/// Returns the request's id: the service's, or the gateway's.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<String> {
    header(headers, "x-request-id").or_else(|| header(headers, "apigw-requestid"))
}

/// Returns what `Retry-After` says, which is a number of seconds or a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = header(headers, RETRY_AFTER.as_str())?;
    let text = text.trim();
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}
