//! Errors of the platform, and their conversion to errors of this API.

use std::fmt;

use domain::platform_error::{Means, failed, meaning, rejected};
use domain::platform_words::message;
use domain::provider::{HealthStatus, Provider};
use domain::{ErrorCode, Failure};
use http::StatusCode;

/// Why a call to the platform failed.
#[derive(Debug)]
pub enum PlatformError {
    /// The platform could not be reached or did not respond completely in time. `why` completes the sentence "The chat
    /// platform …". `was_sent`: the request may have taken effect.
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

/// Returns the error that the platform reports. Its code decides whether it is a rejection, whatever the HTTP status;
/// an error whose code has no translation is a failure of the platform if the status is 5xx.
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

impl PlatformError {
    pub(crate) fn unreadable(status: u16) -> Self {
        let message = format!("The platform's response (HTTP {status}) could not be read.");
        PlatformError::Failed(Provider::platform(i64::from(status), &message, None).with_http_status(status))
    }

    /// Returns the error for a cursor that the platform has already returned: following it would never end.
    pub fn repeated_cursor() -> Self {
        PlatformError::Failed(Provider::platform(200, "The platform returned the same page cursor twice.", None))
    }

    pub(crate) fn too_large(max_bytes: u64) -> Self {
        let message = format!("The media file exceeds the limit of {max_bytes} bytes.");
        PlatformError::Rejected(Provider::platform(131_052, &message, None))
    }

    /// Returns whether the call can be retried without taking effect twice. `is_read`: the call changes nothing.
    pub(crate) fn is_retryable(&self, is_read: bool) -> bool {
        match self {
            PlatformError::Unreachable { was_sent, .. } => is_read || !was_sent,
            PlatformError::Failed(_) => is_read,
            _ => false,
        }
    }

    /// Returns whether the call may have taken effect although it failed. A message whose call failed so is never sent
    /// again.
    pub fn is_outcome_unknown(&self) -> bool {
        match self {
            PlatformError::Unreachable { was_sent, .. } => *was_sent,
            PlatformError::Failed(provider) => meaning(provider.number()) != Some(Means::Unavailable),
            PlatformError::Rejected(_) | PlatformError::NotConfigured | PlatformError::Internal(_) => false,
        }
    }

    /// Returns whether the platform rejected the call because there were too many, so that a later one may succeed.
    pub fn is_throttling(&self) -> bool {
        match self {
            PlatformError::Rejected(provider) => rejected(provider.clone()).status() == 429,
            _ => false,
        }
    }

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
}

/// For the log: no texts of the platform, which may repeat what was sent.
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
                "This installation has no app at the chat platform configured. Test mode works without one; an operator can \
                 configure the app.",
            ),
            PlatformError::Unreachable { why, .. } => {
                Failure::of_code(ErrorCode::PlatformApiUnavailable, format!("The chat platform {why}. Retry shortly."))
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
    use domain::platform_error::{TRANSLATIONS, is_dead_token};

    use super::*;

    /// The table of docs/specification.md, "Error codes", written out.
    #[test]
    fn each_of_the_platforms_codes_has_its_answer() {
        use ErrorCode as C;
        let expected: &[(&[i64], ErrorCode, u16)] = &[
            (&[131_026, 130_472, 131_049, 131_030, 131_050, 131_062], C::MessageUndeliverable, 422),
            (&[1013], C::RecipientNotOnChat, 422),
            (&[131_047], C::ConversationWindowExpired, 422),
            (&[131_051], C::UnsupportedMessageType, 400),
            (&[132_001, 132_015, 132_016], C::TemplateNotFound, 404),
            (&[132_000, 132_005, 132_012, 132_018], C::TemplateParameterMismatch, 422),
            (&[131_214, 131_215], C::GroupsNotEligible, 422),
            (&[368, 130_497, 131_031, 131_042], C::AccountRestricted, 422),
            (&[131_037], C::DisplayNameNotApproved, 422),
            (&[133_010], C::ChatNotConfigured, 404),
            (&[4, 17, 32, 613, 80_007, 80_008, 130_429, 131_048, 131_056, 131_208], C::ChatRateLimited, 429),
            (&[131_057, 133_004, 2, 131_016], C::PlatformApiUnavailable, 503),
            (&[1, 131_000], C::PlatformApiError, 502),
            (&[0, 3, 10, 100, 102, 104, 190, 200, 299, 131_212, 139_103], C::PlatformApiError, 422),
        ];
        for (platform, code, status) in
            expected.iter().flat_map(|(all, code, status)| all.iter().map(move |p| (p, code, status)))
        {
            let failure = Failure::from(failure_of_code(*platform));
            assert_eq!((failure.status(), failure.code()), (*status, Some(*code)), "{platform}");
            assert_eq!(failure.kind(), ErrorType::ProviderError, "{platform}");
            assert_eq!(failure.retry_after().is_some(), matches!(status, 429 | 503), "{platform}");
            assert_eq!(failure.additional_info().len(), usize::from(is_dead_token(*platform)), "{platform}");
        }
        let known = expected.iter().map(|(all, ..)| all.len()).sum::<usize>() - 11;
        assert_eq!(known, TRANSLATIONS.iter().map(|(all, ..)| all.len()).sum::<usize>());
    }

    #[test]
    fn the_code_decides_whatever_the_http_status_is() {
        let failure = |code, status| Failure::from(reported(Provider::platform(code, "m", None), status));
        let status_of = |code, status| failure(code, status).status();
        assert_eq!(status_of(131_026, StatusCode::INTERNAL_SERVER_ERROR), 422);
        assert_eq!(status_of(131_057, StatusCode::BAD_REQUEST), 503);
        assert_eq!(status_of(100, StatusCode::BAD_REQUEST), 422);
        assert_eq!(status_of(100, StatusCode::BAD_GATEWAY), 502);
        assert_eq!(Failure::from(PlatformError::unreadable(200)).status(), 502);
    }

    /// Provider details repeat what the platform responded, so an unreachable platform has none.
    #[test]
    fn an_unreachable_platform_has_said_nothing() {
        let failure = Failure::from(PlatformError::Unreachable { why: "could not be reached", was_sent: false });
        assert_eq!((failure.status(), failure.kind()), (503, ErrorType::ProviderError));
        assert!(failure.provider_details().is_none() && failure.retry_after().is_some());
    }
}
