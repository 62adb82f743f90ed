//! Accessors of a failure.

use std::error::Error;

use super::{Failure, Shown};
use crate::error::provider::Provider;
use crate::{ErrorCode, ErrorKind, ErrorType};

impl Failure {
    /// Whether the request's own credential has ended, which is answered like a credential that never was.
    pub fn is_of_credential(&self) -> bool {
        self.0.is_of_credential
    }

    /// Returns the part that is shown to the caller.
    pub fn shown(&self) -> &Shown {
        &self.0.shown
    }

    pub fn kind(&self) -> ErrorKind {
        self.0.shown.kind
    }

    pub fn error_type(&self) -> ErrorType {
        self.0.shown.error_type
    }

    pub fn code(&self) -> Option<ErrorCode> {
        self.0.shown.code
    }

    pub fn message(&self) -> &str {
        &self.0.shown.message
    }

    pub fn param(&self) -> Option<&str> {
        self.0.shown.param.as_deref()
    }

    pub fn retry_after(&self) -> Option<u32> {
        self.0.shown.retry_after
    }

    pub fn provider_details(&self) -> Option<&Provider> {
        self.0.shown.provider.as_ref()
    }

    /// Returns whether the cause is throttling or an outage, which ends without a change of the request or of this
    /// service. Queued work that fails for such a cause is put back without using up one of its attempts.
    pub fn is_temporary(&self) -> bool {
        self.0.is_temporary
    }

    /// Returns whether every retry would fail in the same way. Such work becomes a dead letter at its first failure.
    pub fn is_permanent(&self) -> bool {
        self.0.is_permanent
    }

    pub fn additional_info(&self) -> &[String] {
        &self.0.shown.additional_info
    }

    /// Returns the internal cause, or the message if there is none, for the log only.
    pub fn log_text(&self) -> String {
        self.cause().map_or_else(|| self.message().to_owned(), ToString::to_string)
    }

    /// Returns the internal cause, for the log only.
    pub fn cause(&self) -> Option<&(dyn Error + Send + Sync)> {
        self.0.cause.as_deref()
    }
}
