//! Refusals for a missing right, which the audit log has: a few per hour and credential, so that a program that repeats
//! itself does not fill the log.

use domain::Failure;
use domain::audit::{Outcome, Trail};
use domain::identity::holder::Credential;
use runtime::{Context, Metric};

/// Returns the result of a check of a credential's rights. A refusal is entered first; if that fails, it is only counted.
pub(super) async fn entered(
    context: &Context,
    credential: &Credential,
    trail: &Trail,
    checked: Result<(), Failure>,
) -> Result<(), Failure> {
    if checked.is_err() {
        context.publish(Metric::DeniedRequests, 1);
        enter(context, credential, trail).await;
    }
    checked
}

async fn enter(context: &Context, credential: &Credential, trail: &Trail) {
    let (hour, actor) = (context.now().hour(), trail.actor.id.as_deref().unwrap_or_default());
    if context.full_denials.has_begun(actor, hour) {
        return;
    }
    let entry = context.entry(trail, credential.holder.mode()).with_outcome(Some(Outcome::Denied));
    match context.store.of(&credential.organization_id).enter_denial(&entry, actor, hour).await {
        Ok(true) => {}
        Ok(false) => {
            context.full_denials.begin(actor, hour);
        }
        Err(failure) => tracing::warn!("a denied request was not entered: {}", failure.message()),
    }
}
