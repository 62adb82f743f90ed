//! Errors of the carrier, and their conversion to errors of this API.

use std::fmt;

use aws::failure::{THROTTLED, was_not_sent};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use domain::error::provider::Provider;
use domain::sms::carrier_error::{of_reason, words};
use domain::{ErrorCode, Failure};

/// Why a call to the carrier failed.
#[derive(Debug)]
pub enum CarrierError {
    /// There was no connection. The message was not sent.
    Unreachable,
    /// It is unknown whether the message was sent. The text completes the sentence "The carrier …", for the log.
    Unknown(String),
    /// The carrier refused the request.
    Refused { exception: String, reason: Option<String>, message: String },
    /// This installation has no carrier.
    NotConfigured,
}

/// The exceptions with which AWS refuses the credentials of this installation: a fault of the installation, not of the
/// request.
const CREDENTIALS: [&str; 6] = [
    "UnrecognizedClientException",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "ExpiredTokenException",
    "SubscriptionRequiredException",
    "OptInRequired",
];

const ACCESS_DENIED: &str = "AccessDeniedException";

const RETRY_AFTER: u32 = 5;
const THROTTLED_RETRY_AFTER: u32 = 1;

/// An exception of the carrier's operations, some of which have a reason.
pub(crate) trait Exception: ProvideErrorMetadata {
    fn reason(&self) -> Option<&str>;
}

macro_rules! exception {
    ($error:ty) => {
        impl Exception for $error {
            fn reason(&self) -> Option<&str> {
                match self {
                    Self::ConflictException(error) => error.reason().map(|reason| reason.as_str()),
                    Self::ValidationException(error) => error.reason().map(|reason| reason.as_str()),
                    Self::ServiceQuotaExceededException(error) => error.reason().map(|reason| reason.as_str()),
                    Self::AccessDeniedException(error) => error.reason().map(|reason| reason.as_str()),
                    _ => None,
                }
            }
        }
    };
}

exception!(aws_sdk_pinpointsmsvoicev2::operation::send_text_message::SendTextMessageError);
exception!(aws_sdk_pinpointsmsvoicev2::operation::send_media_message::SendMediaMessageError);

impl CarrierError {
    /// Classifies an error of the SDK. Only an explicit refusal, or a request that was never written, is certain.
    pub(crate) fn of<E: Exception>(error: &SdkError<E, HttpResponse>) -> Self {
        match error {
            SdkError::DispatchFailure(_) if was_not_sent(error) => CarrierError::Unreachable,
            SdkError::ConstructionFailure(_) => CarrierError::Unreachable,
            SdkError::ServiceError(context) => {
                let (status, exception) = (context.raw().status().as_u16(), context.err());
                let code = exception.code().filter(|_| (400..500).contains(&status));
                match code {
                    Some(code) => CarrierError::Refused {
                        exception: code.to_owned(),
                        reason: exception.reason().map(str::to_owned),
                        message: exception.message().unwrap_or_default().to_owned(),
                    },
                    None => CarrierError::Unknown(format!("responded with HTTP {status}")),
                }
            }
            SdkError::TimeoutError(_) => CarrierError::Unknown("did not respond in time".to_owned()),
            SdkError::ResponseError(_) => CarrierError::Unknown("sent an unreadable response".to_owned()),
            _ => CarrierError::Unknown("closed the connection".to_owned()),
        }
    }

    /// Returns a refusal in the words of the real carrier, for the simulator and tests.
    pub fn refused(exception: &str, reason: Option<&str>) -> Self {
        CarrierError::Refused {
            exception: exception.to_owned(),
            reason: reason.map(str::to_owned),
            message: words(reason.unwrap_or(exception)).to_owned(),
        }
    }

    /// Returns whether the message may have been sent although the call failed. Such a message is never sent again.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, CarrierError::Unknown(_))
    }
}

/// For the log: without texts of the carrier, which can repeat parts of the request.
impl fmt::Display for CarrierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CarrierError::Unreachable => f.write_str("the carrier could not be reached"),
            CarrierError::Unknown(why) => write!(f, "the carrier {why}"),
            CarrierError::Refused { exception, reason, .. } => {
                write!(f, "the carrier responded with {}", native(exception, reason.as_deref()))
            }
            CarrierError::NotConfigured => f.write_str("no carrier is configured"),
        }
    }
}

/// Returns the carrier's native code: the exception, with its reason.
fn native(exception: &str, reason: Option<&str>) -> String {
    reason.map_or_else(|| exception.to_owned(), |reason| format!("{exception}: {reason}"))
}

impl From<CarrierError> for Failure {
    fn from(error: CarrierError) -> Self {
        match error {
            CarrierError::Unreachable => {
                unavailable("The carrier could not be reached. The message was not sent. Retry shortly.")
            }
            CarrierError::NotConfigured => unavailable(
                "This installation has no carrier, so live SMS messages cannot be sent. Test mode works without one; an \
                 operator can configure the carrier.",
            ),
            CarrierError::Unknown(why) => {
                let message = format!("The carrier {why}.");
                Failure::provider(ErrorCode::CarrierApiError, &message, Provider::carrier("unknown", &message))
            }
            CarrierError::Refused { exception, reason, message } => refusal(&exception, reason.as_deref(), &message),
        }
    }
}

