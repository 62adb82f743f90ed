//! The findings of the platform check: whether messages can be sent and received, and the remedies if not
//! (docs/platform-check.md).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::ChatBusinessProfileId;
use crate::{Open, Timestamp};

/// How many problems are stored with a profile, those with the worst status first.
pub const PROBLEMS_KEPT: usize = 10;
/// How often each live profile is checked.
pub const CHECK_PERIOD: Duration = Duration::from_secs(24 * 3600);
/// How many platform checks an organization may request per hour in each mode.
pub const CHECKS_AN_HOUR: u64 = 20;
/// How long before its end a token is a problem.
pub const TOKEN_WARNING: Duration = Duration::from_secs(14 * 24 * 3600);

/// The outcome of a check, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = PlatformCheckStatus)]
pub enum CheckStatus {
    /// There is no problem.
    Ok,
    /// The object works with limits or only for a limited time, or it could not be checked.
    Warning,
    /// Messages fail or are not received until the problem is fixed.
    Failed,
}

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = PlatformCheckName)]
pub enum Check {
    /// The platform accepts the id and the secret of this installation's app.
    AppCredentials,
    /// The platform sends notifications to this installation.
    CallbackUrl,
    /// The app is subscribed to every field that this installation uses.
    CallbackFields,
    /// The version of the Graph API that this installation uses does not end within 90 days.
    GraphVersion,
    /// The version of Embedded Signup that this installation uses does not end within 90 days.
    SignupVersion,
    /// The account is connected to this installation.
    Connection,
    /// The access token belongs to this installation's app and is valid.
    Token,
    /// The token has the permissions that messages and management need, for this account.
    TokenPermissions,
    /// The token does not expire within 14 days.
    TokenExpiry,
    /// The account sends its notifications to this installation.
    Subscription,
    /// Meta has approved the account.
    AccountReview,
    /// The account can pay for messages.
    AccountPayment,
    /// The platform does not block or limit the account, its business or the app.
    AccountHealth,
    /// The number is registered with the platform's API.
    NumberRegistration,
    /// Users do not complain about the number's messages.
    NumberQuality,
    /// How many people the number may start a conversation with per day.
    NumberLimit,
    /// The platform has approved the number's display name.
    NumberName,
    /// The business shares the contacts and the history of its business app.
    NumberHistory,
    /// WhatsApp responded in time, so that the other checks could run.
    Reachability,
}

impl Check {
    pub const ALL: [Check; 19] = [
        Check::AppCredentials,
        Check::CallbackUrl,
        Check::CallbackFields,
        Check::GraphVersion,
        Check::SignupVersion,
        Check::Connection,
        Check::Token,
        Check::TokenPermissions,
        Check::TokenExpiry,
        Check::Subscription,
        Check::AccountReview,
        Check::AccountPayment,
        Check::AccountHealth,
        Check::NumberRegistration,
        Check::NumberQuality,
        Check::NumberLimit,
        Check::NumberName,
        Check::NumberHistory,
        Check::Reachability,
    ];

    /// Returns the subject of the check, which decides the metric that counts its problems.
    pub fn kind(self) -> CheckKind {
        match self {
            Check::AppCredentials
            | Check::CallbackUrl
            | Check::CallbackFields
            | Check::GraphVersion
            | Check::SignupVersion => CheckKind::App,
            Check::Token | Check::TokenPermissions | Check::TokenExpiry => CheckKind::Token,
            Check::Connection
            | Check::Subscription
            | Check::AccountReview
            | Check::AccountPayment
            | Check::AccountHealth => CheckKind::Account,
            Check::NumberRegistration
            | Check::NumberQuality
            | Check::NumberLimit
            | Check::NumberName
            | Check::NumberHistory => CheckKind::Number,
            Check::Reachability => CheckKind::Reachability,
        }
    }
}

/// The subject of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    App,
    Token,
    Account,
    Number,
    Reachability,
}

/// The outcome of one check.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlatformCheckFinding)]
pub struct Finding {
    #[schema(value_type = Check)]
    pub check: Open<Check>,
    /// The id of the profile or number; absent if the check is about the whole installation.
    pub subject: Option<String>,
    #[schema(value_type = CheckStatus)]
    pub status: Open<CheckStatus>,
    /// The result of the check.
    pub message: String,
    /// What to do about it; absent if the status is `OK`.
    pub remedy: Option<String>,
}

impl Finding {
    pub fn ok(check: Check, message: impl Into<String>) -> Self {
        Self::new(check, CheckStatus::Ok, message, None)
    }

    pub fn warning(check: Check, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(check, CheckStatus::Warning, message, Some(remedy.into()))
    }

    pub fn failed(check: Check, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(check, CheckStatus::Failed, message, Some(remedy.into()))
    }

