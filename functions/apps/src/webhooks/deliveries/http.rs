use api::{Admin, Answer, AppScope, Claim, Deferred, Json, List, ListBy, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::{AppId, DeliveryId, WebhookId};
use futures_util::future::join;
use runtime::Context;

use super::answers;
use super::filters::DeliveryFilters;
use super::wire::{DeliveryDetailsView, DeliveryView, TestWebhook};
use crate::AppsContext;
use crate::webhooks::http::{WebhookPath, read_webhook};

/// Send a test event
///
/// Sends a sample of the event to this webhook only, whether it subscribes to the event or not. A webhook can have up to
/// 60 test events, redeliveries and recoveries per hour. A disabled webhook returns 409: update it first, which enables it again.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/test", tag = "Webhooks",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    request_body = TestWebhook, responses((status = 202, description = "The delivery, pending", body = DeliveryView)))]
pub(crate) async fn test_webhook(
    State(apps): State<AppsContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<WebhookPath>, Once, Json<TestWebhook>)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path(path), once, body)| async move {
        Ok((read_webhook(reads, path).await, once, body))
    });
    let (caller, (((app, id), stored), once, body)) = read.await?;
    answers::tested(&apps, &AppScope::of_path(&caller, app)?, &id, stored, once, body).await
}

/// List deliveries
///
/// Returns the webhook's deliveries of the last 30 days, newest first; for session tokens, without the responses of the
/// receiver. A page with filters reads at most 400 deliveries and
/// 1 MiB: it may be short, or empty, although there are more. `nextCursor` is `null` on the last page only.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries", tag = "Webhooks",
    security(("adminKey" = []), ("session" = [])),
    params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path), ListQuery, DeliveryFilters),
    responses((status = 200, description = "A page of deliveries", body = List<DeliveryView>)))]
pub(crate) async fn list_deliveries(
    State(context): State<Context>,
    claim: Claim<OrgMember>,
    input: Deferred<(Path<WebhookPath>, ListBy<DeliveryFilters>)>,
) -> Result<Answer<List<DeliveryView>>, Rejection> {
    let read = claim.with(input, |reads, (Path((app, id)), list)| async move {
        let webhook = reads.webhook(&app, &id).await;
        Ok(((app, id), webhook, list))
    });
    let (caller, ((app, id), webhook, list)) = read.await?;
    let page = answers::page(&caller.organization, &id, &list)?;
    let scope = AppScope::of_path(&caller, app)?;
    webhook?;
    Ok(Answer::ok(answers::list(&context, &scope, &id, &list.filters, &page).await?))
}

/// The ids of app, webhook and delivery in a path.
type DeliveryPath = (AppId, WebhookId, DeliveryId);

/// Get a delivery
///
/// Returns the delivery with the body that was sent and, for each attempt, the headers, the response and the time it took.
/// For session tokens, the body and the responses are left out.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}", tag = "Webhooks",
    security(("adminKey" = []), ("session" = [])),
    params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path), ("deliveryId" = DeliveryId, Path)),
    responses((status = 200, description = "The delivery", body = DeliveryDetailsView)))]
pub(crate) async fn get_delivery(
    State(context): State<Context>,
    claim: Claim<OrgMember>,
    path: Deferred<Path<DeliveryPath>>,
) -> Result<Response, Rejection> {
    let read = claim.with(path, |reads, Path((app, webhook, id))| async move {
        let stored = join(reads.webhook(&app, &webhook), reads.delivery(&webhook, &id)).await;
        Ok((app, stored))
    });
    let (caller, (app, (webhook, delivery))) = read.await?;
    Ok(answers::details(&context, &AppScope::of_path(&caller, app)?, webhook, delivery).await?)
}

/// Redeliver an event
///
/// Sends the event again now, under the same `webhook-id`, and starts the retry schedule from the beginning. A pending
/// delivery can be redelivered too. A webhook can have up to 60 test events, redeliveries and recoveries per hour. A disabled webhook
/// returns 409: update it first, which enables it again.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
    tag = "Webhooks", security(("adminKey" = [])),
    params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path), ("deliveryId" = DeliveryId, Path)),
    responses((status = 202, description = "The delivery, pending", body = DeliveryView)))]
pub(crate) async fn redeliver(
    State(apps): State<AppsContext>,
    claim: Claim<Admin>,
    input: Deferred<(Path<DeliveryPath>, Once)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((app, webhook, id)), once)| async move {
        let stored = join(reads.webhook_with_secrets(&app, &webhook), reads.delivery(&webhook, &id)).await;
        Ok(((app, webhook), id, stored, once))
    });
    let (caller, ((app, webhook), id, stored, once)) = read.await?;
    answers::redelivered(&apps, &AppScope::of_path(&caller, app)?, &webhook, &id, stored, once).await
}
