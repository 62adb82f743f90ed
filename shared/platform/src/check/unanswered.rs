//! Checks that could not be made, and checks whose call the platform rejected.

use domain::chat::platform_error::{code_of, is_dead_token};
use domain::chat::{Check, Finding};
use domain::{ErrorCode, Failure};

use super::CHECK_BUDGET;
use crate::error::PlatformError;

pub(super) const RECONNECT: &str = "Connect the account again: run the signup and send its code to \
    POST /v1/organization/chat/business-profiles/callback.";
const RETRY: &str = "Run the check again in a few minutes.";

/// Returns the finding for a call that failed: `check` has failed if the platform rejected the call, otherwise it could
/// not be made. `what` is the subject of the check, and begins a sentence.
pub(super) fn unanswered(check: Check, what: &str, error: PlatformError) -> Finding {
    tracing::warn!(check = ?check, "a call of the platform check failed: {error}");
    match error {
        PlatformError::Unreachable { why, .. } => not_checked(what, &format!("Meta {why}")),
        PlatformError::Failed(provider) => {
            not_checked(what, &format!("Meta failed ({}, code {})", sentence(&provider.message), provider.code))
        }
        PlatformError::Rejected(provider) if code_of(&provider) == Some(ErrorCode::ChatRateLimited) => {
            let message = format!("{what} could not be checked: Meta limits requests (code {}).", provider.code);
            Finding::warning(Check::Reachability, message, "Run the check again in an hour.")
        }
        PlatformError::Rejected(provider) => {
            let remedy = if is_dead_token(provider.number()) { RECONNECT } else { REFUSED };
            let message = format!(
                "{what} could not be read. Meta rejected the request: {} (code {}).",
                sentence(&provider.message),
                provider.code
            );
            Finding::failed(check, message, remedy)
        }
        PlatformError::NotConfigured => not_configured(),
        PlatformError::Internal(failure) => internal(what, &failure),
    }
}

const REFUSED: &str = "Check the account in Meta Business Manager: it may have been deleted, or this installation's \
    app may have lost its access. If it exists, connect it again with \
    POST /v1/organization/chat/business-profiles/callback.";

/// Returns the finding for a check that an internal failure prevented.
pub(super) fn internal(what: &str, failure: &Failure) -> Finding {
    tracing::error!("a platform check could not be made: {}", failure.log_text());
    not_checked(what, "an internal failure prevented it")
}

/// Returns the finding for a check for which no time was left.
pub(super) fn out_of_time(what: &str) -> Finding {
    let message = format!("{what} was not checked completely within {} seconds.", CHECK_BUDGET.as_secs());
    Finding::warning(Check::Reachability, message, "Run the check again, for one profile with profileId.")
}

fn not_checked(what: &str, why: &str) -> Finding {
    Finding::warning(Check::Reachability, format!("{what} could not be checked: {why}."), RETRY)
}

/// Returns a text of the platform without the full stop at its end.
fn sentence(text: &str) -> &str {
    text.trim_end().trim_end_matches('.')
}

fn not_configured() -> Finding {
    Finding::failed(
        Check::AppCredentials,
        "This installation has no Meta app configured. Only test mode works.",
        "The operator must deploy with PlatformAppId, PlatformAppSecret and PlatformVerifyToken.",
    )
}
