//! The mapping from AWS errors to responses, and the part of them that may be logged.

use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use domain::Failure;

/// The `Retry-After` of a throttled request, in seconds.
pub const THROTTLED_RETRY_AFTER: u32 = 1;

const THROTTLED: [&str; 7] = [
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "SlowDown",
    "TransactionConflictException",
    "TransactionInProgressException",
];

/// The loggable part of an SDK error. The debug form of the SDK error itself contains whole responses, and so
/// customers' data; this type contains none.
#[derive(Debug, thiserror::Error)]
#[error("{service}: {kind}, code {code}")]
pub struct AwsError {
    service: &'static str,
    kind: &'static str,
    code: String,
}

impl AwsError {
    /// Returns the service, the kind of failure and the error code of an SDK error.
    pub fn new<E: ProvideErrorMetadata, R>(service: &'static str, error: &SdkError<E, R>) -> Self {
        let kind = match error {
            SdkError::ConstructionFailure(_) => "request could not be built",
            SdkError::TimeoutError(_) => "timed out",
            SdkError::DispatchFailure(_) => "could not be reached",
            SdkError::ResponseError(_) => "unreadable response",
            SdkError::ServiceError(_) => "rejected the request",
            _ => "unknown failure",
        };
        AwsError { service, kind, code: aws_code(error).unwrap_or("none").to_owned() }
    }
}

/// Returns the error code of the service; `None` if the response has none.
pub fn aws_code<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Option<&str> {
    error.as_service_error().and_then(ProvideErrorMetadata::code)
}

/// Converts an SDK error into a failure: throttling becomes a 429 that the caller may retry, everything else a 500.
pub fn aws_failure<E: ProvideErrorMetadata, R>(service: &'static str, error: &SdkError<E, R>) -> Failure {
    let cause = AwsError::new(service, error);
    if THROTTLED.contains(&cause.code.as_str()) {
        Failure::throttled(THROTTLED_RETRY_AFTER).with_cause(cause)
    } else {
        Failure::internal(cause)
    }
}
