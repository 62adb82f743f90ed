//! The operations on recoveries for app keys: those of the organization, for the webhooks of the key's own app.

use api::{Answer, AppCaller, AppScope, Json, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::{RecoveryId, WebhookId};
use futures_util::future::join;
use runtime::Context;

use super::answers;
use super::wire::{RecoverWebhook, RecoveryView};
use crate::AppsContext;

/// Recover failed deliveries to a webhook of the app
///
/// Starts a job that attempts the webhook's failed and skipped deliveries again, oldest event first, each once and with
/// the same `webhook-id`: first a single one, and up to 50 at the same time once the receiver has responded with 2xx. A
/// delivery whose attempt fails starts the retry schedule from the beginning. The job stops if every delivery of four
/// consecutive batches fails. A webhook can have one running recovery, and up to 100,000 recovered deliveries per day
/// (UTC). With `dryRun`, the job only counts the deliveries. The response is 409 if the webhook is disabled: update it
/// first, which re-enables it.
#[utoipa::path(post, path = "/v1/webhooks/{webhookId}/recover", operation_id = "webhooks.recover", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("webhookId" = WebhookId, Path)), request_body = RecoverWebhook,
    responses((status = 202, description = "The recovery, running", body = RecoveryView)))]
pub(crate) async fn recover_own_webhook(
    State(apps): State<AppsContext>,
    caller: AppCaller,
    Path((id,)): Path<(WebhookId,)>,
    once: Once,
    body: Json<RecoverWebhook>,
) -> Result<Response, Rejection> {
    let scope = AppScope::from(caller);
    let org = apps.context.store.of(&scope.organization);
    let stored = join(org.webhook(&scope.app, &id), org.recovery_head(&id)).await;
    answers::begun(&apps, &scope, &id, stored, once, body).await
}

/// Get a recovery of a webhook of the app
///
/// Returns the status and the progress of a recovery. Recoveries are kept for 30 days.
#[utoipa::path(get, path = "/v1/webhooks/{webhookId}/recoveries/{recoveryId}",
    operation_id = "webhooks.recoveries.get", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("webhookId" = WebhookId, Path), ("recoveryId" = RecoveryId, Path)),
    responses((status = 200, description = "The recovery", body = RecoveryView)))]
pub(crate) async fn get_own_recovery(
    State(context): State<Context>,
    caller: AppCaller,
    Path((webhook, id)): Path<(WebhookId, RecoveryId)>,
) -> Result<Answer<RecoveryView>, Rejection> {
    let org = context.store.of(&caller.organization);
    let (webhook, recovery) = join(org.webhook(&caller.app_id, &webhook), org.recovery(&webhook, &id)).await;
    Ok(Answer::ok(super::found(webhook, recovery)?.into()))
}
