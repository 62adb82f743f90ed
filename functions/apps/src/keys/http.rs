use api::answer::Message;
use api::caller::Sees as _;
use api::idempotency::Planned;
use api::{Admin, Answer, Claim, Deferred, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::{AppId, AppKeyId};
use domain::identity::key::AppKey;
use domain::schema::ObjectName;
use domain::{Failure, Timestamp, text};
use runtime::Context;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::apps::expect_app;

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
    /// The last four characters of the value.
    last_four: String,
    created_at: Timestamp,
}

impl From<AppKey> for AppKeyView {
    fn from(key: AppKey) -> Self {
        let AppKey { id, app_id, name, last_four, value_hash: _, created_at } = key;
        AppKeyView { id, app_id, name, last_four, created_at }
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
pub(crate) struct CreateAppKey {
    #[schema(value_type = Option<ObjectName>)]
    name: Option<String>,
}

impl Input for CreateAppKey {
    type Checked = Option<String>;

    fn check(self, _context: &Context) -> Result<Option<String>, Failure> {
        self.name.map(|name| text::name(&name, "name")).transpose()
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
    path: Deferred<Path<(AppId, AppKeyId)>>,
) -> Result<Answer<Message>, Rejection> {
    let read = claim.with(path, |reads, Path((app, id))| async move {
        let key = reads.app_key(&app, &id).await?;
        Ok((app, key.filter(|key| key.id == id)))
    });
    let (caller, (app, key)) = read.await?;
    super::delete(&context, &caller, &app, key).await?;
    Ok(Answer::message("App key deleted"))
}
