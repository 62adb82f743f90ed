//! Errors of the platform, and their conversion to errors of this API. The meaning of the platform's codes is in one
//! table, in `domain::chat::platform_error`; this module shows callers whether the call can be repeated
//! ([`PlatformError::is_retryable`]), whether it may have taken effect ([`PlatformError::is_outcome_unknown`]), and
//! whether a later one can succeed ([`PlatformError::is_throttling`]).

use std::fmt;

use domain::chat::platform_error::{Means, failed, is_unlisted_rate_limit, meaning, rejected};
use domain::chat::platform_words::message;
use domain::error::provider::{HealthStatus, Provider};
use domain::{ErrorCode, ErrorKind, Failure};
use http::StatusCode;
use web::WebError;

/// Why a call to the platform failed.
#[derive(Debug)]
pub enum PlatformError {
    /// The platform could not be reached or did not respond completely in time. `why` completes the sentence "The chat
    /// platform …". `was_sent`: the request was sent and may have taken effect.
    Unreachable { why: &'static str, was_sent: bool },
    /// The response could not be read, or the platform reports an error of its own.
    Failed(Provider),
    /// The platform rejected the request.
    Rejected(Provider),
    /// This installation has no app at the platform configured.
    NotConfigured,
    /// An internal failure prevented the request.
    Internal(Failure),
}

pub(crate) type PlatformResult<T> = Result<T, PlatformError>;

const RETRY_AFTER: u32 = 5;

/// The codes for something blocked or restricted; the health status explains what it is.
const BLOCKED: [i64; 7] = [368, 130_497, 131_031, 131_037, 131_042, 131_048, 131_064];

/// Returns the error that the platform reports. Its code decides whether it is a rejection, independently of the HTTP
/// status; an error whose code has no translation is a failure of the platform if the status is 5xx.
pub(crate) fn reported(provider: Provider, status: StatusCode) -> PlatformError {
    match meaning(provider.number()) {
        None if status.is_server_error() => PlatformError::Failed(provider),
        Some(Means::Failed | Means::Unavailable) => PlatformError::Failed(provider),
        None | Some(Means::Rejected) => PlatformError::Rejected(provider),
    }
}

/// Returns the error for one of the platform's codes, for the simulator and tests.
pub fn failure_of_code(platform: i64) -> PlatformError {
    reported(Provider::platform(platform, &message(platform), None), StatusCode::BAD_REQUEST)
}

impl From<WebError> for PlatformError {
    fn from(error: WebError) -> Self {
        match error {
            WebError::Unreachable { why, was_sent } => PlatformError::Unreachable { why, was_sent },
            WebError::TooLong(status) => PlatformError::unreadable(status.as_u16()),
            WebError::CutOff => PlatformError::cut_off(),
        }
    }
}

impl PlatformError {
    /// Returns whether the call can be retried without taking effect twice. `is_read`: the call changes nothing.
    pub(crate) fn is_retryable(&self, is_read: bool) -> bool {
        match self {
            PlatformError::Unreachable { was_sent, .. } => is_read || !was_sent,
            PlatformError::Failed(_) => is_read,
            _ => false,
        }
    }

    /// Returns whether the call may have taken effect although it failed. A message is never sent again after such a
    /// failure.
    pub fn is_outcome_unknown(&self) -> bool {
        match self {
            PlatformError::Unreachable { was_sent, .. } => *was_sent,
            PlatformError::Failed(provider) => meaning(provider.number()) != Some(Means::Unavailable),
            PlatformError::Rejected(_) | PlatformError::NotConfigured | PlatformError::Internal(_) => false,
        }
    }

    /// Returns whether the platform rejected the call because of a rate limit, so that a later one can succeed.
    pub fn is_throttling(&self) -> bool {
        match self {
            PlatformError::Rejected(provider) => rejected(provider.clone()).kind() == ErrorKind::TooManyRequests,
            _ => false,
        }
    }

