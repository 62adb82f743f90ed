//! Accounts whose business keeps using its business app: what the app shares is requested, and becomes contacts and
//! messages.

mod history;
mod orders;
mod requests;
mod simulated;

use serde_json::{Value, json};
use tests::World;
use tests::chat::Line;

/// A message of a history, from `from`, this many seconds after 1970.
fn message(id: &str, from: &str, at: i64, content: &Value) -> Value {
    let mut message =
        json!({"id": id, "from": from, "timestamp": at.to_string(), "history_context": {"status": "READ"}});
    message.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
    message
}

fn text_body(body: &str) -> Value {
    json!({"type": "text", "text": {"body": body}})
}

/// A part of a history: its chats, each of a user and their messages.
fn part(progress: u8, chats: &[(&str, Vec<Value>)]) -> Value {
    let threads: Vec<Value> = chats.iter().map(|(user, messages)| json!({"id": user, "messages": messages})).collect();
    json!({"metadata": {"phase": 0, "chunk_order": 1, "progress": progress}, "threads": threads})
}

fn history(line: &Line, parts: &[Value]) -> Value {
    line.about("history", &json!({"history": parts}))
}

/// Imports what waits, as the sweep and the worker do.
async fn import(world: &World) {
    world.sweep().await;
    world.work_off().await;
}

/// The number of stored items of waiting histories.
async fn waiting(world: &World) -> usize {
    world.account.items().await.iter().filter(|item| item["PK"].starts_with("HIST#")).count()
}
