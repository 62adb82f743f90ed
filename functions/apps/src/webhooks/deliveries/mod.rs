//! Deliveries of webhooks: their log, test events and redeliveries.

mod answers;
mod filters;
pub(crate) mod http;
pub(crate) mod own_http;
pub(crate) mod wire;

use api::AppScope;
use aws::origin;
use domain::events::delivery::Delivery;
use domain::events::event::{Audience, EventName, OutboxEvent};
use domain::events::webhook::Webhook;
use domain::id::{EventId, WebhookId};
use domain::job::DeliveryJob;
use domain::{Failure, Open};
use runtime::Context;
use store::{Change, Quota};
use views::SampleOf;

use super::{StoredWebhook, expect_may_see};
use crate::AppsContext;

fn no_such_delivery() -> Failure {
    Failure::not_found("deliveryId", "delivery")
}

/// Returns a delivery that exists and has not ended.
fn kept(delivery: Option<Delivery>, context: &Context) -> Result<Delivery, Failure> {
    delivery.filter(|delivery| !delivery.has_ended(context.now())).ok_or_else(no_such_delivery)
}

/// Decides on a test event. The event and its only delivery are stored in one transaction, and the event is not dispatched
/// to other webhooks.
fn test(
    context: &Context,
    scope: &AppScope,
    webhook_id: &WebhookId,
    stored: StoredWebhook,
    kind: Option<EventName>,
) -> Result<(Delivery, Change), Failure> {
    let AppScope { organization, app, .. } = scope;
    let (webhook, _) = stored?;
    let first = || webhook.events.iter().find_map(Open::known);
    // After a rollback, all events of the webhook can be of a later version.
    let unknown =
        || Failure::invalid("event", "event is required, because this version supports none of the webhook's events.");
    let kind = kind.or_else(first).ok_or_else(unknown)?;
    expect_enabled(&webhook)?;

    let (now, random) = (context.now(), context.random());
    let data = SampleOf { organization, app, now, random }.data(kind)?;
    let id = EventId::mint(now, random);
    let event = OutboxEvent {
        id,
        kind: kind.into(),
        mode: app.mode(),
        audience: Audience::Nobody,
        data,
        created_at: now,
        request_id: origin::current(),
    };
    let delivery = Delivery::new(&event.id, kind.into(), app, webhook_id, now);
    let delivery = delivery.ok_or_else(|| Failure::internal("no delivery id can be derived from the event id"))?;

    let mut change = Change::new(organization);
    change.spend(&Quota::manual_deliveries(webhook_id), 1, now)?;
    change.store_event_without_dispatch(&event)?;
    change.create_delivery(&delivery)?;
    Ok((delivery, change))
}

/// Decides on a redelivery: an attempt now, under the same `webhook-id`, and the retry schedule from its beginning. Pending
/// deliveries can be redelivered too.
fn redeliver(
    context: &Context,
    scope: &AppScope,
    webhook_id: &WebhookId,
    webhook: StoredWebhook,
    delivery: Result<Option<Delivery>, Failure>,
) -> Result<(Delivery, Change), Failure> {
    let organization = &scope.organization;
    let (webhook, _) = webhook?;
    expect_may_see(scope, &webhook)?;
    let before = kept(delivery?, context)?;
    expect_enabled(&webhook)?;
    let now = context.now();
    let mut after = before.clone();
    after.again(now);
    let mut change = Change::new(organization);
    change.spend(&Quota::manual_deliveries(webhook_id), 1, now)?;
    change.update_delivery(&before, &after, now)?;
    Ok((after, change))
}

pub(super) fn expect_enabled(webhook: &Webhook) -> Result<(), Failure> {
    match webhook.disabled_at {
        None => Ok(()),
        Some(_) => {
            let message = "The webhook is disabled. Update it to enable it, then retry.";
            Err(Failure::conflict(message).with_param("webhookId"))
        }
    }
}

/// Queues the delivery that this request created, if any. If this fails, the sweep queues it within minutes.
async fn send(apps: &AppsContext, scope: &AppScope, created: Option<Delivery>) {
    let Some(delivery) = created else { return };
    let job = DeliveryJob::of(&scope.organization, &delivery);
    if apps.queue.send(&[job]).await.is_err() {
        tracing::warn!(delivery = %delivery.id, "a delivery could not be queued; the sweep will queue it");
    }
}
