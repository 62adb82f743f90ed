//! Test mode is bounded: what its organizations store, what they post to webhooks, and what a request reads.

mod inbound_media;
mod simulations;
mod storage;
mod webhooks;

use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Reply, Service as _, World};

const DAY: u64 = 24 * 3600;
const USER: &str = "+442079460123";

/// The id of the test app's chat number.
async fn own_number(world: &World) -> String {
    let listed = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let numbers = listed["data"].as_array().unwrap();
    text(numbers.iter().find(|number| number["apps"][0]["appId"] == world.org.test_app.as_str()).unwrap(), "id")
}

/// Replays a notification of the platform about the test app's number.
async fn replay(world: &World, field: &str, value: &Value) -> Reply {
    let body = json!({"field": field, "value": value, "target": own_number(world).await});
    world.send(Call::post("/v1/playground/notifications").key(&world.org.test_app_key).json(&body)).await
}
