use api::answer::Message;
use api::idempotency::Planned;
use api::keys::{self, KeyStateView, RotateKey, SetRateLimit, UpdateKey};
use api::{Admin, Answer, Claim, Deferred, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::AdminKeyId;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::AdminKey;
use domain::identity::scope::Scope;
use domain::schema::{IpNetwork, ObjectName};
use domain::{Failure, Timestamp, text};
use runtime::Context;
use serde::{Deserialize, Serialize};
use store::KeyUses;
use tokio::try_join;
use utoipa::ToSchema;

use super::NewAdminKey;

const LIST: &str = "admin-keys";

/// An admin key without its value.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdminKey)]
pub(crate) struct AdminKeyView {
    id: AdminKeyId,
    /// The key's name.
    name: String,
    #[serde(flatten)]
    state: KeyStateView,
}

impl AdminKeyView {
    /// Returns the view of a key in a list, with its last use.
    fn listed(key: AdminKey, uses: &KeyUses) -> Self {
        let used = uses.of(key.id.ksuid());
        let view = AdminKeyView::from(key);
        AdminKeyView { state: view.state.used(used), ..view }
    }
}

impl From<AdminKey> for AdminKeyView {
    fn from(key: AdminKey) -> Self {
        let AdminKey { id, name, state } = key;
        AdminKeyView { id, name, state: state.into() }
    }
}

/// An admin key with its value, which is returned only once.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedAdminKey)]
pub(crate) struct CreatedAdminKeyView {
    #[serde(flatten)]
    admin_key: AdminKeyView,
    /// The value of the key.
    key: String,
}

/// The admin key to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateAdminKey {
    #[schema(value_type = ObjectName)]
    name: String,
    /// Creates a test key, which sees and creates test objects only. With a live admin key the default is `false`; a test
    /// admin key creates test keys only.
    test: Option<bool>,
    /// When the key stops working. Must be in the future. By default, the key does not expire.
    #[schema(value_type = Option<Timestamp>)]
    expires_at: Option<String>,
    /// What the key may do, without duplicates. By default, everything; required if your own key has scopes. You can only give
    /// scopes that your own key has. `write` includes `read`, except for `messages`.
    #[schema(value_type = Option<Vec<Scope>>, min_items = 1)]
    scopes: Option<Vec<String>>,
    /// The networks that the key may be used from. By default, all. If your own key has networks, they must be within those.
    #[schema(value_type = Option<Vec<IpNetwork>>, min_items = 1, max_items = 20)]
    allowed_ips: Option<Vec<String>>,
    /// How many requests may be made with the key. By default, any number.
    rate_limit: Option<SetRateLimit>,
}

impl Input for CreateAdminKey {
    const REQUIRED: &'static [&'static str] = &["name"];
    type Checked = NewAdminKey;

    fn check(self, _context: &Context) -> Result<NewAdminKey, Failure> {
        Ok(NewAdminKey {
            name: text::name(&self.name, "name")?,
            test: self.test,
            limits: keys::limits(
                self.expires_at.as_deref(),
                self.scopes.as_deref(),
                self.allowed_ips.as_deref(),
                self.rate_limit,
                CredentialKind::AdminKey,
            )?,
        })
    }
}

/// List admin keys
///
/// Returns the organization's admin keys without their values, newest first. A test admin key sees test keys only.
#[utoipa::path(get, path = "/v1/organization/admin-keys",
    operation_id = "organization.adminKeys.list", tag = "Apps and keys",
    security(("adminKey" = []), ("session" = [])), params(ListQuery),
    responses((status = 200, description = "A page of admin keys", body = List<AdminKeyView>)))]
pub(crate) async fn list_admin_keys(
    State(context): State<Context>,
    caller: OrgMember,
    query: ListQuery,
) -> Result<Answer<List<AdminKeyView>>, Rejection> {
    let request = query.page(&caller.organization, LIST)?;
    let org = context.store.of(&caller.organization);
    let (page, uses) = try_join!(org.admin_keys(caller.mode.visible(), &request), org.key_uses(None))?;
    let views = page.map(|key| AdminKeyView::listed(key, &uses));
    Ok(Answer::ok(List::new(views, &caller.organization, LIST, |key| key.id.ksuid())?))
}

