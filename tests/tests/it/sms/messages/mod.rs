//! SMS and MMS messages: sent once, with exactly the carrier's request; and their log.

mod failures;
mod log;
mod queued;
mod requests;

use serde_json::{Value, json};
use tests::standin::Misbehave;
use tests::{Call, Service as _, World};

const SEND: &str = "/v1/sms";
const LOG: &str = "/v1/organization/sms/messages";
const NUMBER: &str = "+12015550100";
const TO: &str = "+12025550123";

/// A request that sends a message.
fn send(world: &World, body: &Value) -> Call {
    Call::post(SEND).key(&world.org.app_key).json(body)
}

fn hello(from: &str) -> Value {
    json!({"from": from, "to": TO, "text": "Hello"})
}

/// A refusal of the carrier.
fn refuse(exception: &str, reason: &str) -> Misbehave {
    Misbehave::Status(400, json!({"__type": exception, "Message": "no", "Reason": reason}).to_string())
}

/// IAM's denial of a call, which names the account and the role.
fn denied() -> Misbehave {
    let message = "User: arn:aws:sts::123456789012:assumed-role/sending is not authorized to perform this";
    Misbehave::Status(400, json!({"__type": "AccessDeniedException", "Message": message}).to_string())
}

/// The message as the log shows it.
async fn stored(world: &World, id: &str) -> Value {
    world.admin(Call::get(format!("{LOG}/{id}"))).await.expect(200)
}

/// How many requests to send a message the carrier has got.
fn sent_count(world: &World) -> usize {
    world.carrier_account.state().sends.len()
}
