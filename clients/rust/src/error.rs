//! What can go wrong with a request.

use std::fmt;
use std::time::Duration;

use http::HeaderMap;
use serde_json::Value;

use crate::generated::kinds::ErrorKind;
use crate::types::ErrorProvider;

/// Why a request failed. [`Error::kind`] says what it means.
#[derive(Clone)]
pub struct Error(pub(crate) Box<Facts>);

/// What is known of an error.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) status: Option<u16>,
    pub(crate) code: Option<String>,
    pub(crate) param: Option<String>,
    pub(crate) provider: Option<ErrorProvider>,
    pub(crate) request_id: Option<String>,
    pub(crate) message_id: Option<String>,
    pub(crate) doc_url: Option<String>,
    pub(crate) additional_info: Option<Vec<String>>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) headers: Option<HeaderMap>,
    pub(crate) body: Value,
    pub(crate) was_refused: bool,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(Facts {
            kind,
            message: message.into(),
            status: None,
            code: None,
            param: None,
            provider: None,
            request_id: None,
            message_id: None,
            doc_url: None,
            additional_info: None,
            retry_after: None,
            headers: None,
            body: Value::Null,
            was_refused: false,
        }))
    }

    /// A mistake in a call, such as a key that a function for the key does not have.
    pub fn usage(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Usage, message)
    }

    pub(crate) fn with_body(mut self, body: Value) -> Error {
        self.0.body = body;
        self
    }

    /// What the error means.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What went wrong, for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The HTTP status, if there was a response.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// A machine-readable code, if one fits. Treat an unknown one like none.
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// The field, path parameter, query parameter or header with the error.
    pub fn param(&self) -> Option<&str> {
        self.0.param.as_deref()
    }

    /// The error of WhatsApp or of the SMS carrier.
    pub fn provider(&self) -> Option<&ErrorProvider> {
        self.0.provider.as_ref()
    }

    /// Quote it when you report a problem.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// The message that was stored although it was not sent.
    pub fn message_id(&self) -> Option<&str> {
        self.0.message_id.as_deref()
    }

    /// The address of the documentation of the code.
    pub fn doc_url(&self) -> Option<&str> {
        self.0.doc_url.as_deref()
    }

    /// Hints that may help.
    pub fn additional_info(&self) -> &[String] {
        self.0.additional_info.as_deref().unwrap_or_default()
    }

    /// After how long a retry may succeed.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The headers of the response.
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.0.headers.as_ref()
    }

    /// The body as it came: JSON, a text, or null if there was none.
    pub fn body(&self) -> &Value {
        &self.0.body
    }

    /// Whether nothing was sent because nobody listened.
    pub fn was_refused(&self) -> bool {
        self.0.was_refused
    }

    /// Whether the same request may succeed later: after errors of the network, of a limit, or of the service.
    pub fn is_temporary(&self) -> bool {
        let is_of_service = self.0.status.is_some_and(|status| status == 429 || status >= 500);
        self.is_of_connection() || is_of_service || self.0.retry_after.is_some()
    }

    pub(crate) fn is_of_connection(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Connection | ErrorKind::Timeout)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.param {
            Some(param) if !self.0.message.contains(param.as_str()) => {
                write!(formatter, "{param}: {}", self.0.message)
            }
            _ => formatter.write_str(&self.0.message),
        }
    }
}

/// Without headers and body, which may be long.
impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("status", &self.0.status)
            .field("code", &self.0.code)
            .field("request_id", &self.0.request_id)
            .finish_non_exhaustive()
    }
}
