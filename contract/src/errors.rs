//! The description of each error status, and the errors that are examples: those that a test recorded (`UPDATE_SAMPLES=1`), and
//! a few that the service's own code builds, because a test cannot easily provoke them.

use std::collections::BTreeMap;

use api::error_body::ErrorBody;
use api::idempotency::changed_meanwhile;
use domain::testing::on_demand::of_platform;
use domain::{ErrorCode, Failure};
use serde_json::{Value, json};

pub(crate) const DOCS_URL: &str = "https://api.example.com";
/// The name under which the errors are recorded that look the same at every operation.
const EVERYWHERE: &str = "everywhere";
/// The code of the platform's most common rejection: a parameter that it does not accept.
const INVALID_PARAMETER: i64 = 100;

/// An error response as the document describes it.
pub(crate) struct ErrorResponse {
    pub status: u16,
    pub description: &'static str,
    /// Whether the gateway may also respond with this status, with a body of its own.
    pub may_be_gateway: bool,
}

/// The recorded bodies, by operation id and status.
pub(crate) struct Recorded(BTreeMap<String, BTreeMap<String, Value>>);

impl Recorded {
    pub(crate) fn read() -> Self {
        let path = format!("{}/errors.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        Recorded(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}")))
    }

    /// Returns the body that the operation returned with this status.
    pub(crate) fn of(&self, operation: &str, status: u16) -> Option<&Value> {
        self.0.get(operation)?.get(&status.to_string())
    }

    /// Returns the example of the response that operations share. The errors with the other statuses differ per operation.
    pub(crate) fn shared(&self, status: u16) -> Option<Value> {
        match status {
            409 => Some(body(&changed_meanwhile())),
            503 => Some(of_gateway()),
            _ => self.of(EVERYWHERE, status).cloned(),
        }
    }
}

fn body(failure: &Failure) -> Value {
    json!(ErrorBody::new(failure, DOCS_URL))
}

/// Returns a body of the gateway itself.
pub(crate) fn of_gateway() -> Value {
    json!({"message": "Service Unavailable"})
}

/// Returns an error of the platform with this status, for an operation that calls the platform and of which no such error was
/// recorded.
pub(crate) fn reported_by_platform(path: &str, status: u16) -> Option<Value> {
    let failure = match status {
        422 if path.starts_with("/v1/chat/groups") => ErrorCode::GroupsNotEligible.example(),
        422 => of_platform(INVALID_PARAMETER),
        429 => ErrorCode::ChatRateLimited.example(),
        502 => ErrorCode::PlatformApiError.example(),
        503 => ErrorCode::PlatformApiUnavailable.example(),
        _ => return None,
    };
    Some(body(&failure))
}

/// All error responses, by status.
pub(crate) const RESPONSES: [ErrorResponse; 13] = [
    ours(
        400,
        "The request is invalid, or a limit is reached. `param` names the path parameter, query parameter, header or field.",
    ),
    ours(401, "The credential is missing, unknown, revoked or expired, or this operation does not accept its kind."),
    ours(
        403,
        "The credential is valid but does not allow this: the key lacks the scope, or may not be used from this address.",
    ),
    ours(
        404,
        "The object does not exist, belongs to another organization, or is not visible to this credential. The response is the same in all three cases.",
    ),
    ours(409, "The object already exists, its state does not allow this, or a concurrent request changed it first."),
    ours(410, "The requested object or position existed, but can no longer be read."),
    or_gateway(413, "The body is too large."),
    ours(415, "This operation does not accept the body's content type."),
    ours(422, "The request is well-formed but cannot be processed."),
    or_gateway(429, "Too many requests, or a quota is used up. Retry after `Retry-After` seconds."),
    or_gateway(500, "An internal error. Retry a POST with the same `Idempotency-Key`."),
    ours(502, "WhatsApp failed. `provider` contains its code and message."),
    or_gateway(
        503,
        "The service or WhatsApp is temporarily unavailable. Retry later, after `Retry-After` seconds if the header is present.",
    ),
];

const fn ours(status: u16, description: &'static str) -> ErrorResponse {
    ErrorResponse { status, description, may_be_gateway: false }
}

const fn or_gateway(status: u16, description: &'static str) -> ErrorResponse {
    ErrorResponse { status, description, may_be_gateway: true }
}
