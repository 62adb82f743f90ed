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
/// Sends a sample event to this webhook only, whether or not it subscribes to the event. A webhook can have up to 60
/// test events, redeliveries and recoveries per hour. The response is 409 if the webhook is disabled: update it first,
/// which re-enables it.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/test",
    operation_id = "organization.apps.webhooks.test", tag = "Webhooks",
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
/// Returns the webhook's deliveries of the last 30 days, newest first; for session tokens, without the receiver's
/// responses. A filtered page reads at most 400 deliveries and 1 MiB, so it can be short or empty although more
/// follow. The list ends when `nextCursor` is `null`.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries",
    operation_id = "organization.apps.webhooks.deliveries.list", tag = "Webhooks",
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
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}",
    operation_id = "organization.apps.webhooks.deliveries.get", tag = "Webhooks",
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
/// Sends the event again immediately, with the same `webhook-id`, and restarts the retry schedule. A pending delivery
/// can be redelivered too. A webhook can have up to 60 test events, redeliveries and recoveries per hour. The response
/// is 409 if the webhook is disabled: update it first, which re-enables it.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
    operation_id = "organization.apps.webhooks.deliveries.redeliver",
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
