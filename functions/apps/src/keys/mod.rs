//! App keys. The value of a key is returned once, at creation.

pub(crate) mod http;

use std::time::Duration;

use api::Admin;
use api::caller::Sees as _;
use api::idempotency::changed_meanwhile;
use api::keys::KeyFields;
use domain::id::{AppId, AppKeyId};
use domain::identity::app::SharedByKeys;
use domain::identity::credential::{Bearer, Secret};
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::{AppKey, KeyLimits};
use domain::{Failure, Mode};
use runtime::Context;
use store::{Change, Committed};

use crate::apps::expect_app;

/// App keys of both modes can have the same scopes.
const ANY_APP_KEY: CredentialKind = CredentialKind::AppKey(Mode::Live);

/// The validated body of the create operation.
pub(crate) struct NewAppKey {
    name: Option<String>,
    limits: KeyLimits,
}

fn create(
    context: &Context,
    caller: &Admin,
    app: &AppId,
    shared: &SharedByKeys,
    new: &NewAppKey,
) -> Result<(AppKey, Secret, Change), Failure> {
    caller.expect_visible(app.mode(), "appId", "app")?;
    let now = context.now();
    let kind = CredentialKind::AppKey(app.mode());
    let bearer = Bearer::mint(kind, &caller.organization, context.random());
    let key = AppKey {
        id: AppKeyId::mint(app.mode(), now, context.random()),
        app_id: app.clone(),
        name: new.name.clone(),
        state: caller.new_key(&bearer.secret, new.limits.clone(), kind, now)?,
    };
    let mut change = Change::new(&caller.organization);
    change.create_app_key(&key, shared)?;
    caller.require_maker(&mut change);
    change.enter(&context.entry(&caller.trail, app.mode()).created(&key))?;
    Ok((key, bearer.secret, change))
}

/// Changes a key.
async fn update(
    context: &Context,
    caller: &Admin,
    app: &AppId,
    key: Option<AppKey>,
    fields: &KeyFields,
) -> Result<AppKey, Failure> {
    let before = found(context, caller, app, key).await?;
    let now = context.now();
    let state = caller.changed_key(&before.state, fields, CredentialKind::AppKey(app.mode()), now)?;
    let after = AppKey { name: fields.name.clone().or_else(|| before.name.clone()), state, ..before.clone() };
    let mut change = Change::new(&caller.organization);
    change.update_app_key(&before, &after, now)?;
    change.enter(&context.entry(&caller.trail, app.mode()).changed(&before, &after))?;
    match context.store.commit(&change).await? {
        Committed::Stale => Err(changed_meanwhile()),
        _ => Ok(after),
    }
}

/// Gives a key another value.
async fn rotate(
    context: &Context,
    caller: &Admin,
    app: &AppId,
    key: Option<AppKey>,
    shared: &SharedByKeys,
    grace: Duration,
) -> Result<(AppKey, Secret, Change), Failure> {
    let before = found(context, caller, app, key).await?;
    let kind = CredentialKind::AppKey(app.mode());
    let bearer = Bearer::mint(kind, &caller.organization, context.random());
    let state = caller.rotated_key(&before.state, &bearer.secret, grace, kind, context.now())?;
    let after = AppKey { state, ..before.clone() };
    let mut change = Change::new(&caller.organization);
    change.rotate_app_key(&before, &after, shared)?;
    change.enter(&context.entry(&caller.trail, app.mode()).changed(&before, &after))?;
    Ok((after, bearer.secret, change))
}

/// Returns a key of an app that the caller may see.
async fn found(context: &Context, caller: &Admin, app: &AppId, key: Option<AppKey>) -> Result<AppKey, Failure> {
    caller.expect_visible(app.mode(), "appId", "app")?;
    if let Some(key) = key {
        return Ok(key);
    }
    expect_app(&context.store.of(&caller.organization), app).await?;
    Err(Failure::not_found("keyId", "app key"))
}

/// Deletes a key. If it is given another value meanwhile, it is read again.
async fn delete(context: &Context, caller: &Admin, app: &AppId, key: Option<AppKey>) -> Result<(), Failure> {
    let key = found(context, caller, app, key).await?;
    let (org, id) = (&context.store.of(&caller.organization), &key.id.clone());

    let decide = |seen: Result<Option<AppKey>, Failure>| async move {
        let key = found(context, caller, app, seen?).await?;
        let mut change = Change::new(&caller.organization);
        change.delete_app_key(&key)?;
        change.enter(&context.entry(&caller.trail, app.mode()).deleted(&key))?;
        Ok((change, ()))
    };
    context.store.settle_from(Ok(Some(key)), || org.app_key(app, id), decide).await
}
