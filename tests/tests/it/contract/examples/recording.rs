//! Records requests and responses.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tests::catalogue::{SIGN_IN, cases, member, sign_in_token};
use tests::chat::connect;
use tests::standin::{Misbehave, error, number};
use tests::{Call, Service as _, World};

use super::secrets::without_secrets;

/// A filter of a feed, so that its example does not depend on the order of events.
const TYPES: &str = "types=messages.sms.received,messages.chat.received";

/// The recorded requests and responses, by operation id.
pub(super) async fn record(world: &World) -> BTreeMap<String, Value> {
    let document = contract::document();
    let mut calls: Vec<(&str, Call)> = Vec::new();
    for case in cases(world).await {
        calls.push((case.template, case.call.clone().key(case.right_key(&world.org))));
    }
    calls.extend(["/v1/health", "/v1/errors"].map(|path| (path, Call::get(path))));
    let link = sign_in_token(world, &member(world, "kim@example.com", "DEVELOPER").await).await;
    calls.push((SIGN_IN, Call::post(SIGN_IN).json(&json!({"token": link, "as": "bearer"}))));

    let mut examples = BTreeMap::new();
    for (template, call) in calls {
        let id = document["paths"][template][call.method.as_str().to_lowercase()]["operationId"].as_str().unwrap();
        let call = with_optional_parts(id, call);
        let mut example = responses(world, id, &call).await;
        example["parameters"] = parameters(template, &call).into();
        if call.headers.get("content-type").is_some_and(|mime| mime == "application/json") {
            example["request"] = serde_json::from_slice(&call.body).unwrap();
        }
        without_secrets(&mut example);
        examples.insert(id.to_owned(), example);
    }
    examples
}

/// The values of path and query parameters.
fn parameters(template: &str, call: &Call) -> Map<String, Value> {
    let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
    let in_path = template.split('/').zip(path.split('/'));
    let in_path = in_path.filter_map(|(name, value)| Some((name.strip_prefix('{')?.strip_suffix('}')?, value)));
    let in_query = query.split('&').filter_map(|pair| pair.split_once('='));
    in_path.chain(in_query).map(|(name, value)| (name.to_owned(), json!(value))).collect()
}

/// Adds bodies whose fields are all optional, so that the example shows the fields, and the filter of a feed.
fn with_optional_parts(id: &str, call: Call) -> Call {
    match id {
        "organization.apps.events.list" | "events.list" => Call { path: format!("{}&{TYPES}", call.path), ..call },
        "organization.apps.keys.create" => call.json(&json!({"name": "Backend"})),
        "organization.apps.webhooks.test" | "webhooks.test" => call.json(&json!({"event": "messages.sms.sent"})),
        "organization.apps.webhooks.rotateSecret" | "webhooks.rotateSecret" => {
            call.json(&json!({"gracePeriodSeconds": 3600}))
        }
        _ => call,
    }
}

/// The bodies of the responses with success: `responses` by status, and `examples` by status and name if a status has several
/// meanings.
async fn responses(world: &World, id: &str, call: &Call) -> Value {
    match id {
        "chat.messages.send" => sends(world, call, "+99930007").await,
        "sms.send" => sends(world, call, "+99940016").await,
        "organization.chat.businessProfiles.connect" | "organization.chat.businessProfiles.completeSignup" => {
            let made = world.send(call.clone()).await.expect(201);
            let again = world.send(call.clone()).await.expect(200);
            json!({"responses": {"201": made, "200": again}})
        }
        "organization.chat.phoneNumbers.register" => {
            let made = world.send(call.clone()).await.expect(201);
            let later = registered_later(world).await;
            json!({"responses": {"201": made, "200": later}})
        }
        "organization.chat.templates.create" => {
            let made = world.send(call.clone()).await.expect(201);
            let valid = world.send(with_field(call, "dryRun", json!(true))).await.expect(200);
            json!({"responses": {"201": made, "200": valid}})
        }
        "organization.apps.events.list" | "events.list" => {
            world.dispatch().await;
            let mut page = world.send(call.clone()).await.expect(200);
            let events = page["data"].as_array_mut().unwrap();
            assert!(!events.is_empty(), "{id}");
            events.truncate(1);
            json!({"responses": {"200": page}})
        }
        "errors.list" => {
            let mut catalogue = world.send(call.clone()).await.expect(200);
            catalogue["data"].as_array_mut().unwrap().truncate(2);
            json!({"responses": {"200": catalogue}})
        }
        _ => {
            let reply = world.send(call.clone()).await;
            assert!(reply.status.is_success(), "{call:?}: {reply:?}");
            json!({"responses": {(reply.status.as_str()): reply.json()}})
        }
    }
}

/// A message that is accepted and then repeated, one that waits in the queue, and one to a recipient whose response is lost.
async fn sends(world: &World, call: &Call, lost: &str) -> Value {
    let once = call.clone().header("idempotency-key", "example");
    let accepted = world.send(once.clone()).await.expect(201);
    let repeated = world.send(once).await;
    assert_eq!(repeated.header("idempotency-replayed"), Some("true"));
    let pending = world.send(with_field(call, "queue", json!(true))).await.expect(202);
    let unknown = world.send(with_field(call, "to", json!(lost))).await.expect(202);
    assert_eq!((&pending["outcome"], &unknown["outcome"]), (&json!("PENDING"), &json!("UNKNOWN")));
    json!({
        "responses": {"201": accepted, "200": repeated.expect(200)},
        "examples": {"202": {"pending": pending, "unknown": unknown}},
    })
}

/// A number that the platform did not register when it was added, and registers now.
async fn registered_later(world: &World) -> Value {
    let account = connect(world, &world.org, "4395").await.account;
    let (id, display) = ("43959", "+12015550195");
    world.platform.state().accounts.get_mut(&account).unwrap().numbers.push(number(id, display));
    let rejection = error(133_005, "Two-step PIN mismatch").to_string();
    world.platform.misbehave("43959/register", Misbehave::Status(400, rejection), 1);

    let body =
        json!({"displayPhoneNumber": display, "providerPhoneNumberId": id, "providerBusinessAccountId": account});
    let register = || Call::post("/v1/organization/chat/phone-numbers").json(&body);
    let added = world.admin(register()).await.expect(201);
    assert_eq!(added["cloudApiRegistered"], false);
    world.admin(register()).await.expect(200)
}

fn with_field(call: &Call, field: &str, value: Value) -> Call {
    let mut body: Value = serde_json::from_slice(&call.body).unwrap();
    body[field] = value;
    call.clone().json(&body)
}