    /// Returns whether something is blocked or restricted, which a health status explains.
    pub(crate) fn is_blocked(&self) -> bool {
        matches!(self, PlatformError::Rejected(provider) if BLOCKED.contains(&provider.number()))
    }

    /// Sets the health status in the provider details; only a rejection has one.
    pub(crate) fn with_health_status(mut self, health: Option<HealthStatus>) -> Self {
        if let PlatformError::Rejected(provider) = &mut self {
            provider.health_status = health;
        }
        self
    }

    /// Returns the error for a response that ends too early.
    pub(crate) fn cut_off() -> Self {
        PlatformError::Unreachable { why: "closed the connection before the end of its response", was_sent: true }
    }

    /// Returns the error for a response that differs from the platform's documentation. One with the status of a rate limit
    /// is a rejection, whoever sent it.
    pub(crate) fn unreadable(status: u16) -> Self {
        let message = format!("WhatsApp's response (HTTP {status}) could not be read.");
        let provider = Provider::platform(i64::from(status), &message, None).with_http_status(status);
        if is_unlisted_rate_limit(&provider) {
            PlatformError::Rejected(provider)
        } else {
            PlatformError::Failed(provider)
        }
    }

    /// Returns the error for a cursor that the platform has already returned: following it would never end.
    pub fn repeated_cursor() -> Self {
        PlatformError::Failed(Provider::platform(200, "WhatsApp returned the same page cursor twice.", None))
    }

    /// Returns the error for a media file of more than `max_bytes` bytes.
    pub(crate) fn too_large(max_bytes: u64) -> Self {
        let message = format!("The media file exceeds the limit of {max_bytes} bytes.");
        PlatformError::Rejected(Provider::platform(131_052, &message, None))
    }
}

/// For the log: without texts of the platform, which can repeat parts of the request.
impl fmt::Display for PlatformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlatformError::Unreachable { why, .. } => write!(f, "the platform {why}"),
            PlatformError::Failed(provider) | PlatformError::Rejected(provider) => {
                write!(f, "the platform responded with code {}", provider.number())
            }
            PlatformError::NotConfigured => f.write_str("no platform app is configured"),
            PlatformError::Internal(failure) => f.write_str(&failure.log_text()),
        }
    }
}

impl From<Failure> for PlatformError {
    fn from(failure: Failure) -> Self {
        PlatformError::Internal(failure)
    }
}

