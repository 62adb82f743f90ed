//! The access token of a profile.

use domain::Timestamp;
use domain::chat::health::TOKEN_WARNING;
use domain::chat::{Check, Finding};

use super::unanswered::{RECONNECT, unanswered};
use crate::error::{PlatformError, PlatformResult};
use crate::inspection::{PERMISSIONS, TokenState};

const SECONDS_PER_DAY: u64 = 86_400;

pub(super) fn missing() -> Finding {
    Finding::failed(Check::Token, "There is no access token for the account.", RECONNECT)
}

/// Returns the findings for the platform's response about a token. Permissions and expiry are checked only if the token
/// is valid.
pub(super) fn findings(state: PlatformResult<TokenState>, account: &str, now: Timestamp) -> Vec<Finding> {
    let state = match state {
        Ok(state) => state,
        Err(error) => return vec![inspection_failed(error)],
    };
    if !state.is_valid || state.ends_at.is_some_and(|at| at <= now) {
        let message = "The access token is no longer valid: it has expired, or the business has revoked it.";
        return vec![Finding::failed(Check::Token, message, RECONNECT)];
    }
    if !state.is_of_this_app {
        let message = "The access token was not issued for this installation's app.";
        return vec![Finding::failed(Check::Token, message, RECONNECT)];
    }
    let valid = Finding::ok(Check::Token, "The access token is valid.");
    vec![valid, permissions(&state, account), expiry(state.ends_at, now)]
}

/// Returns the finding for a failed inspection. The call is made with the app's credentials, so a rejection is about
/// those.
fn inspection_failed(error: PlatformError) -> Finding {
    let is_refusal = matches!(error, PlatformError::Rejected(_));
    let finding = unanswered(Check::Token, "The access token", error);
    if !is_refusal || finding.check != Check::Token {
        return finding;
    }
    Finding::warning(Check::Token, finding.message, "Correct the credentials of the app first: see app_credentials.")
}

fn permissions(state: &TokenState, account: &str) -> Finding {
    if state.permissions.is_empty() {
        let message = "Meta does not report which permissions the access token has.";
        let remedy = "Nothing needs to be done as long as messages can be sent.";
        return Finding::warning(Check::TokenPermissions, message, remedy);
    }
    let is_granted = |name: &str| {
        let permission = state.permissions.iter().find(|permission| permission.name == name);
        permission.is_some_and(|permission| {
            permission.accounts.as_ref().is_none_or(|accounts| accounts.iter().any(|granted| granted == account))
        })
    };
    let missing: Vec<&str> = PERMISSIONS.into_iter().filter(|name| !is_granted(name)).collect();
    if missing.is_empty() {
        return Finding::ok(Check::TokenPermissions, "The access token has the permissions that it needs.");
    }
    let message = format!("For this account, the access token lacks: {}.", missing.join(", "));
    Finding::failed(Check::TokenPermissions, message, RECONNECT)
}

fn expiry(ends_at: Option<Timestamp>, now: Timestamp) -> Finding {
    let Some(at) = ends_at else { return Finding::ok(Check::TokenExpiry, "The access token does not expire.") };
    let days = now.seconds_until(at) / SECONDS_PER_DAY;
    if at <= now.plus(TOKEN_WARNING) {
        let message = format!("The access token expires at {at}, in {}.", in_days(days));
        return Finding::warning(Check::TokenExpiry, message, format!("{RECONNECT} Do this before the token expires."));
    }
    Finding::ok(Check::TokenExpiry, format!("The access token expires at {at}, in {}.", in_days(days)))
}

fn in_days(days: u64) -> String {
    match days {
        0 => "less than a day".to_owned(),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}
