use std::future::ready;

use api::answer::Message;
use api::idempotency::Planned;
use api::{Admin, Answer, Claim, Deferred, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::app::App;
use domain::id::AppId;
use domain::schema::{Name, Slug};
use domain::{Failure, Timestamp, text};
use futures_util::future::try_join;
use runtime::Context;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AppChange, NewApp};

const LIST: &str = "apps";

/// An app.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = App)]
pub(crate) struct AppView {
    id: AppId,
    name: String,
    slug: String,
    is_test_app: bool,
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
            created_at: app.created_at,
            updated_at: app.updated_at,
        }
    }
}

/// The app to make.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateApp {
    #[schema(value_type = Name)]
    name: String,
    /// Unique in the organization; made from the name if absent.
    #[schema(value_type = Option<Slug>)]
    slug: Option<String>,
    /// A test app works with the playground, costs nothing and cannot send real messages.
    test: Option<bool>,
}

impl Input for CreateApp {
    const REQUIRED: &'static [&'static str] = &["name"];
    type Checked = NewApp;

    fn check(self, _context: &Context) -> Result<NewApp, Failure> {
        Ok(NewApp {
            name: text::name(&self.name, "name")?,
            slug: self.slug.map(|slug| text::slug(&slug, "slug")).transpose()?,
            test: self.test,
        })
    }
}

/// At least one field.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateApp {
    #[schema(value_type = Option<Name>)]
    name: Option<String>,
    #[schema(value_type = Option<Slug>)]
    slug: Option<String>,
}

impl Input for UpdateApp {
    const AT_LEAST_ONE: bool = true;
    type Checked = AppChange;

    fn check(self, _context: &Context) -> Result<AppChange, Failure> {
        Ok(AppChange {
            name: self.name.map(|name| text::name(&name, "name")).transpose()?,
            slug: self.slug.map(|slug| text::slug(&slug, "slug")).transpose()?,
        })
    }
}

/// List apps
#[utoipa::path(get, path = "/v1/organization/apps", tag = "Apps", security(("adminKey" = []), ("session" = [])),
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
    Ok(Answer::ok(List::new(page.map(AppView::from), &caller.organization, LIST)))
}

/// Create an app
///
/// An organization may have 100 apps. A test app comes with two SMS system numbers and a simulated chat number.
#[utoipa::path(post, path = "/v1/organization/apps", tag = "Apps", security(("adminKey" = [])),
    request_body = CreateApp, responses((status = 201, description = "The app", body = AppView),
        (status = 403, description = "`test: false` from a test admin key"),
        (status = 409, description = "The slug is taken")))]
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
#[utoipa::path(get, path = "/v1/organization/apps/{appId}", tag = "Apps",
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
#[utoipa::path(patch, path = "/v1/organization/apps/{appId}", tag = "Apps", security(("adminKey" = [])),
    params(("appId" = AppId, Path)), request_body = UpdateApp,
    responses((status = 200, description = "The app", body = AppView),
        (status = 409, description = "The slug is taken")))]
pub(crate) async fn update_app(
    State(context): State<Context>,
    caller: Admin,
    Path((id,)): Path<(AppId,)>,
    body: Json<UpdateApp>,
) -> Result<Answer<AppView>, Rejection> {
    Ok(Answer::ok(super::update(&context, &caller, &id, &body.input).await?.into()))
}

/// Delete an app
///
/// Its keys stop working with the next request; its webhooks go with it.
#[utoipa::path(delete, path = "/v1/organization/apps/{appId}", tag = "Apps", security(("adminKey" = [])),
    params(("appId" = AppId, Path)), responses((status = 200, description = "Deleted", body = Message)))]
pub(crate) async fn delete_app(
    State(context): State<Context>,
    claim: Claim<Admin>,
    path: Deferred<Path<(AppId,)>>,
) -> Result<Answer<Message>, Rejection> {
    let read = claim.with(path, |reads, Path((id,))| async move {
        let found = try_join(reads.app(&id), reads.app_dependents(&id)).await?;
        Ok((id, found))
    });
    let (caller, (id, found)) = read.await?;
    super::delete(&context, &caller, &id, found).await?;
    Ok(Answer::message("App deleted"))
}
