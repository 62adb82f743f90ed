//! Disconnecting an account, and connecting it again.

mod interruptions;
mod live;
mod reconnecting;
mod simulated;

use serde_json::{Value, json};
use tests::catalogue::{PROFILES, SIGNUP};
use tests::chat::{Line, events};
use tests::{Call, Service as _, World};

use super::grant_token;

fn disconnect(profile: &str) -> Call {
    Call::delete(format!("{PROFILES}/{profile}"))
}

fn signup(code: &str, account: &str) -> Call {
    Call::post(SIGNUP).json(&json!({"code": code, "wabaId": account}))
}

/// Lets the next exchange of a code return the token of this account.
fn grant(world: &World, account: &str) {
    grant_token(world, &format!("token-{account}"), 1);
}

async fn profile(world: &World, id: &str) -> Value {
    world.admin(Call::get(format!("{PROFILES}/{id}"))).await.expect(200)
}

/// The claims on live accounts and numbers, each with its organization.
async fn claims(world: &World) -> Vec<(String, String)> {
    let items = world.account.items().await.into_iter();
    let claims =
        items.filter(|item| item["SK"] == "REF" && (item["PK"].starts_with("WABA#") || item["PK"].starts_with("PPN#")));
    let mut claims: Vec<_> = claims.map(|item| (item["PK"].clone(), item["organizationId"].clone())).collect();
    claims.sort();
    claims
}

/// A request to send a message from the line.
fn send(line: &Line) -> Call {
    let body = json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "Hello"}});
    Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)
}

/// A notification of a message to the line.
fn hello(line: &Line, id: &str) -> Value {
    line.message(&json!({"id": id, "type": "text", "text": {"body": "Hello"}}))
}

/// The events of the line's disconnections.
async fn events_of(world: &World, line: &Line) -> Vec<Value> {
    let mut told = events(world, &line.org, "chat.account.disconnected").await;
    told.retain(|data| data["id"] == line.profile);
    told
}
