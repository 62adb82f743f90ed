//! What the errors of AWS's services mean to callers, and what the log may know of them.

use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use domain::Failure;

/// Seconds.
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

/// The debug form of an SDK error holds whole responses; this holds nothing of anybody.
#[derive(Debug, thiserror::Error)]
#[error("{service}: {kind}, code {code}")]
pub struct AwsError {
    service: &'static str,
    kind: &'static str,
    code: String,
}

impl AwsError {
    pub fn new<E: ProvideErrorMetadata, R>(service: &'static str, error: &SdkError<E, R>) -> Self {
        let kind = match error {
            SdkError::ConstructionFailure(_) => "request could not be built",
            SdkError::TimeoutError(_) => "timed out",
            SdkError::DispatchFailure(_) => "could not be reached",
            SdkError::ResponseError(_) => "unreadable answer",
            SdkError::ServiceError(_) => "refused",
            _ => "unknown failure",
        };
        AwsError { service, kind, code: aws_code(error).unwrap_or("none").to_owned() }
    }
}

/// What the service calls its refusal; `None` where it gave none.
pub fn aws_code<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Option<&str> {
    error.as_service_error().and_then(ProvideErrorMetadata::code)
}

/// A service that is too busy is the caller's to try again; everything else is ours.
pub fn aws_failure<E: ProvideErrorMetadata, R>(service: &'static str, error: &SdkError<E, R>) -> Failure {
    let cause = AwsError::new(service, error);
    if THROTTLED.contains(&cause.code.as_str()) {
        Failure::throttled(THROTTLED_RETRY_AFTER).with_cause(cause)
    } else {
        Failure::internal(cause)
    }
}
