//! What entries never show, and how large they are.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use tests::catalogue::{HEADER_VALUE, cases};
use tests::{Call, Service as _, World};

use super::only_entry;

/// The largest item of an entry: one unit of writing.
const MOST_BYTES: usize = 1024;

async fn stored(world: &World) -> Vec<HashMap<String, AttributeValue>> {
    let mut items = world.account.stored_items().await;
    items.retain(|item| item["PK"].as_s().is_ok_and(|key| key.starts_with("AUDIT#")));
    items
}

/// Returns the size of a value as DynamoDB counts it.
fn size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::L(values) => 3 + values.iter().map(|value| 1 + size(value)).sum::<usize>(),
        AttributeValue::M(fields) => 3 + fields.iter().map(|(name, value)| 1 + name.len() + size(value)).sum::<usize>(),
        // The longest number of an entry.
        _ => 21,
    }
}

#[tokio::test]
async fn entries_show_no_secrets() {
    let world = World::new().await;
    for case in cases(&world).await {
        world.send(case.call.clone().key(case.right_key(&world.org))).await;
    }
    let stored = stored(&world).await;
    assert!(stored.len() > 40, "{}", stored.len());
    for item in stored {
        let text = format!("{item:?}");
        for secret in ["sk_", "whsec_", "onboarding_", HEADER_VALUE, "123456"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}

#[tokio::test]
async fn the_largest_entry_is_one_unit() {
    let world = World::new().await;
    let name = "ä".repeat(100);
    let made = json!({"name": name, "allowedIps": vec!["2001:db8:ffff:ffff:ffff:ffff:ffff:ff00/120"; 1], "scopes":
        domain::identity::scope::Scope::ALL, "rateLimit": {"requestsPerSecond": 10}});
    let agent = "a".repeat(1000);
    let call = Call::post("/v1/organization/admin-keys").json(&made).header("user-agent", &agent);
    world.admin(call.from("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff")).await.expect(201);
    let entry = only_entry(&world, "organization.adminKeys.create").await;
    assert_eq!(entry["userAgent"].as_str().unwrap().len(), 200);
    let name = entry["changes"][0]["to"].as_str().unwrap();
    assert_eq!((name.chars().count(), name.chars().last()), (64, Some('…')));
    for item in stored(&world).await {
        let bytes: usize = item.iter().map(|(name, value)| name.len() + size(value)).sum();
        assert!(bytes <= MOST_BYTES, "{bytes}: {item:?}");
    }
}
