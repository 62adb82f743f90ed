//! What became of the events of a simulation. The ids of deliveries are derived from event and webhook, so the deliveries
//! of known events are read by their full keys.

use std::collections::HashMap;

use api::Tester;
use domain::delivery::{Delivery, event_of_app};
use domain::id::{AppId, EventId};
use domain::simulation::Simulation;
use domain::webhook::Webhook;
use domain::{Failure, Mode};
use store::OrganizationStore;

/// The deliveries of the events of a simulation.
pub(super) struct Caused {
    /// The app whose ids of the events are shown.
    app: Option<AppId>,
    deliveries: HashMap<EventId, Vec<Delivery>>,
}

impl Caused {
    /// Returns an event's id as the webhooks of the app get it.
    pub(super) fn event_id(&self, outbox: &EventId) -> Option<EventId> {
        self.app.as_ref().map(|app| event_of_app(outbox, app))
    }

    pub(super) fn deliveries(&self, outbox: &EventId) -> &[Delivery] {
        self.deliveries.get(outbox).map_or(&[], Vec::as_slice)
    }
}

/// Reads the deliveries to the webhooks of an app, or for an admin key to all that can have heard of the simulation.
pub(super) async fn of_events(
    store: &OrganizationStore,
    caller: &Tester,
    simulation: &Simulation,
) -> Result<Caused, Failure> {
    let mut apps: Vec<AppId> = match caller.app() {
        Some(app) => vec![app.clone()],
        None => {
            let number = store.chat_phone_number(&simulation.chat_phone_number_id).await?;
            number.map(|number| number.apps.into_iter().collect()).unwrap_or_default()
        }
    };
    let app = simulation.app_id.clone().or_else(|| apps.first().cloned());
    let events: Vec<_> = simulation.steps.iter().flat_map(|step| &step.events).collect();
    let mut deliveries: HashMap<EventId, Vec<Delivery>> = HashMap::new();
    if events.is_empty() {
        return Ok(Caused { app, deliveries });
    }
    apps.sort();
    let mut webhooks: Vec<Webhook> = Vec::new();
    for app in &apps {
        webhooks.extend(store.webhooks_of_app(app).await?);
    }
    if caller.app().is_none() {
        let others = store.organization_webhooks(Mode::Test).await?;
        webhooks.extend(others.into_iter().filter(|webhook| !apps.contains(&webhook.app_id)));
    }
    let mut expected = Vec::new();
    for event in &events {
        for webhook in &webhooks {
            let derived =
                Delivery::new(&event.id, event.name.clone(), &webhook.app_id, &webhook.id, simulation.created_at);
            expected.extend(derived.map(|delivery| (webhook.id.clone(), delivery.id)));
        }
    }
    let mut found = store.deliveries_by_id(&expected).await?;
    found.sort_by(|a, b| a.id.cmp(&b.id));
    for delivery in found {
        deliveries.entry(delivery.outbox_id.clone()).or_default().push(delivery);
    }
    Ok(Caused { app, deliveries })
}
