//! The description of each error status, with an example body built by the service's own code, and the error bodies
//! that a test recorded for each operation (`UPDATE_SAMPLES=1`).

use std::collections::BTreeMap;

use api::body::JSON_LIMIT;
use api::error_body::{ErrorBody, PlainErrorBody};
use domain::error::provider::Provider;
use domain::identity::unauthenticated::Unauthenticated;
use domain::{ErrorCode, Failure};
use serde_json::{Value, json};

pub(crate) const DOCS_URL: &str = "https://api.example.com";

/// An error response as the document describes it.
pub(crate) struct ErrorResponse {
    pub status: u16,
    pub description: &'static str,
    pub example: Value,
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

    /// Returns a rejection by the platform, which looks the same at every operation.
    pub(crate) fn rejection_by_platform(&self) -> Option<&Value> {
        self.of("createGroup", 422)
    }
}

/// The 401 body of an operation that takes a signature instead of a credential.
pub(crate) fn wrong_signature() -> Value {
    let failure = Failure::unauthenticated("The signature does not match the body.").with_param("X-Hub-Signature-256");
    json!(ErrorBody::new(&failure, DOCS_URL))
}

/// All error responses, by status.
pub(crate) fn responses() -> Vec<ErrorResponse> {
    let structured = |failure: Failure| json!(ErrorBody::new(&failure, DOCS_URL));
    let ours = |status, description, failure| ErrorResponse {
        status,
        description,
        example: structured(failure),
        may_be_gateway: false,
    };
    let or_gateway = |response: ErrorResponse| ErrorResponse { may_be_gateway: true, ..response };
    let platform = |code, message: &str| Provider::platform(code, message, Some("A1b2C3d4E5".to_owned()));
    vec![
        ours(
            400,
            "The request is invalid, or a limit is reached. `param` names the path parameter, query parameter, header or field.",
            Failure::invalid("webhook-id", "A delivery of a webhook must not be sent to this API."),
        ),
        ErrorResponse {
            status: 401,
            description: "The credential is missing, unknown, revoked or expired, or this operation does not accept its kind.",
            example: json!(PlainErrorBody { error: Unauthenticated::InvalidKey.message().into_owned() }),
            may_be_gateway: false,
        },
        ours(
            403,
            "The credential is valid but does not allow this.",
            Failure::forbidden("This operation takes a live admin key, but this is a test admin key. Use a live one."),
        ),
        ours(
            404,
            "The object does not exist, belongs to another organization, or is not visible to this credential. The response is the same in all three cases.",
            Failure::not_found("appId", "app"),
        ),
        ours(
            409,
            "The object already exists, its state does not allow this, or a concurrent request changed it first.",
            Failure::conflict("Another request changed the same object. Retry the request."),
        ),
        ours(
            410,
            "What the request asks for existed, and can no longer be read.",
            Failure::gone("after", "Events after this position can no longer be read."),
        ),
        or_gateway(ours(
            413,
            "The body is too large.",
            Failure::body_too_large(format!("The body exceeds the limit of {JSON_LIMIT} bytes.")),
        )),
        ours(
            415,
            "This operation does not accept the body's content type.",
            Failure::unsupported_type("This operation takes a JSON body. Set Content-Type to application/json.")
                .with_param("Content-Type"),
        ),
        ours(
            422,
            "The request is well-formed but cannot be processed.",
            Failure::unprocessable(
                "This Idempotency-Key was already used with different input. Use a new key for a new request.",
            )
            .with_param("Idempotency-Key"),
        ),
        or_gateway(ours(
            429,
            "Too many requests, or a quota is used up. Retry after `Retry-After` seconds.",
            Failure::throttled(1),
        )),
        or_gateway(ours(
            500,
            "An internal error. Retry a POST with the same `Idempotency-Key`.",
            Failure::internal("example"),
        )),
        ours(
            502,
            "The chat platform failed. `provider` contains its code and message.",
            Failure::provider(
                ErrorCode::PlatformApiError,
                "The chat platform could not do this.",
                platform(131_000, "Something went wrong."),
            ),
        ),
        or_gateway(ours(
            503,
            "The service or the chat platform is temporarily unavailable. Retry later, after `Retry-After` seconds if the header is present.",
            Failure::of_code(ErrorCode::PlatformApiUnavailable, "The chat platform could not be reached.")
                .with_retry_after(30),
        )),
    ]
}
