use std::future::ready;

use api::answer::Message;
use api::idempotency::Planned;
use api::keys::{RATE_LIMIT, SetRateLimit, sent};
use api::{Admin, Answer, Claim, Deferred, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::AppId;
use domain::identity::app::App;
use domain::identity::rate::RateLimit;
use domain::schema::{ObjectName, Slug};
use domain::{Failure, Timestamp, text};
use runtime::Context;
use serde::{Deserialize, Serialize};
use store::AppUpdate;
use utoipa::ToSchema;

use super::NewApp;

const LIST: &str = "apps";

/// An application of an organization, live or test.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = App)]
pub(crate) struct AppView {
    id: AppId,
    /// The app's name.
    name: String,
    /// Unique in the organization.
    slug: String,
    /// Whether the app is a test app.
    is_test_app: bool,
    /// Whether the app's events can be read with `GET /v1/events`.
    event_feed: bool,
    /// How many requests may be made with all keys of the app together; absent without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<RateLimit>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<App> for AppView {
    fn from(app: App) -> Self {
        AppView {
            is_test_app: app.id.mode().is_test(),
            id: app.id,
            name: app.name,
            slug: app.slug,
            event_feed: app.event_feed,
            rate_limit: app.rate_limit,
            created_at: app.created_at,
            updated_at: app.updated_at,
        }
    }
}

/// The app to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateApp {
    #[schema(value_type = ObjectName)]
    name: String,
    /// Must be unique in the organization. Derived from the name if absent.
    #[schema(value_type = Option<Slug>)]
    slug: Option<String>,
    /// Creates a test app, which works with the playground, costs nothing and cannot send real messages. With a live admin
    /// key the default is `false`; a test admin key creates test apps only.
    test: Option<bool>,
    /// Whether the app's events can be read with `GET /v1/events`. The default is `true` for test apps and `false` for live
    /// ones.
    event_feed: Option<bool>,
    /// How many requests may be made with all keys of the app together. By default, any number.
    rate_limit: Option<SetRateLimit>,
}

impl Input for CreateApp {
    const REQUIRED: &'static [&'static str] = &["name"];
    type Checked = NewApp;

    fn check(self, _context: &Context) -> Result<NewApp, Failure> {
        Ok(NewApp {
            name: text::name(&self.name, "name")?,
            slug: self.slug.map(|slug| text::slug(&slug, "slug")).transpose()?,
            test: self.test,
            event_feed: self.event_feed,
            rate_limit: self.rate_limit.map(SetRateLimit::check).transpose()?,
        })
    }
}

/// The fields to change, at least one. Absent fields keep their values.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(min_properties = 1)]
pub(crate) struct UpdateApp {
    #[schema(value_type = Option<ObjectName>)]
    name: Option<String>,
    /// Must be unique in the organization.
    #[schema(value_type = Option<Slug>)]
    slug: Option<String>,
    /// Whether the app's events can be read with `GET /v1/events`. Positions from before it was turned on are no longer
    /// valid.
    event_feed: Option<bool>,
    /// How many requests may be made with all keys of the app together; `null` removes the limit.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<SetRateLimit>)]
    rate_limit: Option<Option<SetRateLimit>>,
}

impl Input for UpdateApp {
    const AT_LEAST_ONE: bool = true;
    const NULLABLE: &'static [&'static str] = &[RATE_LIMIT];
    type Checked = AppUpdate;

    fn check(self, _context: &Context) -> Result<AppUpdate, Failure> {
        Ok(AppUpdate {
            name: self.name.map(|name| text::name(&name, "name")).transpose()?,
            slug: self.slug.map(|slug| text::slug(&slug, "slug")).transpose()?,
            event_feed: self.event_feed,
            rate_limit: self.rate_limit.map(|limit| limit.map(SetRateLimit::check).transpose()).transpose()?,
        })
    }
}

/// List apps
///
/// Returns the organization's apps, newest first. A test admin key sees test apps only.
#[utoipa::path(get, path = "/v1/organization/apps", operation_id = "organization.apps.list", tag = "Apps and keys",
    security(("adminKey" = []), ("session" = [])),
    params(ListQuery), responses((status = 200, description = "A page of apps", body = List<AppView>)))]
