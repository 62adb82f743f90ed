use api::{Admin, Answer, AppScope, Claim, Deferred, Json, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::{AppId, RecoveryId, WebhookId};
use futures_util::future::join;

use super::answers;
use super::wire::{RecoverWebhook, RecoveryView};
use crate::AppsContext;
use crate::webhooks::http::WebhookPath;

/// Recover failed deliveries
///
/// Starts a job that attempts the webhook's failed and skipped deliveries again, oldest event first, each once and with
/// the same `webhook-id`: first a single one, and up to 50 at the same time once the receiver has responded with 2xx. A
/// delivery whose attempt fails starts the retry schedule from the beginning. The job stops if every delivery of four
/// consecutive batches fails. A webhook can have one running recovery, and up to 100,000 recovered deliveries per day
/// (UTC). With `dryRun`, the job only counts the deliveries. The response is 409 if the webhook is disabled: update it
/// first, which re-enables it.
///
/// `since` and `until` are about the times of events. A delivery that is still retried is `PENDING` and not among those that are
/// attempted: it is `FAILED` only after its last attempt, three days after the event. So go back four days to recover what has
/// failed in the last one.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/recover",
    operation_id = "organization.apps.webhooks.recover", tag = "Webhooks",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    request_body = RecoverWebhook, responses((status = 202, description = "The recovery, running", body = RecoveryView)))]
pub(crate) async fn recover_webhook(
    State(apps): State<AppsContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<WebhookPath>, Once, Json<RecoverWebhook>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((app, id)), once, body)| async move {
        let stored = join(reads.webhook(&app, &id), reads.recovery_head(&id)).await;
        Ok(((app, id), stored, once, body))
    });
    let (caller, ((app, id), stored, once, body)) = read.await?;
    answers::begun(&apps, &AppScope::of_path(&caller, app)?, &id, stored, once, body).await
}

/// The ids of app, webhook and recovery in a path.
type RecoveryPath = (AppId, WebhookId, RecoveryId);

/// Get a recovery
///
/// Returns the status and the progress of a recovery. Recoveries are kept for 30 days.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/recoveries/{recoveryId}",
    operation_id = "organization.apps.webhooks.recoveries.get", tag = "Webhooks",
    security(("adminKey" = []), ("session" = [])),
    params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path), ("recoveryId" = RecoveryId, Path)),
    responses((status = 200, description = "The recovery", body = RecoveryView)))]
pub(crate) async fn get_recovery(
    claim: Claim<OrgMember>,
    path: Deferred<Path<RecoveryPath>>,
) -> Result<Answer<RecoveryView>, Rejection> {
    let read = claim.with(path, |reads, Path((app, webhook, id))| async move {
        let stored = join(reads.webhook(&app, &webhook), reads.recovery(&webhook, &id)).await;
        Ok((app, stored))
    });
    let (caller, (app, (webhook, recovery))) = read.await?;
    AppScope::of_path(&caller, app)?;
    Ok(Answer::ok(super::found(webhook, recovery)?.into()))
}
