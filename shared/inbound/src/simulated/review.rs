//! The review of a template by the simulated platform.

use std::time::Duration;

use domain::chat::ChatBusinessProfile;
use domain::id::OrganizationId;
use domain::job::Job;
use domain::testing::simulated_review::{REVIEW_TAKES, SimulatedReview};
use domain::{Failure, Timestamp};
use serde_json::json;

use super::{SimulatedReport, TemplateRef};
use crate::notification::{Split, split};
use crate::route::{Route, Routed};

/// Returns the jobs with which the simulated platform reports the review of a template that was created or edited at `at`,
/// each with its delay. There are none for a template that stays pending.
pub fn simulated_review(
    organization: &OrganizationId,
    profile: &ChatBusinessProfile,
    template: &TemplateRef,
    at: Timestamp,
) -> Result<Vec<(Job, Duration)>, Failure> {
    let review = SimulatedReview::of(template.name.as_deref().unwrap_or_default());
    if review == SimulatedReview::Never {
        return Ok(Vec::new());
    }

    let report = SimulatedReport::template_status(template, review.status(), review.reason());
    let notification = json!({
        "object": "whatsapp_business_account",
        "entry": [{
            "id": profile.provider_waba_id,
            "time": at.plus(REVIEW_TAKES).seconds(),
            "changes": [{"field": report.field, "value": report.value}],
        }],
    });

    let Split { updates, .. } = split(notification.to_string().as_bytes()).map_err(Failure::internal)?;
    let job = |update| {
        let route = Route { organization_id: organization.clone(), profile_id: profile.id.clone(), number_id: None };
        let update = serde_json::to_string(&Routed { route, update }).map_err(Failure::internal)?;
        Ok((Job::updates(Some(organization.clone()), vec![update]), REVIEW_TAKES))
    };
    updates.into_iter().map(job).collect()
}
