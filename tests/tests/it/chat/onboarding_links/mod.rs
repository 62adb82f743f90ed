//! Onboarding links: a customer connects an account without a key of the organization.

mod interruptions;
mod links;
mod signups;

use serde_json::{Value, json};
use tests::catalogue::PROFILES;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::merged;

const LINKS: &str = "/v1/organization/chat/onboarding-links";

/// A request to create a link with these fields, besides its URLs and state.
fn with(more: &Value) -> Call {
    let urls = json!({"successUrl": "https://example.com/done?a=b", "failureUrl": "https://example.com/failed"});
    Call::post(LINKS).json(&merged(merged(urls, &json!({"state": "c 7"})), more))
}

/// The token in the URL of a new link.
fn token_of(made: &Value) -> String {
    text(made, "url").split_once('#').unwrap().1.to_owned()
}

/// A request to complete a signup with a link.
fn complete(token: &str, cookie: &str, code: &str, state: &str) -> Call {
    let body = json!({"code": code, "state": state});
    Call::post("/v1/onboarding/complete").key(token).header("cookie", cookie).json(&body)
}

/// The profile of a platform account.
async fn connected(world: &World, account: &str) -> Option<Value> {
    let list = world.admin(Call::get(PROFILES)).await.expect(200);
    let profiles = list["data"].as_array().unwrap();
    profiles.iter().find(|profile| profile["providerWabaId"] == account).cloned()
}

/// A link, as an admin key sees it.
async fn shown(world: &World, id: &str) -> Value {
    world.admin(Call::get(format!("{LINKS}/{id}"))).await.expect(200)
}
