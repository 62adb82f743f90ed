//! Organization settings. Every admin key can read them; only live admin keys can change them.

pub(crate) mod http;

use api::Admin;
use domain::Failure;
use domain::identity::organization::Organization;
use runtime::Context;
use store::SettingsUpdate;

fn existing(organization: Option<Organization>) -> Result<Organization, Failure> {
    organization.ok_or_else(|| Failure::internal("the organization of the credential does not exist"))
}

async fn update(context: &Context, caller: &Admin, update: SettingsUpdate) -> Result<Organization, Failure> {
    caller.require_live()?;
    context.store.of(&caller.organization).update_settings(&update, context.now()).await
}
