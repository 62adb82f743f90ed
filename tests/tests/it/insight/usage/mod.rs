//! How many messages and deliveries there were.

mod costs;
mod counting;
mod deliveries;
mod pages;
mod prices;
mod recount;
mod remains;
mod soak;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tests::chat::Line;
use tests::request::text;
use tests::{Call, Service as _, World};

const USAGE: &str = "/v1/organization/usage";
/// The numbers of a row of messages that are always there.
const NUMBERS: [&str; 10] =
    ["messages", "pending", "accepted", "refused", "unknown", "expired", "sent", "delivered", "read", "failed"];

async fn usage(world: &World, query: &str) -> Value {
    world.admin(Call::get(format!("{USAGE}?{query}"))).await.expect(200)
}

fn rows(page: &Value) -> &Vec<Value> {
    page["data"].as_array().unwrap()
}

fn send(line: &Line, to: &str) -> Call {
    let body = json!({"from": line.number, "to": to, "type": "text", "text": {"body": "Hello"}});
    Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)
}

/// A system number of the test app, which can send SMS.
async fn system_number(world: &World) -> String {
    let system = Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key);
    text(&json!({"number": world.send(system).await.expect(200)["numbers"][0]}), "number")
}

fn status(line: &Line, platform_id: &str, name: &str, more: &Value) -> Value {
    let mut status =
        json!({"id": platform_id, "status": name, "timestamp": "2000000000", "recipient_id": "16505551234"});
    status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.status(&status)
}

/// What the log says: the numbers of all messages of an hour or a day, by period and the values of these fields.
fn counted(
    log: &[Value],
    length: usize,
    of: impl Fn(&Value) -> Vec<String>,
) -> BTreeMap<Vec<String>, BTreeMap<&'static str, i64>> {
    let mut counts: BTreeMap<Vec<String>, BTreeMap<&'static str, i64>> = BTreeMap::new();
    for message in log {
        let period = text(message, "createdAt")[..length].to_owned();
        let key = [vec![period], of(message)].concat();
        let numbers = counts.entry(key).or_default();
        let is_outbound = message["direction"] == "OUTBOUND";
        let has = |name: &str| message[name].is_string();
        let outcome = message["outcome"].as_str().unwrap_or_default();
        let was_not_sent = ["REFUSED", "EXPIRED"].contains(&outcome);
        for name in NUMBERS {
            let counts = match name {
                "messages" => true,
                "sent" => is_outbound && has("sentAt"),
                "delivered" => is_outbound && has("deliveredAt"),
                "read" => has("readAt"),
                "failed" => has("failedAt") && !was_not_sent,
                outcome_name => outcome.to_lowercase() == outcome_name,
            };
            *numbers.entry(name).or_default() += i64::from(counts);
        }
    }
    counts
}

/// What usage says, in the same form.
fn shown(page: &Value, length: usize, names: &[&str]) -> BTreeMap<Vec<String>, BTreeMap<&'static str, i64>> {
    let row = |row: &Value| {
        let period = text(row, "period")[..length].to_owned();
        let values = names.iter().map(|name| row[*name].as_str().unwrap_or("-").to_owned());
        let key = [vec![period], values.collect()].concat();
        (key, NUMBERS.iter().map(|name| (*name, row[*name].as_i64().unwrap())).collect())
    };
    rows(page).iter().map(row).collect()
}
