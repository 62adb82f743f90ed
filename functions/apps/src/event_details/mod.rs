//! Single events, by the ids under which apps get them.

pub(crate) mod http;

use api::{Admin, AppScope};
use domain::Failure;
use domain::app::APPS_PER_ORGANIZATION;
use domain::delivery::{Delivery, delivery_of_event, outbox_of_event};
use domain::event::OutboxEvent;
use domain::id::{AppId, EventId};
use runtime::Context;
use store::PageRequest;

/// An event as one app gets it, with its deliveries to that app's webhooks.
struct Found {
    scope: AppScope,
    event: OutboxEvent,
    deliveries: Vec<Delivery>,
}

fn no_such_event() -> Failure {
    Failure::not_found("eventId", "event")
}

/// Finds an event. Its id depends on the app that gets it, so the event is looked up for each app that the caller may see.
async fn find(context: &Context, caller: &Admin, id: &EventId) -> Result<Found, Failure> {
    let org = context.store.of(&caller.organization);
    let all = PageRequest { limit: APPS_PER_ORGANIZATION as usize, before: None };
    let apps = org.apps(caller.mode.visible(), &all).await?.items;
    let candidates: Vec<(AppId, EventId)> = apps
        .into_iter()
        .map(|app| {
            let outbox = outbox_of_event(id, &app.id);
            (app.id, outbox)
        })
        .collect();
    let found = org.outbox_events(candidates.iter().map(|(_, outbox)| outbox)).await?.into_iter().next();
    let event = found.ok_or_else(no_such_event)?;
    let app = candidates.into_iter().find(|(_, outbox)| *outbox == event.id).map(|(app, _)| app);
    let app = app.ok_or_else(no_such_event)?;
    let webhooks = org.webhooks_of_app(&app).await?;
    let keys = webhooks.into_iter().filter_map(|webhook| {
        let delivery = delivery_of_event(id, &webhook.id)?;
        Some((webhook.id, delivery))
    });
    let mut deliveries = org.deliveries_by_id(&keys.collect::<Vec<_>>()).await?;
    deliveries.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Found { scope: AppScope { organization: caller.organization.clone(), app }, event, deliveries })
}
