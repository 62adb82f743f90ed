//! What each error status means, with an example that is made as the service makes it.

use api::error_body::{ErrorBody, PlainErrorBody};
use domain::failure::Unauthenticated;
use domain::provider::Provider;
use domain::{ErrorCode, Failure};
use serde_json::{Value, json};

pub(crate) const DOCS_URL: &str = "https://api.example.com";

pub(crate) struct ErrorAnswer {
    pub status: u16,
    pub description: &'static str,
    pub example: Value,
    /// Whether the gateway may answer this status itself, with a body of its own.
    pub gateway_too: bool,
}

/// The 401 of an operation that takes a signature in place of a credential.
pub(crate) fn wrong_signature() -> Value {
    let failure = Failure::unauthenticated("The signature does not match the body.").with_param("X-Hub-Signature-256");
    json!(ErrorBody::new(&failure, DOCS_URL))
}

/// By status.
pub(crate) fn answers() -> Vec<ErrorAnswer> {
    let structured = |failure: Failure| json!(ErrorBody::new(&failure, DOCS_URL));
    let ours = |status, description, failure| ErrorAnswer {
        status,
        description,
        example: structured(failure),
        gateway_too: false,
    };
    let too = |answer: ErrorAnswer| ErrorAnswer { gateway_too: true, ..answer };
    let platform = |code, message: &str| Provider::platform(code, message, Some("A1b2C3d4E5".to_owned()));
    vec![
        ours(
            400,
            "The request is wrong. `param` names the path parameter, query parameter, header or field, also where a limit is reached.",
            domain::webhook::unknown_event("events[2]"),
        ),
        ErrorAnswer {
            status: 401,
            description: "The credential is missing, unknown, revoked, expired, or of a kind that this operation does not take.",
            example: json!(PlainErrorBody { error: Unauthenticated::InvalidKey.message().to_owned() }),
            gateway_too: false,
        },
        ours(
            403,
            "The credential is valid and may not do this.",
            Failure::forbidden("This operation requires a live admin key."),
        ),
        ours(
            404,
            "There is no such object, or it belongs to another organization, or this credential may not see it: these cannot be told apart.",
            Failure::not_found("appId", "app"),
        ),
        ours(
            409,
            "The object exists already or is not in a state for this, or another request came first.",
            Failure::already_exists("slug", "Another app of this organization has this slug. Choose another slug."),
        ),
        too(ours(
            413,
            "The body is too large.",
            Failure::body_too_large("The body exceeds the limit of 262144 bytes."),
        )),
        ours(
            415,
            "The body has a type that this operation does not take.",
            Failure::unsupported_type("This operation takes a JSON body. Set Content-Type to application/json.")
                .with_param("Content-Type"),
        ),
        ours(
            422,
            "The request is well-formed and cannot be done.",
            Failure::unprocessable(
                "This Idempotency-Key was already used with different input. Use a new key for a new request.",
            )
            .with_param("Idempotency-Key"),
        ),
        too(ours(
            429,
            "Too many requests at once, or a quota is used up. Try again after `Retry-After` seconds.",
            Failure::throttled(1),
        )),
        too(ours(
            500,
            "Something went wrong on our side. Repeat a POST with the same `Idempotency-Key`.",
            Failure::internal("example"),
        )),
        ours(
            502,
            "The chat platform failed. `provider` holds its own code and message.",
            Failure::provider(
                502,
                ErrorCode::PlatformApiError,
                "The chat platform could not do this.",
                platform(131_000, "Something went wrong."),
            ),
        ),
        too(ours(
            503,
            "Not available at this time.",
            Failure::of_code(ErrorCode::PlatformApiUnavailable, "The chat platform could not be reached.")
                .with_retry_after(30),
        )),
    ]
}
