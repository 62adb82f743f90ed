//! App keys. The value of a key is returned once, at creation.

pub(crate) mod http;

use api::Admin;
use api::caller::Sees as _;
use domain::Failure;
use domain::id::{AppId, AppKeyId};
use domain::identity::credential::{Bearer, Secret};
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::AppKey;
use domain::testing::playground::SimulatedChatNumber;
use runtime::Context;
use store::Change;

use crate::apps::expect_app;

fn create(
    context: &Context,
    caller: &Admin,
    app: &AppId,
    simulated_chat_number: Option<SimulatedChatNumber>,
    name: Option<String>,
) -> Result<(AppKey, Secret, Change), Failure> {
    caller.expect_visible(app.mode(), "appId", "app")?;
    let now = context.now();
    let bearer = Bearer::mint(CredentialKind::AppKey(app.mode()), &caller.organization, context.random());
    let key = AppKey {
        id: AppKeyId::mint(app.mode(), now, context.random()),
        app_id: app.clone(),
        name,
        last_four: bearer.secret.last_four().to_owned(),
        value_hash: bearer.secret.sha256(),
        created_at: now,
    };
    let mut change = Change::new(&caller.organization);
    change.create_app_key(&key, simulated_chat_number)?;
    Ok((key, bearer.secret, change))
}

async fn delete(context: &Context, caller: &Admin, app: &AppId, key: Option<AppKey>) -> Result<(), Failure> {
    caller.expect_visible(app.mode(), "appId", "app")?;
    let Some(key) = key else {
        expect_app(&context.store.of(&caller.organization), app).await?;
        return Err(Failure::not_found("keyId", "app key"));
    };
    let mut change = Change::new(&caller.organization);
    change.delete_app_key(&key);
    context.store.commit(&change).await.map(|_| ())
}
