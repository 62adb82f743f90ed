//! Failures of requests and jobs. They contain the HTTP status, but nothing else of HTTP. `message` and `param` are for
//! the caller; `cause` is only logged and never part of a response.

mod accessors;

use std::error::Error;

use serde::{Deserialize, Serialize};

use crate::provider::Provider;
use crate::{ErrorCode, ErrorType};

/// The reason why a request or job failed. It can be serialized, because a job stores its failure for the request that
/// waits for it; the cause is not serialized.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Failure(Box<Details>);

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    status: u16,
    kind: ErrorType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<ErrorCode>,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    param: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provider: Option<Provider>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    additional_info: Vec<String>,
    #[serde(skip)]
    cause: Option<Box<dyn Error + Send + Sync>>,
    #[serde(skip)]
    is_temporary: bool,
    #[serde(skip)]
    is_permanent: bool,
    #[serde(skip)]
    is_missing: bool,
}

/// Returns at most `most` characters of a text, without control characters, because parts of errors come from callers.
fn shown(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

const LONGEST_PARAM: usize = 100;
const LONGEST_MESSAGE: usize = 1000;
const LONGEST_METHOD: usize = 20;

impl Failure {
    fn new(status: u16, kind: ErrorType, message: impl Into<String>) -> Self {
        Failure(Box::new(Details {
            status,
            kind,
            code: None,
            message: shown(&message.into(), LONGEST_MESSAGE),
            param: None,
            retry_after: None,
            provider: None,
            additional_info: Vec::new(),
            cause: None,
            is_temporary: false,
            is_permanent: false,
            is_missing: false,
        }))
    }

    fn request(status: u16, message: impl Into<String>) -> Self {
        Self::new(status, ErrorType::InvalidRequestError, message)
    }

    /// Returns a 400: the value of `param` is invalid.
    pub fn invalid(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::request(400, message).with_param(param)
    }

    /// Returns a 400: the body as a whole is invalid.
    pub fn invalid_body(message: impl Into<String>) -> Self {
        Self::request(400, message)
    }

    /// Returns a 400: the required `param` is missing.
    pub fn missing(param: &str) -> Self {
        Self::missing_with(param, format!("{param} is required."))
    }

    /// Returns a 400 like [`Failure::missing`], with a message that says why `param` is required or how to provide it.
    pub fn missing_with(param: impl Into<String>, message: impl Into<String>) -> Self {
        let mut failure = Self::invalid(param, message);
        failure.0.is_missing = true;
        failure
    }

    /// Adds the message about an unknown parameter, if this failure is about a missing one: the unknown one is often a
    /// misspelling of it.
    #[must_use]
    pub fn with_unknown(mut self, unknown: &Failure) -> Self {
        if self.0.is_missing {
            self.0.message = shown(&format!("{} {}", self.0.message, unknown.message()), LONGEST_MESSAGE);
        }
        self
    }

    /// Returns a 400: a limit on the number of objects is reached.
    pub fn limit(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(param, message)
    }

    /// Returns a 401 for an operation that does not use API keys.
    pub fn unauthenticated(message: impl Into<String>) -> Self {
        Self::new(401, ErrorType::AuthenticationError, message)
    }

    /// Returns a 403: the credential is valid but does not permit the operation.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::request(403, message)
    }

    /// Returns a 404: the object does not exist, belongs to another organization, or is hidden by mode. The caller
    /// cannot tell which.
    pub fn not_found(param: impl Into<String>, what: &str) -> Self {
        let param = param.into();
        Self::not_found_with(&param, format!("No such {what}. Check {param}; a test key sees test objects only."))
    }

    /// Returns a 404 like [`Failure::not_found`], with a message that says how to get such an object.
    pub fn not_found_with(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::request(404, message).with_param(param)
    }

    /// Returns a 404: no operation has the path of the request. `similar` are operations that were probably meant.
    pub fn no_such_path(similar: &[String]) -> Self {
        let hint = if similar.is_empty() { String::new() } else { format!(" Did you mean {}?", similar.join(" or ")) };
        let message = format!("No operation has this path.{hint} GET /v1/openapi.json describes all operations.");
        Self::request(404, message)
    }

    /// Returns a 405: the path of the request has only operations with the methods `allowed`.
    pub fn method_not_allowed(method: &str, allowed: &str) -> Self {
        let method = shown(method, LONGEST_METHOD);
        Self::request(405, format!("This path does not support {method}. Allowed: {allowed}."))
    }

    /// Returns a 409: an object with the same unique value already exists.
    pub fn already_exists(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::of_code(ErrorCode::ResourceAlreadyExists, message).with_param(param)
    }

    /// Returns a 409: the state of the object does not permit the operation, or a concurrent change won.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::request(409, message)
    }

    /// Returns a 410: the object existed, and can no longer be read.
    pub fn gone(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::request(410, message).with_param(param)
    }

    pub fn body_too_large(message: impl Into<String>) -> Self {
        Self::request(413, message)
    }

    pub fn unsupported_type(message: impl Into<String>) -> Self {
        Self::request(415, message)
    }

    pub fn unprocessable(message: impl Into<String>) -> Self {
        Self::request(422, message)
    }

    /// Returns a failure with `code`, and with the status and type that the error table assigns to it.
    pub fn of_code(code: ErrorCode, message: impl Into<String>) -> Self {
        let entry = code.entry();
        let mut failure = Self::new(entry.status, entry.kind, message);
        failure.0.code = Some(code);
        failure
    }

    /// Returns a 429 for too many concurrent requests, with `Retry-After` in seconds.
    pub fn throttled(retry_after: u32) -> Self {
        Self::of_code(
            ErrorCode::RateLimitExceeded,
            "Too many requests at once. Retry after the seconds in `Retry-After`.",
        )
        .with_retry_after(retry_after)
        .temporary()
    }

    /// Returns a 429: a quota is used up. `retry_after` is in seconds.
    pub fn quota(message: impl Into<String>, retry_after: u32) -> Self {
        Self::of_code(ErrorCode::RateLimitExceeded, message).with_retry_after(retry_after)
    }

    /// Returns a 500. The message reveals no internals; the cause is logged.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(500, ErrorType::ApiError, "Something went wrong on our side.").with_cause(cause)
    }

    /// Returns a 500: a service that this one depends on is unavailable. The message reveals no internals; the cause is
    /// logged.
    pub fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::internal(cause).temporary()
    }

    /// Returns a 500: the work can never succeed, however often it is retried. The message reveals no internals; the cause
    /// is logged.
    pub fn permanent(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let mut failure = Self::internal(cause);
        failure.0.is_permanent = true;
        failure
    }

    fn temporary(mut self) -> Self {
        self.0.is_temporary = true;
        self
    }

    /// Returns the failure of a provider, or its rejection of a request. The status is that of the code's entry.
    pub fn provider(code: ErrorCode, message: impl Into<String>, provider: Provider) -> Self {
        let mut failure = Self::of_code(code, message);
        failure.0.kind = ErrorType::ProviderError;
        failure.0.provider = Some(provider);
        failure
    }

    /// Returns a 422: the provider rejected the request for a reason that has no code of its own. `platform_api_error`
    /// and `carrier_api_error` alone have two statuses; their entries have the 502 of the provider's own failures.
    pub fn rejected_by_provider(code: ErrorCode, message: impl Into<String>, provider: Provider) -> Self {
        let mut failure = Self::provider(code, message, provider);
        failure.0.status = 422;
        failure
    }

    /// Returns a 503: work of this service is still in progress. `retry_after` is in seconds.
    pub fn in_progress(message: impl Into<String>, retry_after: u32) -> Self {
        Self::new(503, ErrorType::ApiError, message).with_retry_after(retry_after)
    }

    #[must_use]
    pub fn with_hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.0.additional_info.extend(hints);
        self
    }

    #[must_use]
    pub fn with_param(mut self, param: impl Into<String>) -> Self {
        // The parameter of a query such as `?=x` has an empty name.
        self.0.param = Some(shown(&param.into(), LONGEST_PARAM)).filter(|param| !param.is_empty());
        self
    }

    #[must_use]
    pub fn with_retry_after(mut self, seconds: u32) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }
}
