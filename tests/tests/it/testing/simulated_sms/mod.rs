//! SMS messages of simulated users: received by the code that handles live messages.

mod messages;
mod numbers;

use serde_json::json;
use tests::{Call, Reply, Service as _, World};

const INBOUND: &str = "/v1/playground/sms/inbound";
const SYSTEM: &str = "/v1/playground/phone-numbers/system";
const USER: &str = "+442079460123";

/// Lets a simulated user send a message, with this app key.
async fn receive_as(world: &World, key: &str, from: &str, to: &str) -> Reply {
    let body = json!({"from": from, "to": to, "text": "Hello"});
    world.send(Call::post(INBOUND).key(key).json(&body)).await
}

/// The same with the key of the organization's test app.
async fn receive(world: &World, from: &str, to: &str) -> Reply {
    receive_as(world, &world.org.test_app_key, from, to).await
}

/// The system numbers of the app with this key.
async fn system_numbers(world: &World, key: &str) -> Vec<String> {
    let found = world.send(Call::get(SYSTEM).key(key)).await.expect(200);
    found["numbers"].as_array().unwrap().iter().map(|number| number.as_str().unwrap().to_owned()).collect()
}
