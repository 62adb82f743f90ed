//! The error of each code, as a request with the header `Playground-Error` gets it (docs/test-mode.md, "Errors on
//! demand").

use crate::chat::platform_error::{Means, failed, meaning, rejected};
use crate::chat::platform_words;
use crate::error::provider::{HealthStatus, Provider, ProviderSource};
use crate::media::{MediaKind, too_large};
use crate::{E164, ErrorCode, Failure};

/// Seconds to wait before a retry, for the errors of providers that this version does not call.
const RETRY_AFTER: u32 = 5;
/// The account whose health status an example shows.
const ACCOUNT: &str = "1001";
/// The platform's trace id in examples.
const TRACE_ID: &str = "A1b2C3d4E5f6G7h8I9j0KlM";

/// Returns the code of the platform that the example of one of its errors has; `None` if this service itself reports
/// the error.
fn platform_code(code: ErrorCode) -> Option<i64> {
    Some(match code {
        ErrorCode::MessageUndeliverable => 131_026,
        ErrorCode::ConversationWindowExpired => 131_047,
        ErrorCode::RecipientNotOnChat => 1013,
        ErrorCode::TemplateParameterMismatch => 132_000,
        ErrorCode::GroupsNotEligible => 131_215,
        ErrorCode::AccountRestricted => 131_031,
        ErrorCode::DisplayNameNotApproved => 131_037,
        ErrorCode::PlatformApiError => 131_000,
        ErrorCode::PlatformApiUnavailable => 131_016,
        ErrorCode::ChatRateLimited => 130_429,
        _ => return None,
    })
}

/// Returns the message and the parameter of an error that no provider reports.
fn own(code: ErrorCode) -> (&'static str, Option<&'static str>) {
    match code {
        ErrorCode::PhoneNumberNotAssigned => (
            "from must be a chat phone number that is assigned to the app of this key: its id or its E.164 number.",
            Some("from"),
        ),
        ErrorCode::UnsupportedMessageType => ("Messages of this type are not supported here.", Some("type")),
        ErrorCode::TemplateNotFound => {
            ("Only an APPROVED template can be sent. The status of this one is PAUSED.", Some("template.name"))
        }
        ErrorCode::ChatNotConfigured => ("This number is not registered with WhatsApp. Register it first.", None),
        ErrorCode::ResourceAlreadyExists => ("Another object has this value. Choose another one.", Some("slug")),
        ErrorCode::TestAppRequired => ("The playground takes the key of a test app (sk_test_app_...).", None),
        ErrorCode::CallingNotConfigured => {
            ("The app has no calling configuration. Set it with PUT /v1/organization/apps/{appId}/calling.", None)
        }
        _ => (code.entry().description, None),
    }
}

impl ErrorCode {
    /// Returns an example of the error with this code: with the kind and type of its entry, a provider's details if a
    /// provider reports it, and `Retry-After` where such an error has one.
    pub fn example(self) -> Failure {
        if let Some(platform) = platform_code(self) {
            return of_platform(platform);
        }
        let of_rtc = |message: &str| {
            let provider = Provider { source: ProviderSource::Rtc, ..Provider::platform(500, message, None) };
            Failure::provider(self, self.entry().description, provider)
        };
        let of_carrier = |code: &str, message: &str| Failure::provider(self, message, Provider::carrier(code, message));
        match self {
            ErrorCode::CarrierApiError => of_carrier("unknown", "The carrier did not respond in time."),
            ErrorCode::CarrierApiUnavailable => {
                let message = "The carrier refused the credentials of this installation. The message was not sent.";
                of_carrier("UnrecognizedClientException", message).with_retry_after(RETRY_AFTER)
            }
            ErrorCode::RtcApiError => of_rtc("Internal server error"),
            ErrorCode::RtcRoomError => of_rtc("The room is closed"),
            ErrorCode::SipTrunkError => of_carrier("503", "Service unavailable"),
            ErrorCode::ChatCallPermissionLimit => {
                let limit = Provider::platform(138_006, "Call permission request limit hit", Some(TRACE_ID.to_owned()));
                Failure::provider(self, self.entry().description, limit).with_retry_after(60)
            }
            ErrorCode::RateLimitExceeded => Failure::throttled(1),
            ErrorCode::MediaTooLarge => {
                too_large("fileSize", "An image", MediaKind::Image.limit(), Some(6_000_000), "")
            }
            ErrorCode::InvalidPhoneNumber => E164::invalid("to"),
            _ => {
                let (message, param) = own(self);
                let failure = Failure::of_code(self, message);
                if let Some(param) = param { failure.with_param(param) } else { failure }
            }
        }
    }
}

/// Returns an example of the error with one of the platform's codes.
pub fn of_platform(code: i64) -> Failure {
    let mut provider = Provider::platform(code, &platform_words::message(code), Some(TRACE_ID.to_owned()));
    if matches!(meaning(code), Some(Means::Failed | Means::Unavailable)) {
        return failed(provider);
    }
    let is_blocked = matches!(code, 131_031 | 131_037);
    provider.health_status = is_blocked.then(|| HealthStatus::restricted(ACCOUNT));
    rejected(provider)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, ErrorType};

    #[test]
    fn each_example_has_the_kind_and_type_of_its_entry() {
        for code in ErrorCode::ALL {
            let (failure, entry) = (code.example(), code.entry());
            assert_eq!((failure.code(), failure.kind()), (Some(*code), entry.kind));
            assert_eq!(failure.error_type(), entry.error_type, "{code}");
            let is_of_provider = entry.error_type == ErrorType::ProviderError;
            assert_eq!(failure.provider_details().is_some(), is_of_provider, "{code}");
            let has_wait = matches!(entry.kind, ErrorKind::TooManyRequests | ErrorKind::Unavailable);
            assert_eq!(failure.retry_after().is_some(), has_wait, "{code}");
            assert!(!failure.message().is_empty() && failure.cause().is_none(), "{code}");
        }
    }
}
