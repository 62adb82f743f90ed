//! What each operation asks of the table is what tests/costs.json says: calls, how many of them wait for another, units.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use tests::catalogue::cases;
use tests::{Service as _, World};

/// More than two round trips in sequence, and why that stays so for now.
const DEEPER: &[(&str, &str)] = &[
    ("POST /v1/organization/chat/business-profiles/callback", "a signup in steps, each stored before the next"),
    ("POST /v1/organization/chat/phone-numbers", "onboarding of a number in steps"),
    ("POST /v1/organization/chat/templates/sync", "waits for the worker"),
    ("POST /v1/media", "the item first as pending, then the bytes, then the item as ready"),
    ("DELETE /v1/media/{mediaId}", "hidden first, then the bytes, then the item"),
    ("POST /v1/chat/groups", "the number, its profile and the request's news, around a call of the platform"),
    (
        "DELETE /v1/chat/groups/{groupId}/participants",
        "the group, its number and its profile, before a call of the platform",
    ),
    (
        "PUT /v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}",
        "the answer shows the number after the change, and its apps",
    ),
    (
        "DELETE /v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}",
        "the answer shows the number after the change, and its apps",
    ),
    ("POST /v1/playground/chat/messages", "the app follows from the proven key, its number from the app"),
    ("POST /v1/playground/sms/messages", "the app follows from the proven key"),
    ("GET /v1/organization/chat/business-profiles", "a list of ids, then what they name"),
    ("GET /v1/organization/chat/phone-numbers", "the numbers, then their apps"),
    ("GET /v1/organization/chat/messages", "a list of ids, then what they name"),
];

/// Reads by id that need their own partition only: credential and object in one round trip.
const ONE_TRIP: &[&str] = &[
    "GET /v1/organization/settings",
    "GET /v1/organization/apps/{appId}",
    "GET /v1/organization/apps/{appId}/calling",
    "GET /v1/organization/apps/{appId}/webhooks/{webhookId}",
    "GET /v1/media/{mediaId}",
    "GET /v1/organization/chat/messages/{messageId}",
];

async fn measure(world: &World) -> BTreeMap<String, Value> {
    let mut costs = BTreeMap::new();
    for case in cases(world).await {
        world.faults.meter.take();
        world.send(case.call.clone().key(case.right_key(&world.org))).await;
        let mut cost = world.faults.meter.take();
        // Those of one round trip end in any order.
        cost.calls.sort();
        let name = format!("{} {}", case.method(), case.template);
        // How often a waiting request looks is a matter of luck.
        let is_waiting = name.ends_with("/sync");
        let whole = json!({
            "calls": cost.calls, "sequentialDepth": cost.depth,
            "readUnits": cost.read_units, "writeUnits": cost.write_units,
        });
        costs.insert(name, if is_waiting { json!(null) } else { whole });
    }
    costs
}

/// `UPDATE_SAMPLES=1` writes the table anew.
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
        let depth = cost["sequentialDepth"].as_u64().unwrap_or(u64::MAX);
        if ONE_TRIP.contains(&name.as_str()) {
            assert_eq!(depth, 1, "{name}");
        }
        let is_deeper = DEEPER.iter().any(|(deeper, _)| deeper == name);
        assert_eq!(depth > 2, is_deeper, "{name}: {depth}");
    }
    assert_eq!(committed.len(), measured.len());
}
