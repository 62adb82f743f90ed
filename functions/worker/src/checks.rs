//! The daily check of a live business profile: stores the findings with the profile, and counts them.

use domain::chat::{ChatBusinessProfile, Check, CheckKind, CheckStatus, Finding, ProfileHealth};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::{Failure, Open};
use futures_util::future::join;
use platform::{Checker, ToCheck};
use runtime::Metric;
use store::Change;

use crate::Worker;

impl Worker {
    /// Checks a profile. Does nothing if it is deleted or disconnected.
    pub(crate) async fn check_profile(
        &self,
        organization: &OrganizationId,
        id: &ChatBusinessProfileId,
    ) -> Result<(), Failure> {
        let context = &self.inbox.context;
        let org = &context.store.of(organization);
        let Some(profile) = org.chat_business_profile(id).await?.filter(is_connected) else { return Ok(()) };
        let numbers = org.whole_numbers_of_profile(id).await?;
        let checked = &ToCheck { profile, numbers };

        let checker = Checker::new(&self.outbound.platforms, &context.installation.webhook_addresses, context.now());
        let (mut findings, of_profile) = join(checker.installation(id.mode()), checker.profile(checked)).await;
        findings.extend(of_profile);
        self.report_findings(id, &findings);

        let health = &ProfileHealth::of(findings, context.now());
        let store = || async move {
            let mut change = Change::new(organization);
            let before = org.chat_business_profile(id).await?;
            // The findings do not apply to a connection that was made in the meantime.
            let is_same = |before: &ChatBusinessProfile| {
                is_connected(before) && before.onboarding_completed_at == checked.profile.onboarding_completed_at
            };
            if let Some(before) = before.filter(is_same) {
                let after = ChatBusinessProfile {
                    health: Some(health.clone()),
                    revision: before.revision + 1,
                    ..before.clone()
                };
                change.update_chat_business_profile(&before, &after)?;
            }
            Ok((change, ()))
        };
        context.store.settle(store).await
    }

    /// Logs and counts the problems by their kind. The log has no texts of the platform.
    fn report_findings(&self, profile: &ChatBusinessProfileId, findings: &[Finding]) {
        let problems = || findings.iter().filter(|finding| finding.known_status() != CheckStatus::Ok);
        for problem in problems() {
            let (check, status) = (name(&problem.check), name(&problem.status));
            tracing::warn!(%profile, check, status, "the daily check found a problem");
        }
        for (metric, kind, least) in [
            (Metric::AppProblems, CheckKind::App, CheckStatus::Warning),
            (Metric::TokenProblems, CheckKind::Token, CheckStatus::Warning),
            // Warnings about accounts and numbers are for their owner, who sees them in the profile.
            (Metric::AccountProblems, CheckKind::Account, CheckStatus::Failed),
            (Metric::NumberProblems, CheckKind::Number, CheckStatus::Failed),
            (Metric::UncheckedProfiles, CheckKind::Reachability, CheckStatus::Warning),
        ] {
            let is_counted = |problem: &&Finding| {
                problem.check.known().map(Check::kind) == Some(kind) && problem.known_status() >= least
            };
            let count = problems().filter(is_counted).count();
            if count > 0 {
                // Each profile counts once as unchecked, however many of its checks could not be made.
                let count = if kind == CheckKind::Reachability { 1 } else { count };
                self.inbox.context.publish(metric, count as u64);
            }
        }
    }
}

fn is_connected(profile: &ChatBusinessProfile) -> bool {
    profile.disconnected_at.is_none()
}

/// Returns the name of a value as the API shows it.
fn name<T: serde::Serialize>(value: &Open<T>) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
