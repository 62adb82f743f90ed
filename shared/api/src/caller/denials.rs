//! Refusals for a missing right, which the audit log has: a few per hour and credential, so that a program that repeats
//! itself does not fill the log.

use domain::audit::{Outcome, Trail};
use domain::id::OrganizationId;
use domain::identity::holder::Credential;
use domain::{Failure, Mode};
use runtime::{Context, Metric};

use super::Admin;

/// Returns the result of a check of a credential's rights. A refusal is entered first; if that fails, it is only counted.
pub(super) async fn entered(
    context: &Context,
    credential: &Credential,
    trail: &Trail,
    checked: Result<(), Failure>,
) -> Result<(), Failure> {
    if checked.is_err() {
        enter(context, &credential.organization_id, credential.holder.mode(), trail).await;
    }
    checked
}

impl Admin {
    /// Returns the result of a check of the caller's rights that depends on the object. A refusal is entered first.
    pub async fn entered(&self, context: &Context, checked: Result<(), Failure>) -> Result<(), Failure> {
        if checked.is_err() {
            enter(context, &self.organization, self.mode, &self.trail).await;
        }
        checked
    }
}

async fn enter(context: &Context, organization: &OrganizationId, mode: Mode, trail: &Trail) {
    context.publish(Metric::DeniedRequests, 1);
    let (hour, actor) = (context.now().hour(), trail.actor.id.as_deref().unwrap_or_default());
    if context.full_denials.has_begun(actor, hour) {
        return;
    }
    let entry = context.entry(trail, mode).with_outcome(Some(Outcome::Denied));
    match context.store.of(organization).enter_denial(&entry, actor, hour).await {
        Ok(true) => {}
        Ok(false) => {
            context.full_denials.begin(actor, hour);
        }
        Err(failure) => tracing::warn!("a denied request was not entered: {}", failure.message()),
    }
}