fn unavailable(message: &str) -> Failure {
    Failure::of_code(ErrorCode::CarrierApiUnavailable, message).with_retry_after(RETRY_AFTER)
}

fn refusal(exception: &str, reason: Option<&str>, text: &str) -> Failure {
    // Without a reason, IAM has denied the call.
    if CREDENTIALS.contains(&exception) || exception == ACCESS_DENIED && reason.is_none() {
        let message = "The carrier refused the credentials of this installation. The message was not sent. Its operator has to \
                       set up the carrier.";
        // The text of AWS names the account and its roles, which must not be revealed to the caller.
        let provider = Provider::carrier(exception, message);
        return Failure::provider(ErrorCode::CarrierApiUnavailable, message, provider).with_retry_after(RETRY_AFTER);
    }
    let provider = Provider::carrier(&native(exception, reason), text);
    let message = format!("The carrier refused the message: {}", provider.message);
    if THROTTLED.contains(&exception) {
        return Failure::provider(ErrorCode::RateLimitExceeded, message, provider)
            .with_retry_after(THROTTLED_RETRY_AFTER);
    }
    match reason.and_then(of_reason) {
        Some(code) => Failure::provider(code, message, provider),
        None => Failure::rejected_by_provider(ErrorCode::CarrierApiError, message, provider),
    }
}

#[cfg(test)]
mod tests {
    use domain::{ErrorKind, ErrorType};

    use super::*;

    /// Copies the table of docs/specification.md, "Error codes".
    #[test]
    fn each_refusal_has_its_error() {
        use ErrorCode as C;
        use ErrorKind as K;
        let expected = [
            (
                "ConflictException",
                Some("DESTINATION_PHONE_NUMBER_OPTED_OUT"),
                C::MessageUndeliverable,
                K::Unprocessable,
            ),
            ("ConflictException", Some("DESTINATION_PHONE_NUMBER_NOT_VERIFIED"), C::CarrierApiError, K::Unprocessable),
            ("ConflictException", Some("NUMBER_CAPABILITIES_MISMATCH"), C::CarrierApiError, K::Unprocessable),
            ("ConflictException", Some("RESOURCE_NOT_ACTIVE"), C::CarrierApiError, K::Unprocessable),
            (
                "ConflictException",
                Some("DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION"),
                C::CarrierApiError,
                K::Unprocessable,
            ),
            ("ValidationException", Some("MEDIA_TYPE_NOT_SUPPORTED"), C::UnsupportedMessageType, K::InvalidRequest),
            ("ValidationException", Some("MAXIMUM_SIZE_EXCEEDED"), C::MediaTooLarge, K::TooLarge),
            ("ValidationException", Some("PRICE_OVER_THRESHOLD"), C::CarrierApiError, K::Unprocessable),
            ("ValidationException", None, C::CarrierApiError, K::Unprocessable),
            (
                "ServiceQuotaExceededException",
                Some("MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT"),
                C::CarrierApiError,
                K::Unprocessable,
            ),
            ("AccessDeniedException", Some("ACCOUNT_DISABLED"), C::CarrierApiError, K::Unprocessable),
            ("ResourceNotFoundException", None, C::CarrierApiError, K::Unprocessable),
            ("ThrottlingException", None, C::RateLimitExceeded, K::TooManyRequests),
            ("UnrecognizedClientException", None, C::CarrierApiUnavailable, K::Unavailable),
            ("AccessDeniedException", None, C::CarrierApiUnavailable, K::Unavailable),
        ];
        for (exception, reason, code, kind) in expected {
            let error = CarrierError::refused(exception, reason);
            assert!(!error.is_outcome_unknown());
            let failure = Failure::from(error);
            assert_eq!((failure.code(), failure.kind()), (Some(code), kind), "{exception} {reason:?}");
            assert_eq!(failure.error_type(), ErrorType::ProviderError, "{exception}");
            let provider = serde_json::to_value(failure.provider_details()).expect("JSON");
            assert_eq!(provider["code"], native(exception, reason));
            assert_eq!(provider["source"], "carrier");
            // The text of AWS about credentials names the account and its roles.
            let repeats = provider["message"] == words(reason.unwrap_or(exception));
            assert_eq!(repeats, kind != K::Unavailable, "{exception}");
            let has_wait = matches!(kind, K::TooManyRequests | K::Unavailable);
            assert_eq!(failure.retry_after().is_some(), has_wait, "{exception}");
        }
    }

    #[test]
    fn a_missing_or_unreachable_carrier_has_no_provider_details() {
        for error in [CarrierError::Unreachable, CarrierError::NotConfigured] {
            assert!(!error.is_outcome_unknown());
            let failure = Failure::from(error);
            assert_eq!(failure.code(), Some(ErrorCode::CarrierApiUnavailable));
            assert_eq!(failure.kind(), ErrorKind::Unavailable);
            assert!(failure.provider_details().is_none() && failure.retry_after().is_some());
        }
        assert!(CarrierError::Unknown("did not respond in time".to_owned()).is_outcome_unknown());
    }
}