impl From<PlatformError> for Failure {
    fn from(error: PlatformError) -> Self {
        match error {
            PlatformError::Internal(failure) => failure,
            PlatformError::NotConfigured => Failure::of_code(
                ErrorCode::ChatNotConfigured,
                "This installation has no Meta app configured. Test mode works without one; the operator can configure the \
                 app.",
            ),
            PlatformError::Unreachable { why, .. } => {
                Failure::of_code(ErrorCode::PlatformApiUnavailable, format!("WhatsApp {why}. Retry shortly."))
                    .with_retry_after(RETRY_AFTER)
            }
            PlatformError::Failed(provider) => failed(provider),
            PlatformError::Rejected(provider) => rejected(provider),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::ErrorType;
    use domain::chat::platform_error::{TRANSLATIONS, is_dead_token};

    use super::*;

    /// Copies the table of docs/specification.md, "Error codes".
    #[test]
    fn each_of_the_platforms_codes_has_its_error() {
        use ErrorCode as C;
        use ErrorKind as K;
        let expected: &[(&[i64], ErrorCode, ErrorKind)] = &[
            (&[131_026, 130_472, 131_049, 131_030, 131_050, 131_062], C::MessageUndeliverable, K::Unprocessable),
            (&[1013], C::RecipientNotOnChat, K::Unprocessable),
            (&[131_047], C::ConversationWindowExpired, K::Unprocessable),
            (&[131_051], C::UnsupportedMessageType, K::InvalidRequest),
            (&[132_001, 132_015, 132_016], C::TemplateNotFound, K::NotFound),
            (&[132_000, 132_005, 132_012, 132_018], C::TemplateParameterMismatch, K::Unprocessable),
            (&[131_214, 131_215], C::GroupsNotEligible, K::Unprocessable),
            (&[368, 130_497, 131_031, 131_042], C::AccountRestricted, K::Unprocessable),
            (&[131_037], C::DisplayNameNotApproved, K::Unprocessable),
            (&[133_010], C::ChatNotConfigured, K::NotFound),
            (
                &[4, 17, 32, 613, 80_007, 80_008, 130_429, 131_048, 131_056, 131_208],
                C::ChatRateLimited,
                K::TooManyRequests,
            ),
            (&[131_057, 133_004, 2, 131_016], C::PlatformApiUnavailable, K::Unavailable),
            (&[1, 131_000], C::PlatformApiError, K::BadGateway),
            (&[0, 3, 10, 100, 102, 104, 190, 200, 299, 131_212, 139_103], C::PlatformApiError, K::Unprocessable),
        ];
        for (platform, code, kind) in
            expected.iter().flat_map(|(all, code, kind)| all.iter().map(move |p| (p, code, kind)))
        {
            let failure = Failure::from(failure_of_code(*platform));
            assert_eq!((failure.kind(), failure.code()), (*kind, Some(*code)), "{platform}");
            assert_eq!(failure.error_type(), ErrorType::ProviderError, "{platform}");
            let has_wait = matches!(kind, K::TooManyRequests | K::Unavailable);
            assert_eq!(failure.retry_after().is_some(), has_wait, "{platform}");
            assert_eq!(failure.additional_info().len(), usize::from(is_dead_token(*platform)), "{platform}");
        }
        let known = expected.iter().map(|(all, ..)| all.len()).sum::<usize>() - 11;
        assert_eq!(known, TRANSLATIONS.iter().map(|(all, ..)| all.len()).sum::<usize>());
    }

    #[test]
    fn the_code_takes_precedence_over_the_http_status() {
        let failure = |code, status| Failure::from(reported(Provider::platform(code, "m", None), status));
        let kind_of = |code, status| failure(code, status).kind();
        assert_eq!(kind_of(131_026, StatusCode::INTERNAL_SERVER_ERROR), ErrorKind::Unprocessable);
        assert_eq!(kind_of(131_057, StatusCode::BAD_REQUEST), ErrorKind::Unavailable);
        assert_eq!(kind_of(100, StatusCode::BAD_REQUEST), ErrorKind::Unprocessable);
        assert_eq!(kind_of(100, StatusCode::BAD_GATEWAY), ErrorKind::BadGateway);
        assert_eq!(Failure::from(PlatformError::unreadable(200)).kind(), ErrorKind::BadGateway);
    }

    #[test]
    fn the_http_status_of_a_rate_limit_decides_for_codes_without_an_entry() {
        let of =
            |code| reported(Provider::platform(code, "m", None).with_http_status(429), StatusCode::TOO_MANY_REQUESTS);
        for error in [of(100), of(429), PlatformError::unreadable(429)] {
            assert!(error.is_throttling() && !error.is_outcome_unknown());
            let failure = Failure::from(error);
            assert_eq!(failure.code(), Some(ErrorCode::ChatRateLimited));
            assert!(failure.retry_after().is_some());
        }
        assert_eq!(Failure::from(of(131_026)).code(), Some(ErrorCode::MessageUndeliverable));
        assert!(of(131_000).is_outcome_unknown());
    }

    /// Provider details come from the platform's response, so there are none if the platform is unreachable.
    #[test]
    fn an_unreachable_platform_has_no_provider_details() {
        let failure = Failure::from(PlatformError::Unreachable { why: "could not be reached", was_sent: false });
        assert_eq!((failure.kind(), failure.error_type()), (ErrorKind::Unavailable, ErrorType::ProviderError));
        assert!(failure.provider_details().is_none() && failure.retry_after().is_some());
    }
}
