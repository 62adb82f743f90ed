//! Errors of the platform, and the one table that maps them to errors of this API.

use domain::provider::{HealthStatus, Provider};
use domain::{ErrorCode, Failure};

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

const RETRY_AFTER: u32 = 5;
const RATE_LIMITED_RETRY_AFTER: u32 = 60;

/// The codes of errors on the platform's side; all other codes are rejections.
const FAULTS: [i64; 6] = [1, 2, 131_000, 131_016, 131_057, 133_004];
/// The codes for a token that is invalid or lacks a permission; see `is_dead_token` for the range that belongs to them.
const DEAD_TOKEN: [i64; 5] = [0, 10, 102, 104, 190];
/// The codes for something blocked or restricted; the health status explains what it is.
const BLOCKED: [i64; 7] = [368, 130_497, 131_031, 131_037, 131_042, 131_048, 131_064];

const RECONNECT: &str = "The access token is no longer valid or lacks a permission. Connect the account again with \
    POST /v1/organization/chat/business-profiles/callback.";

pub(crate) fn of_code(provider: Provider) -> PlatformError {
    if FAULTS.contains(&provider.code) { PlatformError::Failed(provider) } else { PlatformError::Rejected(provider) }
}

fn code(platform: i64) -> ErrorCode {
    match platform {
        131_026 => ErrorCode::MessageUndeliverable,
        131_047 => ErrorCode::ConversationWindowExpired,
        131_214 | 131_215 => ErrorCode::GroupsNotEligible,
        368 | 131_031 => ErrorCode::AccountRestricted,
        132_001 => ErrorCode::TemplateNotFound,
        132_000 => ErrorCode::TemplateParameterMismatch,
        4 | 80_007 | 130_429 | 131_056 | 131_208 => ErrorCode::ChatRateLimited,
        _ => ErrorCode::PlatformApiError,
    }
}

fn is_dead_token(platform: i64) -> bool {
    DEAD_TOKEN.contains(&platform) || (200..=299).contains(&platform)
}

/// Returns the error for one of the platform's codes, for the simulator and tests.
pub fn failure_of_code(platform: i64) -> PlatformError {
    of_code(Provider::platform(platform, "simulated", None))
}

impl PlatformError {
    pub(crate) fn unreadable(status: u16) -> Self {
        let message = format!("The platform's response (HTTP {status}) could not be read.");
        PlatformError::Failed(Provider::platform(i64::from(status), &message, None))
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

    pub(crate) fn is_blocked(&self) -> bool {
        matches!(self, PlatformError::Rejected(provider) if BLOCKED.contains(&provider.code))
    }

    /// Sets the health status in the provider details; only a rejection has one.
    pub(crate) fn with_health_status(mut self, health: Option<HealthStatus>) -> Self {
        if let PlatformError::Rejected(provider) = &mut self {
            provider.health_status = health;
        }
        self
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
            PlatformError::Failed(provider) => {
                let message = format!("The chat platform failed: {}", provider.message);
                Failure::provider(502, ErrorCode::PlatformApiError, message, provider)
            }
            PlatformError::Rejected(provider) => rejected(provider),
        }
    }
}

fn rejected(provider: Provider) -> Failure {
    let code = code(provider.code);
    let message = format!("The chat platform rejected the request: {}", provider.message);
    let hints = provider.health_status.as_ref().map(HealthStatus::hints).unwrap_or_default();
    let reconnect = is_dead_token(provider.code).then(|| RECONNECT.to_owned());
    let status = if code == ErrorCode::ChatRateLimited { 429 } else { 422 };
    let failure = Failure::provider(status, code, message, provider).with_hints(reconnect).with_hints(hints);
    if status == 429 { failure.with_retry_after(RATE_LIMITED_RETRY_AFTER) } else { failure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_its_answer() {
        let mapped = |platform: i64| {
            let failure = Failure::from(failure_of_code(platform));
            (failure.status(), failure.code(), failure.retry_after().is_some(), failure.additional_info().len())
        };
        for (platform, expected) in [
            (131_026, ErrorCode::MessageUndeliverable),
            (131_047, ErrorCode::ConversationWindowExpired),
            (131_214, ErrorCode::GroupsNotEligible),
            (131_215, ErrorCode::GroupsNotEligible),
            (368, ErrorCode::AccountRestricted),
            (131_031, ErrorCode::AccountRestricted),
            (132_001, ErrorCode::TemplateNotFound),
            (132_000, ErrorCode::TemplateParameterMismatch),
            (100, ErrorCode::PlatformApiError),
            (131_212, ErrorCode::PlatformApiError),
        ] {
            assert_eq!(mapped(platform), (422, Some(expected), false, 0), "{platform}");
        }
        for platform in [4, 80_007, 130_429, 131_056, 131_208] {
            assert_eq!(mapped(platform), (429, Some(ErrorCode::ChatRateLimited), true, 0), "{platform}");
        }
        for platform in FAULTS {
            assert_eq!(mapped(platform), (502, Some(ErrorCode::PlatformApiError), false, 0), "{platform}");
        }
        for platform in [0, 10, 102, 104, 190, 200, 299] {
            assert_eq!(mapped(platform), (422, Some(ErrorCode::PlatformApiError), false, 1), "{platform}");
        }
    }
}
