//! Requests with several parts, each of which succeeds or fails by itself: the outcomes of the parts, and the
//! platform's errors for those that failed.

use http::StatusCode;
use serde::Deserialize;

use crate::error::{PlatformError, reported};
use crate::graph::{GraphError, id};

/// The outcomes of a request whose parts succeed or fail by themselves.
#[derive(Debug)]
pub struct Outcomes<T> {
    pub done: Vec<T>,
    pub failed: Vec<(T, PlatformError)>,
}

impl<T> FromIterator<(T, Result<(), PlatformError>)> for Outcomes<T> {
    fn from_iter<I: IntoIterator<Item = (T, Result<(), PlatformError>)>>(parts: I) -> Self {
        let mut outcomes = Outcomes { done: Vec::new(), failed: Vec::new() };
        for (part, outcome) in parts {
            match outcome {
                Ok(()) => outcomes.done.push(part),
                Err(error) => outcomes.failed.push((part, error)),
            }
        }
        outcomes
    }
}

/// A part of a request, with the platform's errors about it.
#[derive(Deserialize)]
pub(crate) struct Part {
    #[serde(alias = "join_request_id", deserialize_with = "id")]
    pub(crate) input: String,
    #[serde(default)]
    errors: Vec<PartError>,
}

impl Part {
    /// Returns why the part failed. `status` is the HTTP status of the response.
    pub(crate) fn failure(self, status: StatusCode, secrets: &[&str]) -> PlatformError {
        let error = self.errors.into_iter().next().map(|error| error.platform_error(secrets));
        error.unwrap_or_else(|| PlatformError::unreadable(status.as_u16()))
    }
}

/// An error in the list of a part, or of a whole request.
#[derive(Deserialize)]
pub(crate) struct PartError {
    code: Option<i64>,
    #[serde(default)]
    message: String,
    error_data: Option<ErrorData>,
}

#[derive(Deserialize)]
struct ErrorData {
    details: Option<String>,
}

impl PartError {
    pub(crate) fn platform_error(self, secrets: &[&str]) -> PlatformError {
        let message = match self.error_data.and_then(|data| data.details) {
            Some(details) => format!("{}: {details}", self.message),
            None => self.message,
        };
        let error = GraphError { code: self.code, message, error_user_msg: None, fbtrace_id: None };
        let status = StatusCode::BAD_REQUEST;
        reported(error.provider(status.as_u16(), secrets), status)
    }
}
