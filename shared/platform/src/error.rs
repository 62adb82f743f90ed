//! What the platform's errors mean to callers: the one table.

use domain::provider::{HealthStatus, Provider};
use domain::{ErrorCode, Failure};

/// How a call to the platform can end otherwise than well.
#[derive(Debug)]
pub enum PlatformError {
    /// Not reached, or no whole answer in time. `was_sent` tells whether the request may have had its effect.
    Unreachable { why: &'static str, was_sent: bool },
    /// An answer, but not one that can be worked with; or the platform says that it is at fault.
    Failed(Provider),
    /// It refused what was asked.
    Rejected(Provider),
    /// No app at the platform is configured in this installation.
    NotConfigured,
    /// The service itself could not ask.
    Internal(Failure),
}

const RETRY_AFTER: u32 = 5;
const RATE_LIMITED_RETRY_AFTER: u32 = 60;

/// The platform's own faults; the rest of its codes refuse.
const FAULTS: [i64; 6] = [1, 2, 131_000, 131_016, 131_057, 133_004];
const DEAD_TOKEN: [i64; 5] = [0, 10, 102, 104, 190];
/// Something is blocked or restricted, and the health status says what.
const BLOCKED: [i64; 7] = [368, 130_497, 131_031, 131_037, 131_042, 131_048, 131_064];

const RECONNECT: &str = "The access token is no longer valid or lacks a permission: connect the account again with \
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

/// The failure for a native code, as the simulated platform and tests ask for it.
pub fn failure_of_code(platform: i64) -> PlatformError {
    of_code(Provider::platform(platform, "simulated", None))
}

impl PlatformError {
    pub(crate) fn unreadable(status: u16) -> Self {
        let message = format!("The platform's answer (HTTP {status}) could not be read.");
        PlatformError::Failed(Provider::platform(i64::from(status), &message, None))
    }

    /// A cursor that was given before leads nowhere.
    pub fn repeated_cursor() -> Self {
        PlatformError::Failed(Provider::platform(200, "The platform's pages repeat themselves.", None))
    }

    pub(crate) fn too_large(most: u64) -> Self {
        let message = format!("The medium has more than {most} bytes.");
        PlatformError::Rejected(Provider::platform(131_052, &message, None))
    }

    /// What may be tried again without doing anything twice.
    pub(crate) fn is_safe_to_repeat(&self, changes_nothing: bool) -> bool {
        match self {
            PlatformError::Unreachable { was_sent, .. } => changes_nothing || !was_sent,
            PlatformError::Failed(_) => changes_nothing,
            _ => false,
        }
    }

    pub(crate) fn is_blocked(&self) -> bool {
        matches!(self, PlatformError::Rejected(provider) if BLOCKED.contains(&provider.code))
    }

    /// Replaces the health status that the failure shows; only a refusal has one.
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
                "No app at the chat platform is configured in this installation; test mode works without one.",
            ),
            PlatformError::Unreachable { why, .. } => Failure::of_code(
                ErrorCode::PlatformApiUnavailable,
                format!("The chat platform {why}. Try again shortly."),
            )
            .with_retry_after(RETRY_AFTER),
            PlatformError::Failed(provider) => {
                let message = format!("The chat platform failed: {}", provider.message);
                Failure::provider(502, ErrorCode::PlatformApiError, message, provider)
            }
            PlatformError::Rejected(provider) => refused(provider),
        }
    }
}

fn refused(provider: Provider) -> Failure {
    let code = code(provider.code);
    let message = format!("The chat platform refused the request: {}", provider.message);
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
        let answer = |platform: i64| {
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
            assert_eq!(answer(platform), (422, Some(expected), false, 0), "{platform}");
        }
        for platform in [4, 80_007, 130_429, 131_056, 131_208] {
            assert_eq!(answer(platform), (429, Some(ErrorCode::ChatRateLimited), true, 0), "{platform}");
        }
        for platform in FAULTS {
            assert_eq!(answer(platform), (502, Some(ErrorCode::PlatformApiError), false, 0), "{platform}");
        }
        for platform in [0, 10, 102, 104, 190, 200, 299] {
            assert_eq!(answer(platform), (422, Some(ErrorCode::PlatformApiError), false, 1), "{platform}");
        }
    }
}
