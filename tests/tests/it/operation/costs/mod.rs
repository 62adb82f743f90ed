//! The DynamoDB usage of each operation matches tests/costs.json: calls, sequential round trips and capacity units, for a
//! credential that the function has found valid before and for a forged one.

mod credentials;
mod depth;
mod measure;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use tests::World;

use self::depth::{DEEPER, ONE_TRIP};
use self::measure::{LATER_WORK, NOTIFICATIONS, measure};

/// `UPDATE_SAMPLES=1` regenerates the table.
#[tokio::test]
async fn operations_cost_what_the_table_says() {
    let world = World::new().await;
    let measured = Box::pin(measure(&world)).await;

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("costs.json");
    if std::env::var("UPDATE_SAMPLES").is_ok() {
        std::fs::write(&path, contract::print::json(&json!(measured))).unwrap();
    }

    let committed: BTreeMap<String, Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (name, cost) in &measured {
        assert_eq!(committed.get(name), Some(cost), "{name}");
        let has_key = !name.starts_with(NOTIFICATIONS) && !LATER_WORK.contains(&name.as_str());
        if has_key {
            assert_eq!(cost["forged"], json!({"calls": ["GetItem"], "readUnits": 1.0}), "{name}");
        }

        if cost["calls"].is_null() {
            continue;
        }

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

fn depth(cost: &Value) -> u64 {
    cost["sequentialDepth"].as_u64().unwrap_or(u64::MAX)
}
