//! Webhooks, their deliveries, queues of customers, and the feed.

mod deliveries;
mod delivery_details;
mod delivery_log;
mod destinations;
mod event_ends;
mod event_samples;
mod feed;
mod hostile_receivers;
mod patient_lane;
mod recoveries;
mod webhooks;

use messaging_client::types::{WebhookDelivery, WebhookDeliveryList};
use tests::{Call, Service as _, World};

/// The log of a webhook: its deliveries, newest first. `tests::contract` has checked that these types hide no
/// field of the JSON.
async fn log_of(world: &World, hook: &str) -> Vec<WebhookDelivery> {
    let page = world.admin(Call::get(format!("{hook}/deliveries?limit=100"))).await.expect(200);
    serde_json::from_value::<WebhookDeliveryList>(page).unwrap().data
}
