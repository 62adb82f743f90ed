use api::answer::Message;
use api::caller::Sees as _;
use api::idempotency::Planned;
use api::keys::{self, KeyStateView, RotateKey, UpdateKey};
use api::{Admin, Answer, Claim, Deferred, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::{AppId, AppKeyId};
use domain::identity::key::AppKey;
use domain::identity::scope::Scope;
use domain::schema::{IpNetwork, ObjectName};
use domain::{Failure, Timestamp, text};
use runtime::Context;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::NewAppKey;
use crate::apps::expect_app;

/// The ids of an app and of one of its keys.
type KeyPath = (AppId, AppKeyId);

/// An app key without its value.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AppKey)]
pub(crate) struct AppKeyView {
    id: AppKeyId,
    app_id: AppId,
    /// The key's name; absent if it was created without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(flatten)]
    state: KeyStateView,
}

impl From<AppKey> for AppKeyView {
    fn from(key: AppKey) -> Self {
        let AppKey { id, app_id, name, state } = key;
        AppKeyView { id, app_id, name, state: state.into() }
    }
}

/// An app key with its value, which is returned only once.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedAppKey)]
pub(crate) struct CreatedAppKeyView {
    #[serde(flatten)]
    app_key: AppKeyView,
    /// The value of the key.
    key: String,
}

/// The app key to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateAppKey {
    #[schema(value_type = Option<ObjectName>)]
    name: Option<String>,
    /// When the key stops working. Must be in the future. By default, the key does not expire.
    #[schema(value_type = Option<Timestamp>)]
    expires_at: Option<String>,
    /// What the key may do, without duplicates. By default, everything that app keys can; required if your own key has scopes.
    /// You can only give scopes that your own key has. `write` includes `read`, except for `messages`.
    #[schema(value_type = Option<Vec<Scope>>, min_items = 1)]
    scopes: Option<Vec<String>>,
    /// The networks that the key may be used from. By default, all. If your own key has networks, they must be within those.
    #[schema(value_type = Option<Vec<IpNetwork>>, min_items = 1, max_items = 20)]
    allowed_ips: Option<Vec<String>>,
}

impl Input for CreateAppKey {
    type Checked = NewAppKey;

    fn check(self, _context: &Context) -> Result<NewAppKey, Failure> {
        Ok(NewAppKey {
            name: self.name.map(|name| text::name(&name, "name")).transpose()?,
            limits: keys::limits(
                self.expires_at.as_deref(),
                self.scopes.as_deref(),
                self.allowed_ips.as_deref(),
                super::ANY_APP_KEY,
            )?,
        })
    }
}

/// List app keys
///
/// Returns the app's keys without their values, newest first.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/keys",
    operation_id = "organization.apps.keys.list", tag = "Apps and keys",
    security(("adminKey" = []), ("session" = [])), params(("appId" = AppId, Path), ListQuery),
    responses((status = 200, description = "A page of app keys", body = List<AppKeyView>)))]
pub(crate) async fn list_app_keys(
    State(context): State<Context>,
    caller: OrgMember,
    Path((app,)): Path<(AppId,)>,
    query: ListQuery,
) -> Result<Answer<List<AppKeyView>>, Rejection> {
    let list = format!("keys/{app}");
    let request = query.page(&caller.organization, &list)?;
    caller.expect_visible(app.mode(), "appId", "app")?;
    let org = context.store.of(&caller.organization);
    let page = org.app_keys(&app, &request).await?;
    if page.items.is_empty() {
        expect_app(&org, &app).await?;
    }
    let views = page.map(AppKeyView::from);
    Ok(Answer::ok(List::new(views, &caller.organization, &list, |key| key.id.ksuid())?))
}

/// Create an app key
///
/// Creates a key of the app. `key` in the response is its value, which is returned only once. Values begin with
/// `sk_test_app_` for test apps and with `sk_live_app_` for live apps. An app can have up to 20 keys.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/keys",
    operation_id = "organization.apps.keys.create", tag = "Apps and keys", security(("adminKey" = [])),
    params(("appId" = AppId, Path)), request_body = CreateAppKey,
    responses((status = 201, description = "The key", body = CreatedAppKeyView)))]
