//! Accounts, numbers, templates and groups of the chat platform, and what the platform reports.

mod blocked_user_ids;
mod blocked_users;
mod calling;
mod chat_numbers;
mod coexistence;
mod connecting;
mod disconnecting;
mod graph_client;
mod group_management;
mod group_participants;
mod groups;
mod inbound;
mod notifications;
mod number_interruptions;
mod number_life;
mod number_profiles;
mod number_requests;
mod onboarding_links;
mod platform_check;
mod replayed_notifications;
mod signup;
mod template_edits;
mod template_media;
mod template_sync;
mod templates;

use serde_json::{Value, json};
use tests::World;
use tests::faults::Fault;
use tests::settings::PROFILE_SECRETS;
use tests::standin::Misbehave;

/// Checks those fields of an object that `expected` names. A field that is missing counts as null.
#[track_caller]
fn assert_fields(object: &Value, expected: &Value) {
    let names = expected.as_object().unwrap().keys();
    let fields: Value = names.map(|name| (name.clone(), object[name].clone())).collect();
    assert_eq!(fields, *expected, "{object}");
}

/// An object with more fields, which replace those with the same names.
fn merged(mut object: Value, fields: &Value) -> Value {
    object.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    object
}

/// Lets the platform return this token for the next `times` authorization codes.
fn grant_token(world: &World, token: &str, times: u32) {
    let granted = json!({"access_token": token}).to_string();
    world.platform.misbehave("oauth", Misbehave::Status(200, granted), times);
}

/// The response to a request, or nothing if the process stopped after so many of its AWS calls.
async fn unless_stopped<T>(world: &World, calls: u32, request: impl Future<Output = T>) -> Option<T> {
    world.faults.set(Fault::StoppedAfter(calls));
    let reply = tokio::select! {
        reply = request => Some(reply),
        () = world.faults.struck() => None,
    };
    world.faults.clear();
    reply
}

/// The names of the secrets that hold the tokens of the connected profiles.
async fn profile_secrets(world: &World) -> Vec<String> {
    let listed = world.account.secrets.list_secrets().send().await.unwrap();
    let names = listed.secret_list().iter().filter_map(|secret| secret.name().map(str::to_owned));
    names.filter(|name| name.starts_with(PROFILE_SECRETS)).collect()
}
