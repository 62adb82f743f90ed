//! The DynamoDB usage of each operation matches tests/costs.json: calls, sequential round trips and capacity units.

use std::collections::BTreeMap;
use std::path::Path;

use http::Method;
use serde_json::{Value, json};
use tests::catalogue::cases;
use tests::chat::{connect, notification};
use tests::{Reply, Service as _, World};

/// Operations with more than two sequential round trips, each with the reason.
const DEEPER: &[(&str, &str)] = &[
    ("POST /v1/organization/chat/business-profiles/callback", "a signup in steps, each stored before the next"),
    ("POST /v1/organization/chat/phone-numbers", "onboarding of a number in steps"),
    ("POST /v1/organization/chat/templates/sync", "waits for the worker"),
    ("POST /v1/platform/notifications, a message that is stored", "whose it is, what is known of it, then the write"),
    ("POST /v1/media", "the item first as pending, then the bytes, then the item as ready"),
];

/// Reads by id that read the credential and the object in one round trip.
const ONE_TRIP: &[&str] = &[
    "GET /v1/organization/settings",
    "GET /v1/organization/apps/{appId}",
    "GET /v1/organization/apps/{appId}/calling",
    "GET /v1/organization/apps/{appId}/webhooks/{webhookId}",
    "GET /v1/media/{mediaId}",
    "GET /v1/organization/chat/messages/{messageId}",
    "GET /v1/organization/chat/business-profiles/{profileId}",
];

const NOTIFICATIONS: &str = "POST /v1/platform/notifications";

async fn measure(world: &World) -> BTreeMap<String, Value> {
    let mut costs = BTreeMap::new();
    for case in cases(world).await {
        let name = format!("{} {}", case.method(), case.template);
        let send = || world.send(case.call.clone().key(case.right_key(&world.org)));
        let mut cost = of(world, send()).await;
        // On a busy machine, a concurrent call can look like a sequential one. A read can be repeated.
        for _ in 0..if case.method() == Method::GET { 2 } else { 0 } {
            let again = of(world, send()).await;
            if depth(&again) < depth(&cost) {
                cost = again;
            }
        }
        // The number of polls depends on timing.
        let is_waiting = name.ends_with("/sync");
        costs.insert(name, if is_waiting { json!(null) } else { cost });
    }
    let line = connect(world, &world.org, "880").await;
    let hello = line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hello"}}));
    let mut to_nobody = hello["entry"][0]["changes"][0]["value"].clone();
    to_nobody["metadata"]["phone_number_id"] = json!("8811");
    let nobody = notification("881", 2_000_000_000, "messages", &to_nobody);
    costs.insert(NOTIFICATIONS.to_owned(), of(world, world.notify(&nobody)).await);
    let cost = of(world, world.notify(&hello)).await;
    assert_eq!(line.messages(world).await.len(), 1);
    costs.insert(format!("{NOTIFICATIONS}, a message that is stored"), cost);
    costs
}

fn depth(cost: &Value) -> u64 {
    cost["sequentialDepth"].as_u64().unwrap_or(u64::MAX)
}

async fn of(world: &World, request: impl Future<Output = Reply>) -> Value {
    world.faults.meter.take();
    request.await;
    let mut cost = world.faults.meter.take();
    // Calls of the same round trip end in any order.
    cost.calls.sort();
    json!({
        "calls": cost.calls, "sequentialDepth": cost.depth,
        "readUnits": cost.read_units, "writeUnits": cost.write_units,
    })
}

/// `UPDATE_SAMPLES=1` regenerates the table.
#[tokio::test]
async fn operations_cost_what_the_table_says() {
    let world = World::new().await;
    let measured = measure(&world).await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("costs.json");
    if std::env::var("UPDATE_SAMPLES").is_ok() {
        std::fs::write(&path, format!("{:#}\n", json!(measured))).unwrap();
    }
    let committed: BTreeMap<String, Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (name, cost) in &measured {
        assert_eq!(committed.get(name), Some(cost), "{name}");
        let depth = depth(cost);
        if ONE_TRIP.contains(&name.as_str()) {
            assert_eq!(depth, 1, "{name}");
        }
        let is_deeper = DEEPER.iter().any(|(deeper, _)| deeper == name);
        assert_eq!(depth > 2, is_deeper, "{name}: {depth}");
    }
    assert_eq!(committed.len(), measured.len());
    let mut named = ONE_TRIP.iter().chain(DEEPER.iter().map(|(name, _)| name));
    assert!(named.all(|name| measured.contains_key(*name)), "an operation has another name now");
}
