use api::idempotency::{Planned, REPLAYED};
use api::{Admin, Answer, Claim, FilteredList, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection};
use axum::extract::State;
use axum::response::Response;
use domain::delivery::{Attempt, Delivery, DeliveryStatus};
use domain::event::EventName;
use domain::id::{AppId, DeliveryId, EventId, WebhookId};
use domain::{Failure, Open, Timestamp};
use futures_util::future::join;
use http::StatusCode;
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::AppsContext;
use crate::webhooks::http::webhook;
use crate::webhooks::{Of, visible};

/// Which event to send a sample of.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TestWebhook {
    /// The first event that the webhook listens to, if left out.
    #[schema(value_type = Option<EventName>)]
    event: Option<String>,
}

impl Input for TestWebhook {
    type Checked = Option<EventName>;

    fn check(self, _context: &Context) -> Result<Option<EventName>, Failure> {
        let unknown = |_| Failure::invalid("event", "event is not the name of an event.");
        self.event.map(|event| event.parse().map_err(unknown)).transpose()
    }
}

/// One event on its way to one webhook.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Delivery)]
pub(crate) struct DeliveryView {
    id: DeliveryId,
    webhook_id: WebhookId,
    /// `webhook-id` of every attempt.
    event_id: EventId,
    #[schema(value_type = EventName)]
    event_type: Open<EventName>,
    #[schema(value_type = DeliveryStatus)]
    status: Open<DeliveryStatus>,
    /// The oldest first.
    attempts: Vec<Attempt>,
    next_attempt_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<Delivery> for DeliveryView {
    fn from(delivery: Delivery) -> Self {
        DeliveryView {
            id: delivery.id,
            webhook_id: delivery.webhook_id,
            event_id: delivery.event_id,
            event_type: delivery.event_type,
            status: delivery.status,
            attempts: delivery.attempts,
            next_attempt_at: delivery.next_attempt_at,
            created_at: delivery.created_at,
        }
    }
}

/// Send a test event
///
/// A sample of the event, to this webhook alone, whether it listens to it or not. 60 tests and redeliveries an hour.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/test", tag = "Webhooks",
    security(("adminKey" = [])), params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path)),
    request_body = TestWebhook, responses((status = 202, description = "The delivery", body = DeliveryView)))]
pub(crate) async fn test_webhook(
    State(apps): State<AppsContext>,
    claim: Claim<Admin>,
    path: Result<Path<Of>, Rejection>,
    once: Result<Once, Rejection>,
    body: Result<Json<TestWebhook>, Rejection>,
) -> Result<Response, Rejection> {
    let input = path.and_then(|path| Ok((path, (once?, body?))));
    let (caller, (of, found, (once, body))) = claim.with(input, webhook).await?;
    let attempt = once.attempt(&apps.context, body.fingerprint);
    let tested = super::test(&apps.context, &caller, &of, found, body.input);
    let delivery = tested.as_ref().ok().map(|(delivery, _)| delivery.clone());
    let planned =
        tested.map(|(delivery, change)| Planned { change, answer: Answer::accepted(DeliveryView::from(delivery)) });
    let response = attempt.finish(planned).await?;
    send(&apps, &caller, is_first(&response), delivery).await;
    Ok(response)
}

fn is_first(response: &Response) -> bool {
    response.status() == StatusCode::ACCEPTED && !response.headers().contains_key(REPLAYED)
}

/// A first answer has a delivery to send; a repeated one has not, and its delivery was sent before.
async fn send(apps: &AppsContext, caller: &Admin, is_first: bool, delivery: Option<Delivery>) {
    if let Some(delivery) = delivery.filter(|_| is_first) {
        super::send(apps, &caller.organization, &delivery).await;
    }
}

/// List deliveries
///
/// Of the last 30 days.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries", tag = "Webhooks",
    security(("adminKey" = []), ("session" = [])),
    params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path), ListQuery, ("status" = Option<DeliveryStatus>, Query)),
    responses((status = 200, description = "A page of deliveries", body = List<DeliveryView>)))]
pub(crate) async fn list_deliveries(
    State(context): State<Context>,
    claim: Claim<OrgMember>,
    path: Result<Path<Of>, Rejection>,
    list: Result<FilteredList<DeliveryStatus>, Rejection>,
) -> Result<Answer<List<DeliveryView>>, Rejection> {
    let input = path.and_then(|path| Ok((path, list?)));
    let (caller, (of, found, list)) = claim.with(input, webhook).await?;
    let o = &caller.organization;
    let name = format!("deliveries/{}/{:?}", of.1, list.filter);
    let request = list.query.page(o, &name)?;
    visible(found, &caller, &of.0)?;
    let page = context.store.of(o).deliveries(&of.1, list.filter, &request).await?;
    Ok(Answer::ok(List::new(page.map(DeliveryView::from), o, &name)))
}

/// Redeliver
///
/// The same event under the same `webhook-id`, now, then from the beginning of the schedule; also where it waits for its next
/// try. 60 tests and redeliveries an hour.
#[utoipa::path(post, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
    tag = "Webhooks", security(("adminKey" = [])),
    params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path), ("deliveryId" = DeliveryId, Path)),
    responses((status = 202, description = "The delivery", body = DeliveryView)))]
pub(crate) async fn redeliver(
    State(apps): State<AppsContext>,
    claim: Claim<Admin>,
    path: Result<Path<(AppId, WebhookId, DeliveryId)>, Rejection>,
    once: Result<Once, Rejection>,
) -> Result<Response, Rejection> {
    let input = path.and_then(|path| Ok((path, once?)));
    let read = claim.with(input, |reads, (Path((app, webhook, id)), once)| async move {
        let found = join(reads.webhook_with_secrets(&app, &webhook), reads.delivery(&webhook, &id)).await;
        Ok(((app, webhook), id, found, once))
    });
    let (caller, (of, id, mut found, once)) = read.await?;
    let (o, store) = (&caller.organization, &apps.context.store);
    let attempt = once.attempt(&apps.context, String::new());
    loop {
        let again = super::redeliver(&apps.context, &caller, &of, found);
        let delivery = again.as_ref().ok().map(|(delivery, _)| delivery.clone());
        let planned =
            again.map(|(delivery, change)| Planned { change, answer: Answer::accepted(DeliveryView::from(delivery)) });
        if let Some(response) = attempt.settle(planned).await? {
            send(&apps, &caller, is_first(&response), delivery).await;
            return Ok(response);
        }
        found = join(store.of(o).webhook_with_secrets(&of.0, &of.1), store.of(o).delivery(&of.1, &id)).await;
    }
}
