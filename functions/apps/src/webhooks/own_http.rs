//! The operations on webhooks for app keys: those of the organization, for the key's own app.

use api::answer::Message;
use api::{Answer, AppCaller, AppScope, Json, List, ListQuery, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::WebhookId;
use runtime::Context;

use super::answers;
use super::wire::{CreateWebhook, CreatedWebhookView, RotateSecret, UpdateWebhook, WebhookView};

/// List the app's webhooks
///
/// Returns the webhooks of the key's app, newest first, with the values of their headers.
#[utoipa::path(get, path = "/v1/webhooks", operation_id = "webhooks.list", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(ListQuery),
    responses((status = 200, description = "A page of webhooks", body = List<WebhookView>)))]
pub(crate) async fn list_own_webhooks(
    State(context): State<Context>,
    caller: AppCaller,
    query: ListQuery,
) -> Result<Answer<List<WebhookView>>, Rejection> {
    let page = answers::page(&caller.organization, &caller.app_id, &query)?;
    Ok(Answer::ok(answers::list(&context, &caller.into(), &page).await?))
}

/// Create a webhook of the app
///
/// Subscribes a URL or an SQS queue to events. `secret` in the response is the signing secret, which is returned only
/// once. An app can have up to 20 webhooks.
#[utoipa::path(post, path = "/v1/webhooks", operation_id = "webhooks.create", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])), request_body = CreateWebhook,
    responses((status = 201, description = "The webhook", body = CreatedWebhookView)))]
pub(crate) async fn create_own_webhook(
    State(context): State<Context>,
    caller: AppCaller,
    once: Once,
    body: Json<CreateWebhook>,
) -> Result<Response, Rejection> {
    answers::created(&context, &caller.into(), once, body).await
}

/// Get a webhook of the app
///
/// Returns a webhook of the key's app with the values of its headers.
#[utoipa::path(get, path = "/v1/webhooks/{webhookId}", operation_id = "webhooks.get", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("webhookId" = WebhookId, Path)),
    responses((status = 200, description = "The webhook", body = WebhookView)))]
pub(crate) async fn get_own_webhook(
    State(context): State<Context>,
    caller: AppCaller,
    Path((id,)): Path<(WebhookId,)>,
) -> Result<Answer<WebhookView>, Rejection> {
    let stored = context.store.of(&caller.organization).webhook_with_secrets(&caller.app_id, &id).await?;
    let (webhook, secrets) = stored;
    Ok(Answer::ok(WebhookView::of(webhook, Some(secrets.headers), caller.may_see)))
}

/// Update a webhook of the app
///
/// Replaces the fields that are sent and keeps the others. Any update re-enables a disabled webhook.
#[utoipa::path(put, path = "/v1/webhooks/{webhookId}", operation_id = "webhooks.update", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("webhookId" = WebhookId, Path)), request_body = UpdateWebhook,
    responses((status = 200, description = "The webhook", body = WebhookView)))]
pub(crate) async fn update_own_webhook(
    State(context): State<Context>,
    caller: AppCaller,
    Path((id,)): Path<(WebhookId,)>,
    body: Json<UpdateWebhook>,
) -> Result<Answer<WebhookView>, Rejection> {
    let scope = AppScope::from(caller);
    let stored = context.store.of(&scope.organization).webhook_with_secrets(&scope.app, &id).await;
    let (webhook, secrets) = super::update(&context, &scope, &id, stored, body.input).await?;
    Ok(Answer::ok(WebhookView::of(webhook, Some(secrets.headers), scope.may_see)))
}

/// Delete a webhook of the app
///
/// Deletes the webhook. Its pending deliveries are skipped.
#[utoipa::path(delete, path = "/v1/webhooks/{webhookId}", operation_id = "webhooks.delete", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("webhookId" = WebhookId, Path)),
    responses((status = 200, description = "The webhook was deleted", body = Message)))]
pub(crate) async fn delete_own_webhook(
    State(context): State<Context>,
    caller: AppCaller,
    Path((id,)): Path<(WebhookId,)>,
) -> Result<Answer<Message>, Rejection> {
    super::delete(&context, &caller.into(), &id).await?;
    Ok(Answer::message("Webhook deleted"))
}

/// Rotate the signing secret of a webhook of the app
///
/// Replaces the signing secret. `secret` in the response is the new one, which is returned only once. During the grace
/// period, every delivery is signed with both the new and the previous secret.
#[utoipa::path(post, path = "/v1/webhooks/{webhookId}/rotate-secret",
    operation_id = "webhooks.rotateSecret", tag = "Webhooks", security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("webhookId" = WebhookId, Path)), request_body = RotateSecret,
    responses((status = 200, description = "The webhook with its new secret", body = CreatedWebhookView)))]
pub(crate) async fn rotate_own_secret(
    State(context): State<Context>,
    caller: AppCaller,
    Path((id,)): Path<(WebhookId,)>,
    once: Once,
    body: Json<RotateSecret>,
) -> Result<Response, Rejection> {
    let scope = AppScope::from(caller);
    let stored = context.store.of(&scope.organization).webhook_with_secrets(&scope.app, &id).await;
    answers::rotated(&context, &scope, &id, stored, once, body).await
}
