//! The platform check: what it asks the platform, how it names each fault, and how it is made on request and daily for each
//! live profile.

mod daily;
mod failures;
mod fault_table;
mod faults;
mod requests;
mod simulated;
mod tenants;

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::Line;
use tests::{Call, Service as _, World};

const CHECK: &str = "/v1/organization/chat/platform-check";
const DAY: i64 = 86_400;
const SECOND: Duration = Duration::from_secs(1);
/// Longer than the check of the app is kept, and far enough apart for the quota.
const APART: Duration = Duration::from_secs(200);

/// The findings of a check, with a key and a query.
async fn checked(world: &World, key: &str, query: &str) -> Vec<Value> {
    let checked = world.send(Call::get(format!("{CHECK}{query}")).key(key)).await.expect(200);
    checked["data"].as_array().unwrap().clone()
}

/// The findings of a check that repeats nothing from an earlier one.
async fn check(world: &World, key: &str, query: &str) -> Vec<Value> {
    world.clock.advance(APART);
    checked(world, key, query).await
}

async fn check_line(world: &World, line: &Line) -> Vec<Value> {
    check(world, &line.org.admin, &format!("?profileId={}", line.profile)).await
}

/// The findings that are not OK.
fn problems(findings: &[Value]) -> Vec<Value> {
    for finding in findings {
        assert_eq!(finding["status"] == "OK", finding.get("remedy").is_none(), "{finding}");
    }
    findings.iter().filter(|finding| finding["status"] != "OK").cloned().collect()
}

/// The only problem that a check of the line finds.
async fn only_problem(world: &World, line: &Line) -> Value {
    let found = problems(&check_line(world, line).await);
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].clone()
}

/// The health status of an account, with one entity.
fn health(entity: &Value) -> Value {
    json!({"health_status": {"can_send_message": "BLOCKED", "entities": [entity]}})
}
