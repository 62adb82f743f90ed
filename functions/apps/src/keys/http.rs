use std::future::ready;

use api::answer::Message;
use api::caller::Sees as _;
use api::idempotency::Planned;
use api::keys::{self, KeyStateView, RotateKey, SetRateLimit, UpdateKey};
use api::{Admin, Answer, Claim, Deferred, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::{AppId, AppKeyId};
use domain::identity::app::SharedByKeys;
use domain::identity::key::AppKey;
use domain::identity::scope::Scope;
use domain::schema::{IpNetwork, ObjectName};
use domain::{Failure, Mode, Timestamp, text};
use futures_util::future::try_join;
use runtime::Context;
use serde::{Deserialize, Serialize};
use store::{KeyUses, Reads};
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

impl AppKeyView {
    /// Returns the view of a key in a list, with its last use.
    fn listed(key: AppKey, uses: &KeyUses) -> Self {
        let used = uses.of(key.id.ksuid());
        let view = AppKeyView::from(key);
        AppKeyView { state: view.state.used(used), ..view }
    }
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
    /// How many requests may be made with the key. By default, as many as the app's limit allows.
    rate_limit: Option<SetRateLimit>,
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
                self.rate_limit,
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
    let (page, uses) = try_join(org.app_keys(&app, &request), org.key_uses(Some(&app))).await?;
    if page.items.is_empty() {
        expect_app(&org, &app).await?;
    }
    let views = page.map(|key| AppKeyView::listed(key, &uses));
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
        Ok((shared_at_first(&reads, &app).await?, app, once, body))
    });
    let (caller, (shared, app, once, body)) = read.await?;
    let org = context.store.of(&caller.organization);
    let decide = |shared: Result<SharedByKeys, Failure>| {
        let created = shared.and_then(|shared| super::create(&context, &caller, &app, &shared, &body.input));
        ready(created.map(|(key, value, change)| {
            let view = CreatedAppKeyView { app_key: key.into(), key: value.expose().to_owned() };
            Planned { change, answer: Answer::created(view) }
        }))
    };
    once.attempt(&context, body.fingerprint).run(Ok(shared), || shared_now(&org, &app), decide).await
}

/// Returns what the credentials of an app's keys repeat. Live apps are not read: few have a rate limit, and the transaction notices
/// one. It also checks that the app exists.
async fn shared_at_first(reads: &Reads, app: &AppId) -> Result<SharedByKeys, Failure> {
    match app.mode() {
        Mode::Test => shared_now(reads, app).await,
        Mode::Live => Ok(SharedByKeys::default()),
    }
}

async fn shared_now(reads: &Reads, app: &AppId) -> Result<SharedByKeys, Failure> {
    Ok(reads.app(app).await?.map(|app| app.shared_by_keys()).unwrap_or_default())
}

/// Update an app key
///
/// Changes the name, the end or the networks of a key, from the next request on. Its scopes cannot be changed: create another key with other
/// scopes, use it, and delete this one.
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
        let seen = try_join(reads.app_key(&app, &id), shared_at_first(&reads, &app)).await?;
        Ok((seen, app, id, once, body))
    });
    let (caller, (seen, app, id, once, body)) = read.await?;
    let (context, caller, app, grace) = (&context, &caller, &app, body.input);
    let org = context.store.of(&caller.organization);
    let decide = |seen: Result<(Option<AppKey>, SharedByKeys), Failure>| {
        let id = &id;
        async move {
            let (key, shared) = seen?;
            let key = key.filter(|key| key.id == *id);
            let (key, value, change) = super::rotate(context, caller, app, key, &shared, grace).await?;
            let view = CreatedAppKeyView { app_key: key.into(), key: value.expose().to_owned() };
            Ok(Planned { change, answer: Answer::ok(view) })
        }
    };
    let read = || try_join(org.app_key(app, &id), shared_now(&org, app));
    once.attempt(context, body.fingerprint).run(Ok(seen), read, decide).await
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
