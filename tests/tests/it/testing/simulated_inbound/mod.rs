//! Messages of simulated users: every type, received by the code that handles live messages.

mod live_twins;
mod references;
mod requests;
mod types;

use serde_json::{Value, json};
use tests::{Call, Reply, Service as _, World};

const INBOUND: &str = "/v1/playground/chat/inbound";
const USER: &str = "+16505551234";

/// Lets a simulated user send a message.
async fn receive(world: &World, body: &Value) -> Reply {
    world.send(Call::post(INBOUND).key(&world.org.test_app_key).json(body)).await
}

/// The body with the fields that all messages have.
fn from_user(kind: &str, fields: &Value) -> Value {
    let mut body = json!({"from": USER, "type": kind, "profileName": "Ann"});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}
