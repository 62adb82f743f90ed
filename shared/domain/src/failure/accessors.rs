//! What a failure says.

use std::error::Error;

use super::Failure;
use crate::provider::Provider;
use crate::{ErrorCode, ErrorType};

impl Failure {
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

    /// Returns whether the cause is throttling or an outage, which ends without a change of the request or of this
    /// service. Queued work that fails for such a cause is put back without using up one of its tries.
    pub fn is_temporary(&self) -> bool {
        self.0.is_temporary
    }

    /// Returns whether every retry would fail in the same way. Such work becomes a dead letter at its first failure.
    pub fn is_permanent(&self) -> bool {
        self.0.is_permanent
    }

    pub fn additional_info(&self) -> &[String] {
        &self.0.additional_info
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
