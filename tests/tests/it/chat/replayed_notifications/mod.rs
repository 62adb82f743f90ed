//! Notifications in the platform's own form for test numbers: `POST /v1/playground/notifications`.

mod effects;
mod every_field;
mod ignored;
mod targets;

use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Reply, Service as _, World};

const NOTIFICATIONS: &str = "/v1/playground/notifications";

/// All numbers of the organization.
async fn numbers(world: &World) -> Vec<Value> {
    let listed = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    listed["data"].as_array().unwrap().clone()
}

/// The test app's number.
async fn own_number(world: &World) -> String {
    let numbers = numbers(world).await;
    text(numbers.iter().find(|number| number["apps"][0]["appId"] == world.org.test_app.as_str()).unwrap(), "id")
}

/// A text message with this id and sender.
fn message(id: &str, from: &str) -> Value {
    json!({"id": id, "from": from, "type": "text", "text": {"body": "x"}})
}

/// Sends a value of a field with the test app's key, for one of its numbers.
async fn replay(world: &World, target: &str, field: &str, value: &Value) -> Reply {
    let body = json!({"field": field, "value": value, "target": target});
    world.send(Call::post(NOTIFICATIONS).key(&world.org.test_app_key).json(&body)).await
}

/// Replays a value with one update, which is applied.
async fn apply(world: &World, target: &str, field: &str, value: &Value) {
    let replayed = replay(world, target, field, value).await.expect(202);
    assert_eq!(replayed, json!({"applied": 1, "ignored": []}), "{field} {value}");
}
