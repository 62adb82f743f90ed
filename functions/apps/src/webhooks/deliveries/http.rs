use std::future::ready;

use api::idempotency::Planned;
use api::{
    Admin, Answer, Claim, Deferred, FilteredList, Input, Json, List, ListQuery, Once, OrgMember, Path, Rejection,
};
use axum::extract::State;
use axum::response::Response;
use domain::delivery::{Attempt, Delivery, DeliveryStatus};
use domain::event::EventName;
use domain::id::{AppId, DeliveryId, EventId, WebhookId};
use domain::webhook::unknown_event;
use domain::{Failure, Open, Timestamp};
use futures_util::future::join;
use runtime::Context;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use store::Change;
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
        self.event.map(|event| event.parse().map_err(|_| unknown_event("event"))).transpose()
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
    input: Deferred<(Path<Of>, Once, Json<TestWebhook>)>,
) -> Result<Response, Rejection> {
    let read =
        claim.with(input, |reads, (Path(of), once, body)| async move { Ok((webhook(reads, of).await, once, body)) });
    let (caller, ((of, found), once, body)) = read.await?;
    let own = apps.context.store.of(&caller.organization);
    let read = || own.webhook_with_secrets(&of.0, &of.1);
    let decide = |found| ready(super::test(&apps.context, &caller, &of, found, body.input).map(accepted));
    let (response, made) = once.attempt(&apps.context, body.fingerprint).run_with(found, read, decide).await?;
    super::send(&apps, &caller, made).await;
    Ok(response)
}

/// The answer, and the delivery to send once it is stored.
fn accepted((delivery, change): (Delivery, Change)) -> (Planned<DeliveryView>, Delivery) {
    (Planned { change, answer: Answer::accepted(delivery.clone().into()) }, delivery)
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
    input: Deferred<(Path<Of>, FilteredList<DeliveryStatus>)>,
) -> Result<Answer<List<DeliveryView>>, Rejection> {
    let read = claim.with(input, |reads, (Path(of), list)| async move { Ok((webhook(reads, of).await, list)) });
    let (caller, ((of, found), list)) = read.await?;
    let o = &caller.organization;
    let name = format!("deliveries/{}/{:?}", of.1, list.filter);
    let request = list.query.page(o, &name)?;
    visible(found, &caller, &of.0)?;
    let page = context.store.of(o).deliveries(&of.1, list.filter, &request).await?;
    Ok(Answer::ok(List::new(page.map(DeliveryView::from), o, &name)))
}

type OfDelivery = (AppId, WebhookId, DeliveryId);

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
    input: Deferred<(Path<OfDelivery>, Once)>,
) -> Result<Response, Rejection> {
    let read = claim.with(input, |reads, (Path((app, webhook, id)), once)| async move {
        let found = join(reads.webhook_with_secrets(&app, &webhook), reads.delivery(&webhook, &id)).await;
        Ok(((app, webhook), id, found, once))
    });
    let (caller, (of, id, found, once)) = read.await?;
    let own = apps.context.store.of(&caller.organization);
    let read = || join(own.webhook_with_secrets(&of.0, &of.1), own.delivery(&of.1, &id));
    let decide = |found| ready(super::redeliver(&apps.context, &caller, &of, found).map(accepted));
    let (response, made) = once.attempt(&apps.context, String::new()).run_with(found, read, decide).await?;
    super::send(&apps, &caller, made).await;
    Ok(response)
}
