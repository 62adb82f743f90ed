//! Failures of requests and jobs. They name the kind of failure, which `api::status` maps to an HTTP status. `message`
//! and `param` are for the caller; `cause` is only logged and never part of a response.

mod accessors;

use std::error::Error;

use crate::error::provider::Provider;
use crate::identity::unauthenticated::Unauthenticated;
use crate::{ErrorCode, ErrorKind, ErrorType};

/// The reason why a request or job failed.
#[derive(Debug)]
pub struct Failure(Box<Parts>);

#[derive(Debug)]
struct Parts {
    shown: Shown,
    cause: Option<Box<dyn Error + Send + Sync>>,
    is_temporary: bool,
    is_permanent: bool,
    is_missing: bool,
    is_of_credential: bool,
}

/// The part of a failure that is shown to the caller. It can be stored: a job leaves it to the request that waits for
/// the job.
#[derive(Clone, Debug)]
pub struct Shown {
    pub kind: ErrorKind,
    pub error_type: ErrorType,
    pub code: Option<ErrorCode>,
    pub message: String,
    pub param: Option<String>,
    pub retry_after: Option<u32>,
    pub provider: Option<Provider>,
    pub additional_info: Vec<String>,
}

impl From<Shown> for Failure {
    fn from(shown: Shown) -> Self {
        Failure(Box::new(Parts {
            shown,
            cause: None,
            is_temporary: false,
            is_permanent: false,
            is_missing: false,
            is_of_credential: false,
        }))
    }
}

