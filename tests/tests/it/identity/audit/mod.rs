//! The audit log: every change is in it once, with who made it, and without secrets.

mod complete;
mod denied;
mod listing;
mod others;
mod platform;
mod secrets;

use serde_json::Value;
use tests::{Call, Service as _, World};

const LOG: &str = "/v1/organization/audit-log";

/// Returns the entries that a filter selects, newest first.
async fn entries(world: &World, filter: &str) -> Vec<Value> {
    let page = world.admin(Call::get(format!("{LOG}?limit=100&{filter}"))).await.expect(200);
    page["data"].as_array().unwrap().clone()
}

/// Returns the only entry of an action.
async fn only_entry(world: &World, action: &str) -> Value {
    let found = entries(world, &format!("action={action}")).await;
    assert_eq!(found.len(), 1, "{action}: {found:?}");
    found[0].clone()
}
