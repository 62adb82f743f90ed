//! Admin keys. The value of a key is returned once, at creation. A deleted key stops working with the next request.

pub(crate) mod http;

use api::Admin;
use api::caller::Sees as _;
use domain::id::AdminKeyId;
use domain::identity::credential::{Bearer, Secret};
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::AdminKey;
use domain::{Failure, Timestamp};
use runtime::Context;
use store::{Change, Committed};

/// The validated body of the create operation.
pub(crate) struct NewAdminKey {
    name: String,
    test: Option<bool>,
    expires_at: Option<Timestamp>,
}

fn create(context: &Context, caller: &Admin, new: &NewAdminKey) -> Result<(AdminKey, Secret, Change), Failure> {
    let mode = caller.mode_of_new(new.test)?;
    let now = context.now();
    // Not checked with the body, because a repetition with the same `Idempotency-Key` can arrive after this time.
    if new.expires_at.is_some_and(|at| at <= now) {
        return Err(Failure::invalid("expiresAt", "expiresAt must be in the future."));
    }

    let bearer = Bearer::mint(CredentialKind::AdminKey, &caller.organization, context.random());
    let key = AdminKey {
        id: AdminKeyId::mint(mode, now, context.random()),
        name: new.name.clone(),
        last_four: bearer.secret.last_four().to_owned(),
        value_hash: bearer.secret.sha256(),
        expires_at: new.expires_at,
        created_at: now,
    };

    let mut change = Change::new(&caller.organization);
    change.create_admin_key(&key)?;
    Ok((key, bearer.secret, change))
}

/// Deletes a key, which may be the caller's.
async fn delete(context: &Context, caller: &Admin, key: Option<AdminKey>) -> Result<(), Failure> {
    let key = key.ok_or_else(|| Failure::not_found("id", "admin key"))?;
    caller.expect_visible(key.id.mode(), "id", "admin key")?;
    let mut change = Change::new(&caller.organization);
    change.delete_admin_key(&key);
    let _: Committed = context.store.commit(&change).await?;
    Ok(())
}
