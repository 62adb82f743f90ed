//! Notifications of the platform: who may send them, which of them are applied at once and which are queued, whom they reach,
//! and what each kind of update changes.
//!
//! The forms of messages and statuses have tables of their own (`chat::inbound`).

mod accounts;
mod authentication;
mod contacts;
mod media;
mod messages;
mod queue;
mod repetitions;
mod routing;
mod statuses;
mod templates;

use serde_json::{Value, json};
use tests::chat::{Line, event_counts};
use tests::request::text;
use tests::standin::{APP_SECRET, signature};
use tests::{Call, Service as _, World};

use super::merged;

const PATH: &str = "/v1/platform/notifications";
/// The number of Ann, who writes to the business.
const ANN: &str = "16505551234";
/// The time of most updates, in seconds: 2033-05-18T03:33:20Z.
const SENT: i64 = 2_000_000_000;

/// A request with the platform's signature.
fn signed(body: impl Into<Vec<u8>>) -> Call {
    let body = body.into();
    Call::post(PATH).header("x-hub-signature-256", &signature(APP_SECRET, &body)).bytes(body)
}

/// A text message. Sender and time are those of [`Line::message`].
fn text_message(id: &str, body: &str) -> Value {
    json!({"id": id, "type": "text", "text": {"body": body}})
}

/// A text message from Ann, for notifications with many messages.
fn message_from_ann(id: &str, body: &str) -> Value {
    merged(text_message(id, body), &json!({"from": ANN, "timestamp": SENT.to_string()}))
}

/// A status of a message to Ann, this many seconds after `SENT`.
fn status(id: &str, status: &str, seconds: i64) -> Value {
    json!({"id": id, "status": status, "timestamp": (SENT + seconds).to_string(), "recipient_id": ANN})
}

/// The details of the message with this id at the platform.
async fn shown(world: &World, line: &Line, id: &str) -> Value {
    let messages = line.messages(world).await;
    let message = messages.iter().find(|message| message["providerMessageId"] == id);
    let message = message.unwrap_or_else(|| panic!("{id}: {messages:?}"));
    line.details(world, &text(message, "id")).await
}

async fn shown_number(world: &World, line: &Line) -> Value {
    world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{}", line.number))).await.expect(200)
}

/// The numbers of the organization's events whose names are `prefix` and one of `names`.
async fn events_named<const N: usize>(world: &World, prefix: &str, names: [&str; N]) -> [usize; N] {
    let counts = event_counts(world, &world.org).await;
    names.map(|name| counts.get(&format!("{prefix}.{name}")).copied().unwrap_or(0))
}