pub(crate) async fn create_app_key(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(AppId,)>, Once, Json<CreateAppKey>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((app,)), once, body)| async move {
        // Keys of test apps carry the app's simulated number. The transaction checks that the app exists.
        let stored = if app.mode().is_test() { reads.app(&app).await? } else { None };
        Ok((app, stored.and_then(|app| app.simulated_chat_number), once, body))
    });
    let (caller, (app, simulated, once, body)) = read.await?;
    let planned = super::create(&context, &caller, &app, simulated, body.input).map(|(key, value, change)| {
        let view = CreatedAppKeyView { app_key: key.into(), key: value.expose().to_owned() };
        Planned { change, answer: Answer::created(view) }
    });
    once.attempt(&context, body.fingerprint).finish(planned).await
}

/// Update an app key
///
/// Changes the name, the end or the networks of a key, from the next request on. Its scopes cannot be changed.
#[utoipa::path(patch, path = "/v1/organization/apps/{appId}/keys/{keyId}",
    operation_id = "organization.apps.keys.update", tag = "Apps and keys",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("keyId" = AppKeyId, Path)), request_body = UpdateKey,
    responses((status = 200, description = "The key", body = AppKeyView),
        (status = 409, description = "The key has ended")))]
pub(crate) async fn update_app_key(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<KeyPath>, Json<UpdateKey>)>,
) -> Result<Answer<AppKeyView>, Rejection> {
    let read = claim.with(input, |reads, (Path((app, id)), body)| async move {
        Ok((reads.app_key(&app, &id).await?.filter(|key| key.id == id), app, body))
    });
    let (caller, (key, app, body)) = read.await?;
    Ok(Answer::ok(super::update(&context, &caller, &app, key, &body.input).await?.into()))
}

/// Rotate an app key
///
/// Gives the key another value. `key` in the response is the new one, which is returned only once. The value of before works until
/// the end of the grace period; one before that ends at once. Id, name, scopes and networks stay, and so do the records of
/// `Idempotency-Key`.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/keys/{keyId}/rotate",
    operation_id = "organization.apps.keys.rotate", tag = "Apps and keys",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("keyId" = AppKeyId, Path)), request_body = RotateKey,
    responses((status = 200, description = "The key with its new value", body = CreatedAppKeyView),
        (status = 409, description = "The key has ended")))]
pub(crate) async fn rotate_app_key(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<KeyPath>, Once, Json<RotateKey>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((app, id)), once, body)| async move {
        let key = reads.app_key(&app, &id).await?.filter(|key| key.id == id);
        // Credentials of test apps carry the app's simulated number.
        let stored = if app.mode().is_test() { reads.app(&app).await? } else { None };
        Ok((app, key, stored.and_then(|app| app.simulated_chat_number), once, body))
    });
    let (caller, (app, key, simulated, once, body)) = read.await?;
    let rotated = super::rotate(&context, &caller, &app, key, simulated, body.input).await;
    let planned = rotated.map(|(key, value, change)| {
        let view = CreatedAppKeyView { app_key: key.into(), key: value.expose().to_owned() };
        Planned { change, answer: Answer::ok(view) }
    });
    once.attempt(&context, body.fingerprint).finish(planned).await
}

/// Delete an app key
///
/// Deletes the key. It stops working immediately.
#[utoipa::path(delete, path = "/v1/organization/apps/{appId}/keys/{keyId}",
    operation_id = "organization.apps.keys.delete", tag = "Apps and keys",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("keyId" = AppKeyId, Path)),
    responses((status = 200, description = "The key was deleted", body = Message)))]
pub(crate) async fn delete_app_key(
    State(context): State<Context>,
    claim: Claim<Admin>,
    path: Deferred<Path<KeyPath>>,
) -> Result<Answer<Message>, Rejection> {
    let read = claim.with(path, |reads, Path((app, id))| async move {
        let key = reads.app_key(&app, &id).await?;
        Ok((app, key.filter(|key| key.id == id)))
    });
    let (caller, (app, key)) = read.await?;
    super::delete(&context, &caller, &app, key).await?;
    Ok(Answer::message("App key deleted"))
}
