//! The deliveries of a simulation's events. The ids of deliveries are derived from event and webhook, so the deliveries
//! of known events are read by their full keys.

use std::collections::HashMap;

use api::Tester;
use domain::events::delivery::{Delivery, event_of_app};
use domain::events::webhook::Webhook;
use domain::id::{AppId, DeliveryId, EventId, WebhookId};
use domain::testing::simulation::{CausedEvent, DELIVERIES_SHOWN, Simulation};
use domain::{Failure, Mode};
use store::OrganizationStore;

/// The deliveries of the events of a simulation.
pub(super) struct Caused {
    /// The app whose ids of the events are shown.
    app: Option<AppId>,
    deliveries: HashMap<EventId, Vec<Delivery>>,
    /// Whether there can be more deliveries than were looked up.
    pub(super) is_truncated: bool,
}

impl Caused {
    /// Returns the event's id that the webhooks of the app receive.
    pub(super) fn event_id(&self, outbox: &EventId) -> Option<EventId> {
        self.app.as_ref().map(|app| event_of_app(outbox, app))
    }

    pub(super) fn deliveries(&self, outbox: &EventId) -> &[Delivery] {
        self.deliveries.get(outbox).map_or(&[], Vec::as_slice)
    }
}

/// The ids of all deliveries that can exist.
struct Expected<'a> {
    events: Vec<&'a CausedEvent>,
    simulation: &'a Simulation,
    ids: Vec<(WebhookId, DeliveryId)>,
}

impl Expected<'_> {
    fn is_too_many(&self) -> bool {
        self.ids.len() > DELIVERIES_SHOWN
    }

    fn add(&mut self, webhooks: &[Webhook]) {
        let began = self.simulation.created_at;
        for webhook in webhooks {
            // A webhook that was changed after the simulation began may have listened to other events before.
            let may_have_heard =
                |event: &CausedEvent| webhook.updated_at >= began || webhook.events.contains(&event.name);
            for event in self.events.iter().filter(|event| may_have_heard(event)) {
                let derived = Delivery::new(&event.id, event.name.clone(), &webhook.app_id, &webhook.id, began);
                self.ids.extend(derived.map(|delivery| (webhook.id.clone(), delivery.id)));
            }
        }
    }
}

/// Reads the deliveries to the webhooks of an app, or for an admin key to all webhooks that can have received events of
/// the simulation.
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
        return Ok(Caused { app, deliveries, is_truncated: false });
    }

    apps.sort();
    let mut expected = Expected { events, simulation, ids: Vec::new() };
    for app in &apps {
        if expected.is_too_many() {
            break;
        }
        expected.add(&store.webhooks_of_app(app).await?);
    }
    if caller.app().is_none() && !expected.is_too_many() {
        let mut others = store.organization_webhooks(Mode::Test).await?;
        others.retain(|webhook| !apps.contains(&webhook.app_id));
        expected.add(&others);
    }

    let is_truncated = expected.is_too_many();
    let mut expected = expected.ids;
    expected.truncate(DELIVERIES_SHOWN);
    let mut found = store.deliveries_by_id(&expected).await?;
    found.sort_by(|a, b| a.id.cmp(&b.id));
    for delivery in found {
        deliveries.entry(delivery.outbox_id.clone()).or_default().push(delivery);
    }
    Ok(Caused { app, deliveries, is_truncated })
}
