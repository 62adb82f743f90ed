//! What webhooks were sent: the log, tests and redeliveries.

pub(crate) mod http;

use std::time::Duration;

use api::Admin;
use aws::queue::DeliveryJob;
use domain::delivery::Delivery;
use domain::event::{Audience, EventName, OutboxEvent};
use domain::id::EventId;
use domain::webhook::Webhook;
use domain::{Failure, Open};
use runtime::Context;
use store::{Change, Quota};
use views::SampleOf;

use super::{Found, Of, visible};
use crate::AppsContext;

fn no_such_delivery() -> Failure {
    Failure::not_found("deliveryId", "delivery")
}

/// The event and its one delivery in one transaction: nothing else hears of it.
fn test(
    context: &Context,
    caller: &Admin,
    of: &Of,
    found: Found,
    kind: Option<EventName>,
) -> Result<(Delivery, Change), Failure> {
    let organization = &caller.organization;
    let (webhook, _) = visible(found, caller, &of.0)?;
    let first = || webhook.events.iter().find_map(Open::known);
    // Of a later version, before a rollback to this one.
    let unknown = || Failure::invalid("event", "event is required: this version knows none of the webhook's events.");
    let kind = kind.or_else(first).ok_or_else(unknown)?;
    expect_enabled(&webhook)?;
    let (now, random) = (context.now(), context.random());
    let data = SampleOf { organization, app: &of.0, now, random }.data(kind)?;
    let id = EventId::mint(now, random);
    let event =
        OutboxEvent { id, kind: kind.into(), mode: of.0.mode(), audience: Audience::Nobody, data, created_at: now };
    let delivery = Delivery::new(&event.id, kind.into(), &of.0, &of.1, now);
    let delivery = delivery.ok_or_else(|| Failure::internal("an event id that no delivery can be derived from"))?;
    let mut change = Change::new(organization);
    change.spend(&Quota::manual_deliveries(&of.1), 1, now)?;
    change.create_undispatched_event(&event)?;
    change.create_delivery(&delivery)?;
    Ok((delivery, change))
}

/// Now, and then from the beginning of its schedule, under the same `webhook-id`; also where it waits for its next try.
fn redeliver(
    context: &Context,
    caller: &Admin,
    of: &Of,
    (webhook, delivery): (Found, Result<Option<Delivery>, Failure>),
) -> Result<(Delivery, Change), Failure> {
    let organization = &caller.organization;
    let (webhook, _) = visible(webhook, caller, &of.0)?;
    let before = delivery?.ok_or_else(no_such_delivery)?;
    expect_enabled(&webhook)?;
    let now = context.now();
    let mut after = before.clone();
    after.again(now);
    let mut change = Change::new(organization);
    change.spend(&Quota::manual_deliveries(&of.1), 1, now)?;
    change.update_delivery(&before, &after, now)?;
    Ok((after, change))
}

fn expect_enabled(webhook: &Webhook) -> Result<(), Failure> {
    match webhook.disabled_at {
        None => Ok(()),
        Some(_) => {
            let message = "The webhook is disabled; update it first, which enables it again.";
            Err(Failure::conflict(message).with_param("webhookId"))
        }
    }
}

/// Queues a delivery that this request has made. One that cannot be queued is sent by the sweep, within minutes.
async fn send(apps: &AppsContext, caller: &Admin, made: Option<Delivery>) {
    let Some(delivery) = made else { return };
    let job = DeliveryJob::of(&caller.organization, &delivery);
    if apps.queue.send_deliveries(&[job], Duration::ZERO).await.is_err() {
        tracing::warn!(delivery = %delivery.id, "a delivery could not be queued at once");
    }
}
