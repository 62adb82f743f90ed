//! Signup: from an authorization code to a connected profile.

mod accounts;
mod interruptions;
mod refusals;
mod simulated;

use serde_json::{Value, json};
use tests::catalogue::SIGNUP;
use tests::request::text;
use tests::standin::Misbehave;
use tests::{Call, Service as _, World};

fn signup(account: &str) -> Call {
    Call::post(SIGNUP).json(&json!({"code": format!("code.{account}")}))
}

/// A live account with two numbers, connected to the test organization.
async fn connected(world: &World, account: &str) -> Value {
    world
        .platform
        .account(account, &[(&format!("{account}1"), "+1 201-555-0101"), (&format!("{account}2"), "12015550102")]);
    world.admin(signup(account)).await.expect(201)
}

async fn secret(world: &World, profile: &str) -> Value {
    let value = world.account.secrets.get_secret_value().secret_id(format!("profiles/{profile}")).send().await.unwrap();
    serde_json::from_str(value.secret_string().unwrap()).unwrap()
}

async fn events(world: &World, kind: &str) -> Vec<Value> {
    let items = world.account.items().await;
    let of_kind = items.into_iter().filter(|item| item["PK"].starts_with("EVT#") && item["type"] == kind);
    of_kind.map(|item| serde_json::from_str(&item["data"]).unwrap()).collect()
}

/// The first number of a profile.
async fn first_number(world: &World, profile: &Value) -> Value {
    let id = text(&profile["phoneNumbers"][0], "id");
    world.admin(Call::get(format!("/v1/organization/chat/phone-numbers/{id}"))).await.expect(200)
}

/// Lets the platform say this of the next tokens that are inspected.
fn describe_token(world: &World, token: &Value, times: u32) {
    let described = json!({"data": token}).to_string();
    world.platform.misbehave("debug_token", Misbehave::Status(200, described), times);
}
