//! The mapping from AWS errors to responses, and the part of them that may be logged.

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use domain::Failure;

use crate::http::{NotSent, cause};

/// The `Retry-After` of a throttled request, in seconds.
pub const THROTTLED_RETRY_AFTER: u32 = 1;

/// The codes with which AWS throttles requests, and those with which DynamoDB rejects a request that conflicts with a
/// running transaction. A retry can succeed after either.
pub const THROTTLED: [&str; 11] = [
    "ThrottlingException",
    "Throttling",
    "ThrottledException",
    "TooManyRequestsException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestThrottledException",
    "SlowDown",
    "TransactionConflictException",
    "TransactionInProgressException",
];

/// The codes of outages whose status is below 500: S3 has waited too long for the request, SQS has too many messages in
/// flight, or the service cannot reach KMS.
const UNAVAILABLE: [&str; 5] =
    ["RequestTimeout", "OverLimit", "KmsThrottled", "KMSThrottlingException", "KMSInternalException"];

/// The code with which DynamoDB rejects data that it can never store, such as an item or a key that is too large.
const INVALID: &str = "ValidationException";

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

/// Returns whether a request was certainly not sent: there was no connection. Only meaningful for a connection without
/// reuse.
pub fn was_not_sent<E, R>(error: &SdkError<E, R>) -> bool {
    let SdkError::DispatchFailure(failure) = error else { return false };
    failure.as_connector_error().is_some_and(|error| cause::<NotSent>(error).is_some())
}

/// Converts an SDK error into a failure: throttling becomes a 429 that the caller may retry, everything else a 500.
/// Throttling and outages of AWS are temporary failures.
pub fn aws_failure<E: ProvideErrorMetadata>(service: &'static str, error: &SdkError<E, HttpResponse>) -> Failure {
    let cause = AwsError::new(service, error);
    if THROTTLED.contains(&cause.code.as_str()) {
        Failure::throttled(THROTTLED_RETRY_AFTER).with_cause(cause)
    } else if is_outage(error, &cause.code) {
        Failure::unavailable(cause)
    } else if cause.code == INVALID {
        Failure::permanent(cause)
    } else {
        Failure::internal(cause)
    }
}

/// Returns whether the service could not be reached, did not respond in time or understandably, or reported a fault of
/// its own.
fn is_outage<E>(error: &SdkError<E, HttpResponse>, code: &str) -> bool {
    match error {
        SdkError::TimeoutError(_) | SdkError::ResponseError(_) => true,
        SdkError::DispatchFailure(failure) => !failure.is_user(),
        SdkError::ServiceError(context) => {
            context.raw().status().as_u16() >= 500 || UNAVAILABLE.iter().any(|known| code.ends_with(known))
        }
        _ => false,
    }
}
