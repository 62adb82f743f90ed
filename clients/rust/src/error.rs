//! What can go wrong with a request.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::types::ErrorDetails;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request cannot be sent as it is.
    #[error("{0}")]
    Invalid(String),
    /// The service rejected the request, or failed.
    #[error("{0}")]
    Api(Box<ApiError>),
    /// No connection, or one that broke before the response was complete.
    #[error("{address} cannot be reached: {reason}.")]
    Unreachable { address: String, reason: String },
    #[error("{address} did not respond within {} seconds.", limit.as_secs())]
    Timeout { address: String, limit: Duration },
    /// A response in another form than documented, for example because the address belongs to something else.
    #[error("{address} sent a response that is not the API's: {reason}")]
    Unreadable { address: String, reason: String },
}

impl Error {
    /// Returns the status of an error response.
    pub fn status(&self) -> Option<u16> {
        match self {
            Error::Api(error) => Some(error.status),
            _ => None,
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_temporary(&self) -> bool {
        match self {
            Error::Api(error) => matches!(error.status, 429 | 500 | 502 | 503 | 504) || error.retry_after.is_some(),
            Error::Unreachable { .. } | Error::Timeout { .. } => true,
            Error::Invalid(_) | Error::Unreadable { .. } => false,
        }
    }
}

/// An error response.
#[derive(Clone, Debug)]
pub struct ApiError {
    pub status: u16,
    pub message: String,
    /// The parameter with the error.
    pub param: Option<String>,
    pub code: Option<String>,
    /// The structured error, which most responses have.
    pub details: Option<ErrorDetails>,
    /// Quote it when you report a problem.
    pub request_id: Option<String>,
    pub retry_after: Option<Duration>,
    /// The body as it came.
    pub body: Value,
}

impl ApiError {
    pub(crate) fn new(status: u16, body: Value, request_id: Option<String>, retry_after: Option<Duration>) -> Self {
        let details: Option<ErrorDetails> = serde_json::from_value(body["error"].clone()).ok();
        let plain = body["error"].as_str().or(body["message"].as_str()).map(str::to_owned);
        let message = details.as_ref().map(|details| details.message.clone()).or(plain);
        ApiError {
            status,
            message: message.unwrap_or_else(|| format!("The service responded with status {status}.")),
            param: body["error"]["param"].as_str().map(str::to_owned),
            code: body["error"]["code"].as_str().map(str::to_owned),
            details,
            request_id,
            retry_after,
            body,
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.param {
            Some(param) if !self.message.contains(param.as_str()) => write!(formatter, "{param}: {}", self.message),
            _ => formatter.write_str(&self.message),
        }
    }
}