/// Returns at most `most` characters of a text, without control characters, because parts of errors come from callers.
fn shown(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

const LONGEST_PARAM: usize = 100;
const LONGEST_MESSAGE: usize = 1000;
const LONGEST_METHOD: usize = 20;

impl Failure {
    fn new(kind: ErrorKind, error_type: ErrorType, message: impl Into<String>) -> Self {
        Failure::from(Shown {
            kind,
            error_type,
            code: None,
            message: shown(&message.into(), LONGEST_MESSAGE),
            param: None,
            retry_after: None,
            provider: None,
            additional_info: Vec::new(),
        })
    }

    fn request(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, ErrorType::InvalidRequestError, message)
    }

    /// Returns an [`ErrorKind::InvalidRequest`]: the value of `param` is invalid.
    pub fn invalid(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::request(ErrorKind::InvalidRequest, message).with_param(param)
    }

    /// Returns an [`ErrorKind::InvalidRequest`]: the body as a whole is invalid.
    pub fn invalid_body(message: impl Into<String>) -> Self {
        Self::request(ErrorKind::InvalidRequest, message)
    }

    /// Returns an [`ErrorKind::InvalidRequest`]: the required `param` is missing.
    pub fn missing(param: &str) -> Self {
        Self::missing_with(param, format!("{param} is required."))
    }

    /// Returns a failure like [`Failure::missing`], with a message that says why `param` is required or how to provide
    /// it.
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
            self.0.shown.message = shown(&format!("{} {}", self.message(), unknown.message()), LONGEST_MESSAGE);
        }
        self
    }

    /// Returns an [`ErrorKind::InvalidRequest`]: a limit on the number of objects is reached.
    pub fn limit(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(param, message)
    }

    /// Returns an [`ErrorKind::Unauthenticated`] for an operation that does not use API keys.
    pub fn unauthenticated(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unauthenticated, ErrorType::AuthenticationError, message)
    }

    /// Returns an [`ErrorKind::Unauthenticated`] for a credential that has ended since the request began.
    pub fn credential_ended() -> Self {
        let mut failure = Self::unauthenticated(Unauthenticated::InvalidKey.message());
        failure.0.is_of_credential = true;
        failure
    }

    /// Returns a [`ErrorKind::Forbidden`]: the credential is valid but does not permit the operation.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::request(ErrorKind::Forbidden, message)
    }

    /// Returns a [`ErrorKind::NotFound`]: the object does not exist, belongs to another organization, or is hidden by
    /// mode. The caller cannot tell which.
    pub fn not_found(param: impl Into<String>, what: &str) -> Self {
        let param = param.into();
        Self::not_found_with(&param, format!("No such {what}. Check {param}; a test key sees test objects only."))
    }

    /// Returns a failure like [`Failure::not_found`], with a message that says how to get such an object.
    pub fn not_found_with(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::request(ErrorKind::NotFound, message).with_param(param)
    }

    /// Returns a [`ErrorKind::NotFound`]: no operation has the path of the request. `similar` are operations that were
    /// probably meant.
    pub fn no_such_path(similar: &[String]) -> Self {
        let hint = if similar.is_empty() { String::new() } else { format!(" Did you mean {}?", similar.join(" or ")) };
        let message = format!("No operation has this path.{hint} GET /v1/openapi.json describes all operations.");
        Self::request(ErrorKind::NotFound, message)
    }

    /// Returns a [`ErrorKind::MethodNotAllowed`]: the path of the request has only operations with the methods
    /// `allowed`.
    pub fn method_not_allowed(method: &str, allowed: &str) -> Self {
        let method = shown(method, LONGEST_METHOD);
        Self::request(ErrorKind::MethodNotAllowed, format!("This path does not support {method}. Allowed: {allowed}."))
    }

    /// Returns a [`ErrorKind::Conflict`]: an object with the same unique value already exists.
    pub fn already_exists(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::of_code(ErrorCode::ResourceAlreadyExists, message).with_param(param)
    }

    /// Returns a [`ErrorKind::Conflict`]: the state of the object does not permit the operation, or a concurrent change
    /// won.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::request(ErrorKind::Conflict, message)
    }

    /// Returns a [`ErrorKind::Gone`]: the object existed, and can no longer be read.
    pub fn gone(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::request(ErrorKind::Gone, message).with_param(param)
    }

    pub fn body_too_large(message: impl Into<String>) -> Self {
        Self::request(ErrorKind::TooLarge, message)
    }

    pub fn unsupported_type(message: impl Into<String>) -> Self {
        Self::request(ErrorKind::UnsupportedMediaType, message)
    }

    pub fn unprocessable(message: impl Into<String>) -> Self {
        Self::request(ErrorKind::Unprocessable, message)
    }

    /// Returns a failure with `code`, and with the kind and type that the error table assigns to it.
    pub fn of_code(code: ErrorCode, message: impl Into<String>) -> Self {
        let entry = code.entry();
        let mut failure = Self::new(entry.kind, entry.error_type, message);
        failure.0.shown.code = Some(code);
        failure
    }

    /// Returns a [`ErrorKind::TooManyRequests`] for too many concurrent requests, with `Retry-After` in seconds.
    pub fn throttled(retry_after: u32) -> Self {
        Self::of_code(
            ErrorCode::RateLimitExceeded,
            "Too many requests at once. Retry after the seconds in `Retry-After`.",
        )
        .with_retry_after(retry_after)
        .temporary()
    }

    /// Returns a [`ErrorKind::TooManyRequests`]: a quota is used up. `retry_after` is in seconds.
    pub fn quota(message: impl Into<String>, retry_after: u32) -> Self {
        Self::of_code(ErrorCode::RateLimitExceeded, message).with_retry_after(retry_after)
    }

    /// Returns an [`ErrorKind::Internal`]. The message reveals no internals; the cause is logged.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Internal, ErrorType::ApiError, "Something went wrong on our side.").with_cause(cause)
    }

    /// Returns an [`ErrorKind::Internal`]: a service that this one depends on is unavailable. The message reveals no
    /// internals; the cause is logged.
    pub fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::internal(cause).temporary()
    }

    /// Returns an [`ErrorKind::Internal`]: the work can never succeed, however often it is retried. The message reveals
    /// no internals; the cause is logged.
    pub fn permanent(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let mut failure = Self::internal(cause);
        failure.0.is_permanent = true;
        failure
    }

    fn temporary(mut self) -> Self {
        self.0.is_temporary = true;
        self
    }

    /// Returns the failure of a provider, or its rejection of a request. The kind is that of the code's entry.
    pub fn provider(code: ErrorCode, message: impl Into<String>, provider: Provider) -> Self {
        let mut failure = Self::of_code(code, message);
        failure.0.shown.error_type = ErrorType::ProviderError;
        failure.0.shown.provider = Some(provider);
        failure
    }

    /// Returns an [`ErrorKind::Unprocessable`]: the provider rejected the request for a reason that has no code of its
    /// own. `platform_api_error` and `carrier_api_error` alone have two kinds; their entries have the one of the
    /// provider's own failures.
    pub fn rejected_by_provider(code: ErrorCode, message: impl Into<String>, provider: Provider) -> Self {
        let mut failure = Self::provider(code, message, provider);
        failure.0.shown.kind = ErrorKind::Unprocessable;
        failure
    }

    /// Returns an [`ErrorKind::Unavailable`]: work of this service is still in progress. `retry_after` is in seconds.
    pub fn in_progress(message: impl Into<String>, retry_after: u32) -> Self {
        Self::new(ErrorKind::Unavailable, ErrorType::ApiError, message).with_retry_after(retry_after)
    }

    #[must_use]
    pub fn with_hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.0.shown.additional_info.extend(hints);
        self
    }

    #[must_use]
    pub fn with_param(mut self, param: impl Into<String>) -> Self {
        // The parameter of a query such as `?=x` has an empty name.
        self.0.shown.param = Some(shown(&param.into(), LONGEST_PARAM)).filter(|param| !param.is_empty());
        self
    }

    #[must_use]
    pub fn with_retry_after(mut self, seconds: u32) -> Self {
        self.0.shown.retry_after = Some(seconds);
        self
    }

    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }
}
