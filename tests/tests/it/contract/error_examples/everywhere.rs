//! Errors that look the same at every operation.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tests::faults::Fault;
use tests::request::{altered, text};
use tests::{Call, Service as _, World};

use super::shown;

/// Records the errors, by status.
pub(super) async fn record(world: &World) -> BTreeMap<String, Value> {
    let app = |name: &str| Call::post("/v1/organization/apps").key(&world.org.admin).json(&json!({"name": name}));
    let once = |name: &str| app(name).header("idempotency-key", "once");
    world.send(once("First")).await.expect(201);

    let mut replies = Vec::new();
    let reader = Call::post("/v1/organization/admin-keys").json(&json!({"name": "Reader", "scopes": ["apps:read"]}));
    let reader = text(&world.admin(reader).await.expect(201), "key");
    for call in [
        app("Shop").key(&altered(&world.org.admin)),
        app("Shop").key(&reader),
        app("Shop").bytes(vec![b' '; 300_000]),
        app("Shop").header("content-type", "text/plain"),
        once("Second"),
    ] {
        replies.push(world.send(call).await);
    }
    for fault in [Fault::Throttled, Fault::TimedOut] {
        world.faults.set(fault);
        replies.push(world.admin(Call::get("/v1/organization/settings")).await);
        world.faults.clear();
    }

    let recorded: BTreeMap<String, Value> =
        replies.iter().map(|reply| (reply.status.as_u16().to_string(), shown(reply))).collect();
    assert_eq!(recorded.keys().collect::<Vec<_>>(), ["401", "403", "413", "415", "422", "429", "500"]);
    recorded
}
