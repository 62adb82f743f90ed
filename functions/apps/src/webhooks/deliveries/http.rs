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
use crate::webhooks::http::read_webhook;
use crate::webhooks::{WebhookPath, visible};

/// The event to send a sample of.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TestWebhook {
    /// The first event that the webhook subscribes to, by default.
    #[schema(value_type = Option<EventName>)]
    event: Option<String>,
}

impl Input for TestWebhook {
    type Checked = Option<EventName>;

    fn check(self, _context: &Context) -> Result<Option<EventName>, Failure> {
        self.event.map(|event| event.parse().map_err(|_| unknown_event("event"))).transpose()
    }
}

/// The delivery of one event to one webhook.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Delivery)]
pub(crate) struct DeliveryView {
    id: DeliveryId,
    webhook_id: WebhookId,
    /// The id of the event, sent as `webhook-id` with every attempt.
    event_id: EventId,
    #[schema(value_type = EventName)]
    event_type: Open<EventName>,
    #[schema(value_type = DeliveryStatus)]
    status: Open<DeliveryStatus>,
    /// The attempts so far, oldest first.
    attempts: Vec<Attempt>,
    /// When the next attempt is due; absent if there is none.
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
/// Sends a sample of the event to this webhook only, whether it subscribes to the event or not. A webhook can have up to
/// 60 test events and redeliveries per hour. A disabled webhook returns 409: update it first, which enables it again.
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
    let (caller, ((path, stored), once, body)) = read.await?;
    let org = apps.context.store.of(&caller.organization);
    let read = || org.webhook_with_secrets(&path.0, &path.1);
    let decide = |stored| ready(super::test(&apps.context, &caller, &path, stored, body.input).map(accepted));
    let (response, created) = once.attempt(&apps.context, body.fingerprint).run_with(stored, read, decide).await?;
    super::send(&apps, &caller, created).await;
    Ok(response)
}

/// Returns the response, and the delivery to queue once it is stored.
fn accepted((delivery, change): (Delivery, Change)) -> (Planned<DeliveryView>, Delivery) {
    (Planned { change, answer: Answer::accepted(delivery.clone().into()) }, delivery)
}

/// List deliveries
///
/// Returns the webhook's deliveries of the last 30 days, newest first.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries", tag = "Webhooks",
    security(("adminKey" = []), ("session" = [])),
    params(("appId" = AppId, Path), ("webhookId" = WebhookId, Path), ListQuery, ("status" = Option<DeliveryStatus>, Query)),
    responses((status = 200, description = "A page of deliveries", body = List<DeliveryView>)))]
pub(crate) async fn list_deliveries(
    State(context): State<Context>,
    claim: Claim<OrgMember>,
    input: Deferred<(Path<WebhookPath>, FilteredList<DeliveryStatus>)>,
) -> Result<Answer<List<DeliveryView>>, Rejection> {
    let read =
        claim.with(input, |reads, (Path(path), list)| async move { Ok((read_webhook(reads, path).await, list)) });
    let (caller, (((app, id), stored), list)) = read.await?;
    let organization = &caller.organization;
    let name = format!("deliveries/{id}/{:?}", list.filter);
    let request = list.query.page(organization, &name)?;
    visible(stored, &caller, &app)?;
    let page = context.store.of(organization).deliveries(&id, list.filter, &request).await?;
    Ok(Answer::ok(List::new(page.map(DeliveryView::from), organization, &name)))
}

/// The ids of app, webhook and delivery in a path.
type DeliveryPath = (AppId, WebhookId, DeliveryId);

/// Redeliver an event
///
/// Sends the event again now, under the same `webhook-id`, and starts the retry schedule from the beginning. A pending
/// delivery can be redelivered too. A webhook can have up to 60 test events and redeliveries per hour. A disabled webhook
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
    let (caller, (path, id, stored, once)) = read.await?;
    let org = apps.context.store.of(&caller.organization);
    let read = || join(org.webhook_with_secrets(&path.0, &path.1), org.delivery(&path.1, &id));
    let decide =
        |(webhook, delivery)| ready(super::redeliver(&apps.context, &caller, &path, webhook, delivery).map(accepted));
    let (response, created) = once.attempt(&apps.context, String::new()).run_with(stored, read, decide).await?;
    super::send(&apps, &caller, created).await;
    Ok(response)
}
