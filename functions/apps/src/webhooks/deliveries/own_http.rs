//! The operations on deliveries for app keys: those of the organization, for the webhooks of the key's own app.

use api::{Answer, AppCaller, AppScope, Json, List, ListBy, ListQuery, Once, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::id::{DeliveryId, WebhookId};
use futures_util::future::join;
use runtime::Context;

use super::answers;
use super::filters::DeliveryFilters;
use super::wire::{DeliveryDetailsView, DeliveryView, TestWebhook};
use crate::AppsContext;

/// Send a test event to a webhook of the app
///
/// Sends a sample event to this webhook only, whether or not it subscribes to the event. A webhook can have up to 60
/// test events, redeliveries and recoveries per hour. The response is 409 if the webhook is disabled: update it first,
/// which re-enables it.
#[utoipa::path(post, path = "/v1/webhooks/{webhookId}/test", operation_id = "webhooks.test", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("webhookId" = WebhookId, Path)), request_body = TestWebhook,
    responses((status = 202, description = "The delivery, pending", body = DeliveryView)))]
pub(crate) async fn test_own_webhook(
    State(apps): State<AppsContext>,
    caller: AppCaller,
    Path((id,)): Path<(WebhookId,)>,
    once: Once,
    body: Json<TestWebhook>,
) -> Result<Response, Rejection> {
    let scope = AppScope::from(caller);
    let stored = apps.context.store.of(&scope.organization).webhook_with_secrets(&scope.app, &id).await;
    answers::tested(&apps, &scope, &id, stored, once, body).await
}

/// List the deliveries of a webhook of the app
///
/// Returns the webhook's deliveries of the last 30 days, newest first. A filtered page reads at most 400 deliveries
/// and 1 MiB, so it can be short or empty although more follow. The list ends when `nextCursor` is `null`.
#[utoipa::path(get, path = "/v1/webhooks/{webhookId}/deliveries",
    operation_id = "webhooks.deliveries.list", tag = "Webhooks", security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("webhookId" = WebhookId, Path), ListQuery, DeliveryFilters),
    responses((status = 200, description = "A page of deliveries", body = List<DeliveryView>)))]
pub(crate) async fn list_own_deliveries(
    State(context): State<Context>,
    caller: AppCaller,
    Path((id,)): Path<(WebhookId,)>,
    list: ListBy<DeliveryFilters>,
) -> Result<Answer<List<DeliveryView>>, Rejection> {
    let page = answers::page(&caller.organization, &id, &list)?;
    context.store.of(&caller.organization).webhook(&caller.app_id, &id).await?;
    Ok(Answer::ok(answers::list(&context, &caller.into(), &id, &list.filters, &page).await?))
}

/// Get a delivery to a webhook of the app
///
/// Returns the delivery with the body that was sent and, for each attempt, the headers, the response and the time it took.
#[utoipa::path(get, path = "/v1/webhooks/{webhookId}/deliveries/{deliveryId}",
    operation_id = "webhooks.deliveries.get", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("webhookId" = WebhookId, Path), ("deliveryId" = DeliveryId, Path)),
    responses((status = 200, description = "The delivery", body = DeliveryDetailsView)))]
pub(crate) async fn get_own_delivery(
    State(context): State<Context>,
    caller: AppCaller,
    Path((webhook, id)): Path<(WebhookId, DeliveryId)>,
) -> Result<Response, Rejection> {
    let scope = AppScope::from(caller);
    let org = context.store.of(&scope.organization);
    let (stored, delivery) = join(org.webhook(&scope.app, &webhook), org.delivery(&webhook, &id)).await;
    Ok(answers::details(&context, &scope, stored, delivery).await?)
}

/// Redeliver an event to a webhook of the app
///
/// Sends the event again immediately, with the same `webhook-id`, and restarts the retry schedule. A pending delivery
/// can be redelivered too. A webhook can have up to 60 test events, redeliveries and recoveries per hour. The response
/// is 409 if the webhook is disabled: update it first, which re-enables it.
#[utoipa::path(post, path = "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
    operation_id = "webhooks.deliveries.redeliver", tag = "Webhooks",
    security(("liveAppKey" = []), ("testAppKey" = [])), params(("webhookId" = WebhookId, Path), ("deliveryId" = DeliveryId, Path)),
    responses((status = 202, description = "The delivery, pending", body = DeliveryView)))]
pub(crate) async fn redeliver_own(
    State(apps): State<AppsContext>,
    caller: AppCaller,
    Path((webhook, id)): Path<(WebhookId, DeliveryId)>,
    once: Once,
) -> Result<Response, Rejection> {
    let scope = AppScope::from(caller);
    let org = apps.context.store.of(&scope.organization);
    let stored = join(org.webhook_with_secrets(&scope.app, &webhook), org.delivery(&webhook, &id)).await;
    answers::redelivered(&apps, &scope, &webhook, &id, stored, once).await
}
