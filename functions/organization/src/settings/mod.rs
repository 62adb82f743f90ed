//! Organization settings. Every admin key can read them; only live admin keys can change them.

pub(crate) mod http;

use api::Admin;
use domain::identity::organization::Organization;
use domain::{Failure, Mode};
use runtime::Context;
use store::{Change, SettingsUpdate};

fn existing(organization: Option<Organization>) -> Result<Organization, Failure> {
    organization.ok_or_else(|| Failure::internal("the organization of the credential does not exist"))
}

async fn update(
    context: &Context,
    caller: &Admin,
    seen: Result<Option<Organization>, Failure>,
    sent: &SettingsUpdate,
) -> Result<Organization, Failure> {
    caller.require_live()?;
    let org = &context.store.of(&caller.organization);
    let decide = |seen: Result<Option<Organization>, Failure>| async move {
        let before = existing(seen?)?;
        let after = sent.applied_to(&before, context.now());
        let mut change = Change::new(&caller.organization);
        change.update_settings(&before, &after)?;
        change.enter(&context.entry(&caller.trail, Mode::Live).changed(&before, &after))?;
        Ok((change, after))
    };
    context.store.settle_from(seen, || org.organization(), decide).await
}
