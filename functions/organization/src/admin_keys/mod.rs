//! Admin keys. The value of a key is returned once, at creation. A deleted key stops working with the next request.

pub(crate) mod http;

use std::time::Duration;

use api::Admin;
use api::caller::Sees as _;
use api::idempotency::changed_meanwhile;
use api::keys::KeyFields;
use domain::Failure;
use domain::id::AdminKeyId;
use domain::identity::credential::{Bearer, Secret};
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::{AdminKey, KeyLimits};
use runtime::Context;
use store::{Change, Committed};

/// The validated body of the create operation.
pub(crate) struct NewAdminKey {
    name: String,
    test: Option<bool>,
    limits: KeyLimits,
}

fn create(context: &Context, caller: &Admin, new: &NewAdminKey) -> Result<(AdminKey, Secret, Change), Failure> {
    let mode = caller.mode_of_new(new.test)?;
    let now = context.now();
    let kind = CredentialKind::AdminKey;
    let bearer = Bearer::mint(kind, &caller.organization, context.random());
    let key = AdminKey {
        id: AdminKeyId::mint(mode, now, context.random()),
        name: new.name.clone(),
        state: caller.new_key(&bearer.secret, new.limits.clone(), kind, now)?,
    };

    let mut change = Change::new(&caller.organization);
    change.create_admin_key(&key)?;
    caller.require_maker(&mut change);
    change.enter(&context.entry(&caller.trail, mode).created(&key))?;
    Ok((key, bearer.secret, change))
}

/// Changes a key, which may be the caller's.
async fn update(
    context: &Context,
    caller: &Admin,
    key: Option<AdminKey>,
    fields: &KeyFields,
) -> Result<AdminKey, Failure> {
    let before = key.ok_or_else(|| Failure::not_found("id", "admin key"))?;
    caller.expect_visible(before.id.mode(), "id", "admin key")?;
    let now = context.now();
    let state = caller.changed_key(&before.state, fields, CredentialKind::AdminKey, now)?;
    let name = fields.name.clone().unwrap_or_else(|| before.name.clone());
    let after = AdminKey { name, state, ..before.clone() };
    let mut change = Change::new(&caller.organization);
    change.update_admin_key(&before, &after, now)?;
    change.enter(&context.entry(&caller.trail, after.id.mode()).changed(&before, &after))?;
    match context.store.commit(&change).await? {
        Committed::Stale => Err(changed_meanwhile()),
        _ => Ok(after),
    }
}

/// Gives a key another value; it may be the caller's.
fn rotate(
    context: &Context,
    caller: &Admin,
    key: Option<AdminKey>,
    grace: Duration,
) -> Result<(AdminKey, Secret, Change), Failure> {
    let before = key.ok_or_else(|| Failure::not_found("id", "admin key"))?;
    caller.expect_visible(before.id.mode(), "id", "admin key")?;
    let kind = CredentialKind::AdminKey;
    let bearer = Bearer::mint(kind, &caller.organization, context.random());
    let state = caller.rotated_key(&before.state, &bearer.secret, grace, kind, context.now())?;
    let after = AdminKey { state, ..before.clone() };
    let mut change = Change::new(&caller.organization);
    change.rotate_admin_key(&before, &after)?;
    change.enter(&context.entry(&caller.trail, after.id.mode()).changed(&before, &after))?;
    Ok((after, bearer.secret, change))
}

/// Deletes a key, which may be the caller's. If it is given another value meanwhile, it is read again.
async fn delete(context: &Context, caller: &Admin, key: Option<AdminKey>) -> Result<(), Failure> {
    let missing = || Failure::not_found("id", "admin key");
    let key = key.ok_or_else(missing)?;
    caller.expect_visible(key.id.mode(), "id", "admin key")?;
    let (org, id) = (&context.store.of(&caller.organization), &key.id.clone());

    let decide = |seen: Result<Option<AdminKey>, Failure>| async move {
        let key = seen?.ok_or_else(missing)?;
        let mut change = Change::new(&caller.organization);
        change.delete_admin_key(&key)?;
        change.enter(&context.entry(&caller.trail, key.id.mode()).deleted(&key))?;
        Ok((change, ()))
    };
    context.store.settle_from(Ok(Some(key)), || org.admin_key(id), decide).await
}
