//! The one table from the platform's error codes to this API's (docs/specification.md, "Error codes"). It defines the
//! errors of requests and those of messages that fail later.

use crate::error::provider::{HealthStatus, Provider};
use crate::{ErrorCode, ErrorKind, Failure};

/// The meaning of one of the platform's codes for the request that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// The platform rejected the request.
    Rejected,
    /// The platform failed, but certainly did not carry out the request.
    Unavailable,
    /// The platform failed, and may have carried out the request.
    Failed,
}

/// The platform's codes, each with this API's code and its meaning. A code that is missing here is a rejection without
/// a code of its own: `platform_api_error`, of the kind [`ErrorKind::Unprocessable`].
pub const TRANSLATIONS: &[(&[i64], ErrorCode, Means)] = &[
    (&[131_026, 130_472, 131_049, 131_030, 131_050, 131_062], ErrorCode::MessageUndeliverable, Means::Rejected),
    (&[1013], ErrorCode::RecipientNotOnChat, Means::Rejected),
    (&[131_047], ErrorCode::ConversationWindowExpired, Means::Rejected),
    (&[131_051], ErrorCode::UnsupportedMessageType, Means::Rejected),
    (&[132_001, 132_015, 132_016], ErrorCode::TemplateNotFound, Means::Rejected),
    (&[132_000, 132_005, 132_012, 132_018], ErrorCode::TemplateParameterMismatch, Means::Rejected),
    (&[131_214, 131_215], ErrorCode::GroupsNotEligible, Means::Rejected),
    (&[368, 130_497, 131_031, 131_042], ErrorCode::AccountRestricted, Means::Rejected),
    (&[131_037], ErrorCode::DisplayNameNotApproved, Means::Rejected),
    (&[133_010], ErrorCode::ChatNotConfigured, Means::Rejected),
    (
        &[4, 17, 32, 613, 80_007, 80_008, 130_429, 131_048, 131_056, 131_208],
        ErrorCode::ChatRateLimited,
        Means::Rejected,
    ),
    (&[131_057, 133_004], ErrorCode::PlatformApiUnavailable, Means::Unavailable),
    (&[2, 131_016], ErrorCode::PlatformApiUnavailable, Means::Failed),
    (&[1, 131_000], ErrorCode::PlatformApiError, Means::Failed),
];

fn entry(platform: i64) -> Option<(ErrorCode, Means)> {
    TRANSLATIONS.iter().find(|(codes, ..)| codes.contains(&platform)).map(|&(_, code, means)| (code, means))
}

/// Returns this API's code for one of the platform's codes; `None` if there is no specific one.
pub fn translate(platform: i64) -> Option<ErrorCode> {
    entry(platform).map(|(code, _)| code)
}

/// The HTTP status of a rate limit. It is one whatever its code is, also one that has no entry.
const TOO_MANY_REQUESTS: u16 = 429;

/// Returns whether the platform reports a rate limit by the HTTP status only.
pub fn is_unlisted_rate_limit(provider: &Provider) -> bool {
    provider.http_status == Some(TOO_MANY_REQUESTS) && entry(provider.number()).is_none()
}

/// Returns this API's code for an error of the platform; `None` if there is no specific one.
pub fn code_of(provider: &Provider) -> Option<ErrorCode> {
    if is_unlisted_rate_limit(provider) { Some(ErrorCode::ChatRateLimited) } else { translate(provider.number()) }
}

/// Returns the meaning of one of the platform's codes; `None` if it has no entry.
pub fn meaning(platform: i64) -> Option<Means> {
    entry(platform).map(|(_, means)| means)
}

/// Seconds to wait before a retry, while the platform is unavailable and after one of its rate limits.
const RETRY_AFTER: u32 = 5;
const RATE_LIMITED_RETRY_AFTER: u32 = 60;

/// The codes for a token that is invalid or lacks a permission; [`is_dead_token`] has the range that belongs to them.
const DEAD_TOKEN: [i64; 5] = [0, 10, 102, 104, 190];
const RECONNECT: &str = "The access token is no longer valid or lacks a permission. Connect the account again with \
    POST /v1/organization/chat/business-profiles/callback.";

/// Returns whether the platform's code means that the access token cannot be used.
pub fn is_dead_token(platform: i64) -> bool {
    DEAD_TOKEN.contains(&platform) || (200..=299).contains(&platform)
}

/// Returns the failure of a request that the platform could not carry out.
pub fn failed(provider: Provider) -> Failure {
    let message = format!("WhatsApp failed: {}", provider.message);
    let code = code_of(&provider).unwrap_or(ErrorCode::PlatformApiError);
    with_wait(Failure::provider(code, message, provider))
}

/// Returns the failure of a request that the platform rejected.
pub fn rejected(provider: Provider) -> Failure {
    let message = format!("WhatsApp rejected the request: {}", provider.message);
    let hints = provider.health_status.as_ref().map(HealthStatus::hints).unwrap_or_default();
    let reconnect = is_dead_token(provider.number()).then(|| RECONNECT.to_owned());
    let failure = match code_of(&provider) {
        Some(code) => Failure::provider(code, message, provider),
        None => Failure::rejected_by_provider(ErrorCode::PlatformApiError, message, provider),
    };
    with_wait(failure.with_hints(reconnect).with_hints(hints))
}

/// Adds `Retry-After` if the kind of failure calls for it.
fn with_wait(failure: Failure) -> Failure {
    match failure.kind() {
        ErrorKind::TooManyRequests => failure.with_retry_after(RATE_LIMITED_RETRY_AFTER),
        ErrorKind::Unavailable => failure.with_retry_after(RETRY_AFTER),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_of_the_platforms_codes_has_one_meaning() {
        let all: Vec<i64> = TRANSLATIONS.iter().flat_map(|(codes, ..)| codes.iter().copied()).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        assert_eq!(translate(132_001), Some(ErrorCode::TemplateNotFound));
        assert_eq!(translate(100), None);
        assert_eq!(meaning(131_016), Some(Means::Failed));
        assert_eq!(meaning(131_057), Some(Means::Unavailable));
        assert_eq!((meaning(131_026), meaning(100)), (Some(Means::Rejected), None));
    }
}