/// Create an admin key
///
/// Creates an admin key. `key` in the response is its value, which is returned only once. An organization can have up
/// to 50 admin keys.
#[utoipa::path(post, path = "/v1/organization/admin-keys",
    operation_id = "organization.adminKeys.create", tag = "Apps and keys", security(("adminKey" = [])),
    request_body = CreateAdminKey, responses((status = 201, description = "The key", body = CreatedAdminKeyView),
        (status = 403, description = "A test admin key sent `test: false`")))]
pub(crate) async fn create_admin_key(
    State(context): State<Context>,
    caller: Admin,
    once: Once,
    body: Json<CreateAdminKey>,
) -> Result<Response, Rejection> {
    let planned = super::create(&context, &caller, &body.input).map(|(key, value, change)| {
        let view = CreatedAdminKeyView { admin_key: key.into(), key: value.expose().to_owned() };
        Planned { change, answer: Answer::created(view) }
    });
    once.attempt(&context, body.fingerprint).finish(planned).await
}

/// Update an admin key
///
/// Changes the name, the end or the networks of a key, from the next request on. Its scopes cannot be changed.
#[utoipa::path(patch, path = "/v1/organization/admin-keys/{id}",
    operation_id = "organization.adminKeys.update", tag = "Apps and keys", security(("adminKey" = [])),
    params(("id" = AdminKeyId, Path)), request_body = UpdateKey,
    responses((status = 200, description = "The key", body = AdminKeyView),
        (status = 409, description = "The key has ended")))]
pub(crate) async fn update_admin_key(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(AdminKeyId,)>, Json<UpdateKey>)>,
) -> Result<Answer<AdminKeyView>, Rejection> {
    let read = claim.with(input, |reads, (Path((id,)), body)| async move { Ok((reads.admin_key(&id).await?, body)) });
    let (caller, (key, body)) = read.await?;
    Ok(Answer::ok(super::update(&context, &caller, key, &body.input).await?.into()))
}

/// Rotate an admin key
///
/// Gives the key another value. `key` in the response is the new one, which is returned only once. The value of before works until
/// the end of the grace period; one before that ends at once. Id, name, scopes and networks stay, and so do the records of
/// `Idempotency-Key`. A key can rotate itself.
#[utoipa::path(post, path = "/v1/organization/admin-keys/{id}/rotate",
    operation_id = "organization.adminKeys.rotate", tag = "Apps and keys", security(("adminKey" = [])),
    params(("id" = AdminKeyId, Path)), request_body = RotateKey,
    responses((status = 200, description = "The key with its new value", body = CreatedAdminKeyView),
        (status = 409, description = "The key has ended")))]
pub(crate) async fn rotate_admin_key(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(AdminKeyId,)>, Once, Json<RotateKey>)>,
) -> Result<Response, Rejection> {
    let read = claim
        .with(input, |reads, (Path((id,)), once, body)| async move { Ok((reads.admin_key(&id).await?, once, body)) });
    let (caller, (key, once, body)) = read.await?;
    let planned = super::rotate(&context, &caller, key, body.input).map(|(key, value, change)| {
        let view = CreatedAdminKeyView { admin_key: key.into(), key: value.expose().to_owned() };
        Planned { change, answer: Answer::ok(view) }
    });
    once.attempt(&context, body.fingerprint).finish(planned).await
}

/// Delete an admin key
///
/// Deletes the key. It stops working immediately. A key can delete itself.
#[utoipa::path(delete, path = "/v1/organization/admin-keys/{id}",
    operation_id = "organization.adminKeys.delete", tag = "Apps and keys", security(("adminKey" = [])),
    params(("id" = AdminKeyId, Path)), responses((status = 200, description = "The key was deleted", body = Message)))]
pub(crate) async fn delete_admin_key(
    State(context): State<Context>,
    claim: Claim<Admin>,
    path: Deferred<Path<(AdminKeyId,)>>,
) -> Result<Answer<Message>, Rejection> {
    let (caller, key) = claim.with(path, |reads, Path((id,))| async move { reads.admin_key(&id).await }).await?;
    super::delete(&context, &caller, key).await?;
    Ok(Answer::message("Admin key deleted"))
}