pub(crate) async fn list_apps(
    State(context): State<Context>,
    caller: OrgMember,
    query: ListQuery,
) -> Result<Answer<List<AppView>>, Rejection> {
    let page = context
        .store
        .of(&caller.organization)
        .apps(caller.mode.visible(), &query.page(&caller.organization, LIST)?)
        .await?;
    let views = page.map(AppView::from);
    Ok(Answer::ok(List::new(views, &caller.organization, LIST, |app| app.id.ksuid())?))
}

/// Create an app
///
/// Creates an app. An organization can have up to 100 apps. A test app is created with two SMS system numbers and a
/// simulated chat number, which the playground operations use.
#[utoipa::path(post, path = "/v1/organization/apps", operation_id = "organization.apps.create", tag = "Apps and keys",
    security(("adminKey" = [])),
    request_body = CreateApp, responses((status = 201, description = "The app", body = AppView),
        (status = 403, description = "A test admin key sent `test: false`"),
        (status = 409, description = "Another app of the organization has this slug")))]
pub(crate) async fn create_app(
    State(context): State<Context>,
    caller: Admin,
    once: Once,
    body: Json<CreateApp>,
) -> Result<Response, Rejection> {
    let attempt = once.attempt(&context, body.fingerprint);
    let (context, caller, new) = (&context, &caller, &body.input);
    let decide = |is_repeated| async move {
        let (app, change) = super::create(context, caller, new, is_repeated).await?;
        Ok(Planned { change, answer: Answer::created(AppView::from(app)) })
    };
    attempt.run(false, || ready(true), decide).await
}

/// Get an app
///
/// Returns an app of the organization.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}",
    operation_id = "organization.apps.get", tag = "Apps and keys",
    security(("adminKey" = []), ("session" = [])), params(("appId" = AppId, Path)),
    responses((status = 200, description = "The app", body = AppView)))]
pub(crate) async fn get_app(
    claim: Claim<OrgMember>,
    path: Deferred<Path<(AppId,)>>,
) -> Result<Answer<AppView>, Rejection> {
    let (caller, app) = claim.with(path, |reads, Path((id,))| async move { reads.app(&id).await }).await?;
    Ok(Answer::ok(super::visible(app, &caller)?.into()))
}

/// Update an app
///
/// Changes the name, the slug or the rate limit, or turns the event feed on or off.
#[utoipa::path(patch, path = "/v1/organization/apps/{appId}",
    operation_id = "organization.apps.update", tag = "Apps and keys", security(("adminKey" = [])),
    params(("appId" = AppId, Path)), request_body = UpdateApp,
    responses((status = 200, description = "The app", body = AppView),
        (status = 409, description = "Another app of the organization has this slug")))]
pub(crate) async fn update_app(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(AppId,)>, Json<UpdateApp>)>,
) -> Result<Answer<AppView>, Rejection> {
    let read =
        claim.with(input, |reads, (Path((id,)), body)| async move { Ok((reads.app(&id).await, id, body.input)) });
    let (caller, (seen, id, sent)) = read.await?;
    Ok(Answer::ok(super::update(&context, &caller, &id, seen, &sent).await?.into()))
}

/// Delete an app
///
/// Deletes the app with its keys, webhooks and calling configuration and, if it is a test app, with its simulated chat
/// number. Its keys stop working with the next request. Its other phone numbers are unassigned from it and stay in the
/// organization.
#[utoipa::path(delete, path = "/v1/organization/apps/{appId}",
    operation_id = "organization.apps.delete", tag = "Apps and keys", security(("adminKey" = [])),
    params(("appId" = AppId, Path)), responses((status = 200, description = "The app was deleted", body = Message)))]
pub(crate) async fn delete_app(
    State(context): State<Context>,
    caller: Admin,
    Path((id,)): Path<(AppId,)>,
) -> Result<Answer<Message>, Rejection> {
    super::delete(&context, &caller, &id).await?;
    Ok(Answer::message("App deleted"))
}