    fn new(check: Check, status: CheckStatus, message: impl Into<String>, remedy: Option<String>) -> Self {
        Finding { check: check.into(), subject: None, status: status.into(), message: message.into(), remedy }
    }

    /// Sets the object that the finding is about.
    #[must_use]
    pub fn about(self, subject: &impl ToString) -> Self {
        Finding { subject: Some(subject.to_string()), ..self }
    }

    /// Returns the status. A status that only a later release knows counts as a warning.
    pub fn known_status(&self) -> CheckStatus {
        self.status.known().unwrap_or(CheckStatus::Warning)
    }
}

/// The outcome of the latest daily check of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatBusinessProfileHealth)]
pub struct ProfileHealth {
    /// The worst status of all checks.
    #[schema(value_type = CheckStatus)]
    pub status: Open<CheckStatus>,
    pub checked_at: Timestamp,
    /// The checks whose status is not `OK`, at most ten, those with the worst status first. `GET
    /// /v1/organization/chat/platform-check` returns all of them.
    #[schema(max_items = 10)]
    pub problems: Vec<Finding>,
}

impl ProfileHealth {
    /// Returns the outcome of a check with these findings.
    pub fn of(findings: Vec<Finding>, checked_at: Timestamp) -> Self {
        let mut problems: Vec<Finding> =
            findings.into_iter().filter(|finding| finding.known_status() != CheckStatus::Ok).collect();
        problems.sort_by_key(|problem| std::cmp::Reverse(problem.known_status()));
        let status = problems.first().map_or(CheckStatus::Ok, Finding::known_status);
        problems.truncate(PROBLEMS_KEPT);
        ProfileHealth { status: status.into(), checked_at, problems }
    }
}

/// Returns when a profile is checked next: each has a time of day of its own, so that the checks of all profiles are
/// spread over the day.
pub fn next_check(profile: &ChatBusinessProfileId, now: Timestamp) -> Timestamp {
    let period = i64::try_from(CHECK_PERIOD.as_millis()).unwrap_or(i64::MAX);
    // FNV-1a; any hash that spreads ids evenly would do.
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    let own_time = i64::from(profile.ksuid().bytes().fold(2_166_136_261, hash)) % period;
    let today = now.millis() - now.millis().rem_euclid(period) + own_time;
    Timestamp::from_millis(if today > now.millis() { today } else { today + period })
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;

    use super::*;
    use crate::Mode;

    fn profile(now: Timestamp) -> ChatBusinessProfileId {
        ChatBusinessProfileId::mint(Mode::Live, now, &SystemRandom::new())
    }

    #[test]
    fn a_profile_is_checked_once_a_day_at_its_own_time() {
        let now = Timestamp::from_millis(1_795_255_200_000);
        let profile = profile(now);
        let first = next_check(&profile, now);
        assert!(first > now && first <= now.plus(CHECK_PERIOD));
        assert_eq!(next_check(&profile, first.minus(Duration::from_millis(1))), first);
        assert_eq!(next_check(&profile, first), first.plus(CHECK_PERIOD));
    }

    #[test]
    fn the_checks_are_spread_over_the_day() {
        let now = Timestamp::from_millis(1_795_255_200_000);
        let mut by_hour = [0; 24];
        for _ in 0..2400 {
            let wait = now.seconds_until(next_check(&profile(now), now));
            by_hour[usize::try_from(wait / 3600).expect("an hour").min(23)] += 1;
        }
        assert!(by_hour.iter().all(|count| (40..=200).contains(count)), "{by_hour:?}");
    }

    #[test]
    fn the_worst_problems_are_kept() {
        let now = Timestamp::from_millis(0);
        let warning = |n: usize| Finding::warning(Check::NumberQuality, format!("{n}"), "wait");
        let mut findings: Vec<Finding> = (0..20).map(warning).collect();
        findings.push(Finding::ok(Check::Token, "fine"));
        findings.push(Finding::failed(Check::NumberName, "rejected", "another name"));
        let health = ProfileHealth::of(findings, now);
        assert!(health.status == CheckStatus::Failed && health.problems.len() == PROBLEMS_KEPT);
        assert!(health.problems[0].check == Check::NumberName && health.problems[1].message == "0");
        let fine = ProfileHealth::of(vec![Finding::ok(Check::Token, "fine")], now);
        assert!(fine.status == CheckStatus::Ok && fine.problems.is_empty());
    }

    #[test]
    fn findings_of_a_later_release_are_kept() {
        let later = serde_json::json!({"check": "later", "status": "LATER", "message": "m"});
        let finding: Finding = serde_json::from_value(later.clone()).expect("a finding");
        assert_eq!(finding.known_status(), CheckStatus::Warning);
        assert_eq!(serde_json::to_value(finding).expect("JSON"), later);
    }
}
