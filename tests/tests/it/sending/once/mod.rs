//! A message is sent at most once, whatever happens to the call, the function or the request; and its outcome is right.

mod failures;
mod interruptions;
mod repetitions;
mod statuses;

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::Line;
use tests::request::text;
use tests::{Call, Reply, World};

const SEND: &str = "/v1/chat/messages";
/// After this time, the sweep gives up an attempt.
const UNRESOLVED: Duration = Duration::from_secs(121);

/// A request that sends a text.
fn send(line: &Line) -> Call {
    let body = json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "Hello"}});
    Call::post(SEND).key(&line.org.app_key).json(&body)
}

/// The same request with an `Idempotency-Key`.
fn keyed(line: &Line) -> Call {
    send(line).header("idempotency-key", &line.number)
}

/// The path of the platform's operation that sends messages of the number.
fn path(line: &Line) -> String {
    format!("/{}/messages", line.platform_number)
}

/// How many requests to send a message of the number the platform has got.
fn posts(world: &World, line: &Line) -> usize {
    world.platform.seen(&path(line)).len()
}

/// An update of the platform with the status of a message.
fn status(line: &Line, id: &str, platform_id: &str, status: &str) -> Value {
    line.status(&json!({"id": platform_id, "status": status, "timestamp": "2000000000", "recipient_id": "16505551234",
        "biz_opaque_callback_data": format!("{}:{id}", line.org.id)}))
}

fn outcome_of(reply: &Reply) -> String {
    text(&reply.json(), "outcome")
}
