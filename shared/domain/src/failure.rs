//! Why a request was not done, free of transport. `message` and `param` are for the caller; `cause` is for the log alone
//! and has no way to the wire.

use std::error::Error;

use serde::{Deserialize, Serialize};

use crate::provider::Provider;
use crate::{ErrorCode, ErrorType};

/// A job keeps the failure that it ended with for the request that waits for it; only the cause stays behind.
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
}

/// The three plain 401 answers (service.md, "Authentication", rules 2 to 4) have a body shape of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unauthenticated {
    MissingHeader,
    InvalidKey,
    WrongKind,
}

impl Unauthenticated {
    pub fn message(self) -> &'static str {
        match self {
            Unauthenticated::MissingHeader => "Missing Authorization header",
            Unauthenticated::InvalidKey => "Invalid API key",
            Unauthenticated::WrongKind => "Invalid credentials",
        }
    }
}

/// Parameters may be named by the caller: nothing of an error is longer than a person reads, or moves their cursor.
fn shown(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

const LONGEST_PARAM: usize = 100;
const LONGEST_MESSAGE: usize = 1000;

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
        }))
    }

    fn request(status: u16, message: impl Into<String>) -> Self {
        Self::new(status, ErrorType::InvalidRequestError, message)
    }

    /// 400: what the caller sent is wrong in `param`.
    pub fn invalid(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::request(400, message).with_param(param)
    }

    /// 400 about the body as a whole.
    pub fn invalid_body(message: impl Into<String>) -> Self {
        Self::request(400, message)
    }

    /// 400: `param` is required and absent.
    pub fn missing(param: &str) -> Self {
        Self::invalid(param, format!("{param} is required."))
    }

    /// 400: a limit on the number of objects is reached.
    pub fn limit(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(param, message)
    }

    /// 401 of an operation that takes no key.
    pub fn unauthenticated(message: impl Into<String>) -> Self {
        Self::new(401, ErrorType::AuthenticationError, message)
    }

    /// 403 for a valid credential that may not do this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::request(403, message)
    }

    /// 404: no such object, one of another organization, or hidden by mode; the caller cannot tell which.
    pub fn not_found(param: impl Into<String>, what: &str) -> Self {
        Self::request(404, format!("No such {what}.")).with_param(param)
    }

    pub fn no_such_path() -> Self {
        Self::request(404, "No operation has this path.")
    }

    pub fn method_not_allowed() -> Self {
        Self::request(405, "This path does not answer to this method; see the Allow header.")
    }

    /// 409: exists already.
    pub fn already_exists(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::request(409, message).with_param(param).with_code(ErrorCode::ResourceAlreadyExists)
    }

    /// 409: not in a state for it, or a concurrent change won.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::request(409, message)
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

    /// The status and type that the error table gives `code`.
    pub fn of_code(code: ErrorCode, message: impl Into<String>) -> Self {
        let entry = code.entry();
        Self::new(entry.status, entry.kind, message).with_code(code)
    }

    /// 429 with `Retry-After`.
    pub fn throttled(retry_after: u32) -> Self {
        Self::of_code(ErrorCode::RateLimitExceeded, "Too many requests at once; try again shortly.")
            .with_retry_after(retry_after)
    }

    /// 429: what may be spent is spent.
    pub fn quota(message: impl Into<String>, retry_after: u32) -> Self {
        Self::of_code(ErrorCode::RateLimitExceeded, message).with_retry_after(retry_after)
    }

    /// 500: the message says nothing of the inside.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(500, ErrorType::ApiError, "Something went wrong on our side.").with_cause(cause)
    }

    /// What the provider refused or failed to do; `code` says which, `status` whose fault it is.
    pub fn provider(status: u16, code: ErrorCode, message: impl Into<String>, provider: Provider) -> Self {
        let mut failure = Self::new(status, ErrorType::ProviderError, message).with_code(code);
        failure.0.provider = Some(provider);
        failure
    }

    #[must_use]
    pub fn with_hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.0.additional_info.extend(hints);
        self
    }

    #[must_use]
    pub fn with_param(mut self, param: impl Into<String>) -> Self {
        // Who sends `?=x` has named nothing.
        self.0.param = Some(shown(&param.into(), LONGEST_PARAM)).filter(|param| !param.is_empty());
        self
    }

    #[must_use]
    pub fn with_code(mut self, code: ErrorCode) -> Self {
        self.0.code = Some(code);
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

    pub fn status(&self) -> u16 {
        self.0.status
    }

    pub fn kind(&self) -> ErrorType {
        self.0.kind
    }

    pub fn code(&self) -> Option<ErrorCode> {
        self.0.code
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn param(&self) -> Option<&str> {
        self.0.param.as_deref()
    }

    pub fn retry_after(&self) -> Option<u32> {
        self.0.retry_after
    }

    pub fn provider_details(&self) -> Option<&Provider> {
        self.0.provider.as_ref()
    }

    pub fn additional_info(&self) -> &[String] {
        &self.0.additional_info
    }

    pub fn cause(&self) -> Option<&(dyn Error + Send + Sync)> {
        self.0.cause.as_deref()
    }
}
