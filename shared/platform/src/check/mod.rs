//! The platform check: whether messages can be sent and received with the installation's app, with accounts and with
//! numbers, and what to do if not (docs/platform-check.md).
//!
//! [`Checker`] makes the calls of `inspection`, several at once, within a budget of time. Rules turn each response into
//! findings: `app.rs`, `versions.rs`, `account.rs`, `token.rs` and `number.rs`; `unanswered.rs` does so for a call that failed. The app
//! is the same for all organizations, so its findings are kept for a minute (`recent.rs`).

mod account;
mod app;
mod number;
mod recent;
mod token;
mod unanswered;
mod versions;

use std::time::Duration;

use domain::chat::profile::PROFILES_PER_ORGANIZATION;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, Check, CheckStatus, Finding};
use domain::events::webhook::AddressPolicy;
use domain::{Failure, Mode, Timestamp};
use futures_util::{StreamExt as _, join, stream};
use tokio::time::{Instant, timeout_at};

use self::unanswered::{internal, unanswered};
use crate::error::PlatformResult;
use crate::inspection::{NumberState, SimulatedState};
use crate::platforms::{Line, Platforms, expect_account};
use crate::simulator::Simulator;

pub(crate) use recent::AppCheck;

/// The longest duration of a check: less than the 28 s after which a function gives up on a request.
pub const CHECK_BUDGET: Duration = Duration::from_secs(25);
/// How many profiles one check covers: the limits of both modes, and the playground profile.
pub const CHECKED_PROFILES: usize = 2 * PROFILES_PER_ORGANIZATION as usize + 1;
/// How many profiles are checked at the same time, each with up to three calls at once.
const SIDE_BY_SIDE: usize = 8;

/// A profile to check, with its numbers.
#[derive(Clone, Debug)]
pub struct ToCheck {
    pub profile: ChatBusinessProfile,
    pub numbers: Vec<ChatPhoneNumber>,
}

/// Makes checks within a budget of time.
#[derive(Clone, Copy)]
pub struct Checker<'a> {
    platforms: &'a Platforms,
    /// The hosts of this installation, one of which must be in the callback URL.
    own: &'a AddressPolicy,
    now: Timestamp,
    deadline: Instant,
}

impl<'a> Checker<'a> {
    /// Returns a checker with the whole budget.
    pub fn new(platforms: &'a Platforms, own: &'a AddressPolicy, now: Timestamp) -> Self {
        Checker { platforms, own, now, deadline: Instant::now() + CHECK_BUDGET }
    }

    /// Checks the installation's app and the versions that it uses. In test mode, the findings say that none is needed.
    pub async fn installation(&self, mode: Mode) -> Vec<Finding> {
        if mode.is_test() {
            return app::simulated().into_iter().chain(versions::simulated()).collect();
        }
        let mut findings = self.app().await;
        findings.extend(versions::findings(&self.platforms.graph.settings.version, self.now));
        findings
    }

    async fn app(&self) -> Vec<Finding> {
        let check = async { app::findings(self.platforms.graph.app_subscription().await, self.own) };
        match timeout_at(self.deadline, self.platforms.app_check.findings(self.now, check)).await {
            Ok(findings) => findings,
            Err(_) => vec![unanswered::out_of_time("The installation's app")],
        }
    }

    /// Checks several profiles concurrently, and returns the findings in their order.
    pub async fn profiles(&self, profiles: Vec<ToCheck>) -> Vec<Finding> {
        let check = |(index, profile): (usize, ToCheck)| async move { (index, self.profile(&profile).await) };
        let checks = stream::iter(profiles.into_iter().enumerate()).map(check);
        let mut all: Vec<(usize, Vec<Finding>)> = checks.buffer_unordered(SIDE_BY_SIDE).collect().await;
        all.sort_by_key(|(index, _)| *index);
        all.into_iter().flat_map(|(_, findings)| findings).collect()
    }

    /// Checks a profile and its numbers. If the time is not enough, a warning is among the findings.
    pub async fn profile(&self, checked: &ToCheck) -> Vec<Finding> {
        let id = &checked.profile.id;
        let late = || vec![unanswered::out_of_time("The profile").about(id)];
        if Instant::now() >= self.deadline {
            return late();
        }
        timeout_at(self.deadline, self.in_time(checked)).await.unwrap_or_else(|_| late())
    }

    async fn in_time(&self, ToCheck { profile, numbers }: &ToCheck) -> Vec<Finding> {
        let about_profile =
            |findings: Vec<Finding>| findings.into_iter().map(|finding| finding.about(&profile.id)).collect::<Vec<_>>();
        if let Some(at) = profile.disconnected_at {
            return about_profile(vec![account::disconnected(at)]);
        }

        let mut findings = vec![account::connected()];
        let line = match self.platforms.line_for_check(profile, numbers, self.now).await {
            Ok(Some(line)) => line,
            Ok(None) => return about_profile(vec![account::connected(), token::missing()]),
            Err(failure) => return about_profile(vec![account::connected(), internal("The access token", &failure)]),
        };

        let account = profile.provider_waba_id.as_str();
        let token = token::findings(line.platform.token_state(&line.token).await, account, self.now);
        // Without a valid token every other call fails for the same reason.
        let is_valid = token.iter().any(|finding| finding.check == Check::Token && finding.status == CheckStatus::Ok);
        findings.extend(token);
        if !is_valid {
            return about_profile(findings);
        }

        let (state, subscription, states) = join!(
            line.platform.account_state(&line.token, account),
            line.platform.account_subscription(&line.token, account),
            number_states(&line, account, numbers),
        );
        findings.push(account::subscription(subscription, self.own));
        findings.extend(account::state(state));
        let mut findings = about_profile(findings);
        match states {
            Ok(states) => findings.extend(number::findings(numbers, &states)),
            Err(error) => {
                findings.push(unanswered(Check::NumberRegistration, "The account's numbers", error).about(&profile.id));
            }
        }
        findings
    }
}

impl Platforms {
    /// Returns access on behalf of a profile to check it; `None` if there is no token. The state of the simulated
    /// platform is that of the profile and its numbers in the table.
    async fn line_for_check(
        &self,
        profile: &ChatBusinessProfile,
        numbers: &[ChatPhoneNumber],
        now: Timestamp,
    ) -> Result<Option<Line>, Failure> {
        if profile.mode.is_test() {
            expect_account(profile)?;
            let simulator = Simulator::new(profile.simulated_syncs).knowing(SimulatedState::new(profile, numbers, now));
            return Ok(Some(Line::simulated(simulator)));
        }

        let secret = self.vault.profile(&profile.id).await?;
        Ok(secret.map(|secret| self.live_line(secret)))
    }
}

/// Returns the state of the account's numbers; without a call if none of them is connected.
async fn number_states(line: &Line, account: &str, numbers: &[ChatPhoneNumber]) -> PlatformResult<Vec<NumberState>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    line.platform.number_states(&line.token, account).await
}
