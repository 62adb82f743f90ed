use api::answer::Message;
use api::caller::Sees as _;
use api::{Admin, Answer, AppScope, Claim, Deferred, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::{AppId, WebhookId};
use runtime::Context;
use store::Reads;

use super::wire::{CreateWebhook, CreatedWebhookView, RotateSecret, UpdateWebhook, WebhookView};
use super::{StoredWebhook, answers};
use crate::apps::expect_app;

/// The ids of app and webhook in a path.
pub(super) type WebhookPath = (AppId, WebhookId);

/// Reads the webhook of a path while the credential is checked. A read failure is returned as a value, because other
/// errors are reported first.
pub(super) async fn read_webhook(reads: Reads, path: WebhookPath) -> (WebhookPath, StoredWebhook) {
    let (app, id) = &path;
    let stored = reads.webhook_with_secrets(app, id).await;
    (path, stored)
}

/// List webhooks
///
/// Returns the app's webhooks, newest first, with the values of their headers. A session token sees only their names.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks",
    operation_id = "organization.apps.webhooks.list", tag = "Webhooks",
    security(("adminKey" = []), ("session" = [])), params(("appId" = AppId, Path), ListQuery),
    responses((status = 200, description = "A page of webhooks", body = List<WebhookView>)))]
pub(crate) async fn list_webhooks(
    State(context): State<Context>,
    caller: OrgMember,
    Path((app,)): Path<(AppId,)>,
    query: ListQuery,
) -> Result<Answer<List<WebhookView>>, Rejection> {
    let page = answers::page(&caller.organization, &app, &query)?;
    let scope = AppScope::of_path(&caller, app)?;
    let list = answers::list(&context, &scope, &page).await?;
    if list.is_empty() {
        expect_app(&context.store.of(&scope.organization), &scope.app).await?;
    }
    Ok(Answer::ok(list))
}

/// Create a webhook
///
/// Subscribes a URL or an SQS queue to events. `secret` in the response is the signing secret, which is returned only
/// once. An app can have up to 20 webhooks.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks",
    operation_id = "organization.apps.webhooks.create", tag = "Webhooks", security(("adminKey" = [])),
    params(("appId" = AppId, Path)), request_body = CreateWebhook,
    responses((status = 201, description = "The webhook", body = CreatedWebhookView)))]
pub(crate) async fn create_webhook(
    State(context): State<Context>,
    caller: Admin,
    Path((app,)): Path<(AppId,)>,
    once: Once,
    body: Json<CreateWebhook>,
) -> Result<Response, Rejection> {
    answers::created(&context, &AppScope::of_path(&caller, app)?, once, body).await
}

/// Get a webhook
///
/// Returns a webhook of the app with the values of its headers. A session token sees only their names.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}",
    operation_id = "organization.apps.webhooks.get", tag = "Webhooks",
    security(("adminKey" = []), ("session" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    responses((status = 200, description = "The webhook", body = WebhookView)))]
pub(crate) async fn get_webhook(
    claim: Claim<OrgMember>,
    path: Deferred<Path<(AppId, WebhookId)>>,
) -> Result<Answer<WebhookView>, Rejection> {
    let read = claim.with(path, |reads, Path((app, id))| async move { reads.webhook_with_secrets(&app, &id).await });
    let (caller, (webhook, secrets)) = read.await?;
    caller.expect_visible(webhook.app_id.mode(), "appId", "app")?;
    Ok(Answer::ok(WebhookView::of(webhook, Some(secrets.headers), caller.may_see)))
}

/// Update a webhook
///
/// Replaces the fields that are sent and keeps the others. Any update re-enables a disabled webhook.
#[utoipa::path(put, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}",
    operation_id = "organization.apps.webhooks.update", tag = "Webhooks",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    request_body = UpdateWebhook, responses((status = 200, description = "The webhook", body = WebhookView)))]
pub(crate) async fn update_webhook(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<WebhookPath>, Json<UpdateWebhook>)>,
) -> Result<Answer<WebhookView>, Rejection> {
    let read =
        claim.with(input, |reads, (Path(path), body)| async move { Ok((read_webhook(reads, path).await, body.input)) });
    let (caller, (((app, id), stored), sent)) = read.await?;
    let (webhook, secrets) = super::update(&context, &AppScope::of_path(&caller, app)?, &id, stored, sent).await?;
    Ok(Answer::ok(WebhookView::of(webhook, Some(secrets.headers), caller.may_see)))
}

/// Delete a webhook
///
/// Deletes the webhook. Its pending deliveries are skipped.
#[utoipa::path(delete, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}",
    operation_id = "organization.apps.webhooks.delete", tag = "Webhooks",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    responses((status = 200, description = "The webhook was deleted", body = Message)))]
pub(crate) async fn delete_webhook(
    State(context): State<Context>,
    caller: Admin,
    Path((app, id)): Path<(AppId, WebhookId)>,
) -> Result<Answer<Message>, Rejection> {
    super::delete(&context, &AppScope::of_path(&caller, app)?, &id).await?;
    Ok(Answer::message("Webhook deleted"))
}

/// Rotate the signing secret
///
/// Replaces the signing secret. `secret` in the response is the new one, which is returned only once. During the grace
/// period, every delivery is signed with both the new and the previous secret.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/rotate-secret",
    operation_id = "organization.apps.webhooks.rotateSecret", tag = "Webhooks",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    request_body = RotateSecret,
    responses((status = 200, description = "The webhook with its new secret", body = CreatedWebhookView)))]
pub(crate) async fn rotate_secret(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<WebhookPath>, Once, Json<RotateSecret>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path(path), once, body)| async move {
        Ok((read_webhook(reads, path).await, once, body))
    });
    let (caller, (((app, id), stored), once, body)) = read.await?;
    answers::rotated(&context, &AppScope::of_path(&caller, app)?, &id, stored, once, body).await
}
