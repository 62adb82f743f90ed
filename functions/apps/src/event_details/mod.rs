//! Single events, by the ids under which apps receive them.

pub(crate) mod http;

use api::{Admin, AppScope};
use domain::Failure;
use domain::events::delivery::{Delivery, delivery_of_event, has_ended, outbox_of_event};
use domain::events::event::{Audience, OutboxEvent};
use domain::id::{EventId, Identifier as _};
use domain::identity::app::{APPS_PER_ORGANIZATION, App};
use runtime::Context;
use store::{OrganizationStore, PageRequest};

/// An event as one app receives it, with its deliveries to that app's webhooks.
struct Found {
    scope: AppScope,
    event: OutboxEvent,
    deliveries: Vec<Delivery>,
}

fn no_such_event() -> Failure {
    Failure::not_found("eventId", "event")
}

/// Finds an event. Its id depends on the app that receives it, so the event is looked up for each app that the caller
/// may see. Every app can compute the id under which another app would receive an event, so the app must have been in
/// the event's audience.
async fn find(context: &Context, caller: &Admin, id: &EventId) -> Result<Found, Failure> {
    let org = context.store.of(&caller.organization);
    let modes = caller.mode.visible();
    let all = PageRequest { limit: APPS_PER_ORGANIZATION as usize * modes.len(), before: None };
    let apps = org.apps(modes, &all).await?.items;

    let candidates: Vec<(App, EventId)> = apps
        .into_iter()
        .map(|app| {
            let outbox = outbox_of_event(id, &app.id);
            (app, outbox)
        })
        .collect();

    let found = org.outbox_events(candidates.iter().map(|(_, outbox)| outbox)).await?.into_iter().next();
    let found = found.filter(|event| caller.mode.sees(event.mode) && !has_ended(&event.id, context.now()));
    let event = found.ok_or_else(no_such_event)?;
    let app = candidates.into_iter().find(|(_, outbox)| *outbox == event.id).map(|(app, _)| app);
    let app = app.filter(|app| app.id.mode() == event.mode).ok_or_else(no_such_event)?;

    let webhooks = org.webhooks_of_app(&app.id).await?;
    let keys = webhooks.into_iter().filter_map(|webhook| {
        let delivery = delivery_of_event(id, &webhook.id)?;
        Some((webhook.id, delivery))
    });
    let mut deliveries = org.deliveries_by_id(&keys.collect::<Vec<_>>()).await?;
    if deliveries.is_empty() && !is_for(&org, &event, &app).await? {
        return Err(no_such_event());
    }
    deliveries.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Found { scope: AppScope::of_path(caller, app.id)?, event, deliveries })
}

/// Returns whether the app is or was in the audience of an event of which it has no deliveries. The audience at the
/// time of the dispatch counts, which the feed shows even if the number has moved to another app since.
async fn is_for(org: &OrganizationStore, event: &OutboxEvent, app: &App) -> Result<bool, Failure> {
    Ok(match &event.audience {
        Audience::AllApps => true,
        Audience::App(id) => *id == app.id.as_str(),
        Audience::AppsOfNumber(number) if app.numbers.contains(number) => true,
        Audience::AppsOfNumber(_) => !org.events_in_feed(&app.id, [&event.id]).await?.is_empty(),
        // The only delivery of a test event was created with it, and ends with it.
        Audience::Nobody => false,
    })
}
