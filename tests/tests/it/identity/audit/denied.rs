//! Requests that were denied: a few per hour and key are entered, and all are counted.

use std::time::Duration;

use domain::audit::DENIALS_PER_HOUR;
use serde_json::json;
use tests::faults::Fault;
use tests::request::text;
use tests::{Call, Service as _, World};

use super::entries;

const ADMIN_KEYS: &str = "/v1/organization/admin-keys";
const SETTINGS: &str = "/v1/organization/settings";

#[tokio::test]
async fn refusals_are_entered_up_to_a_number_per_hour() {
    let world = World::new().await;
    let body = json!({"name": "Apps", "scopes": ["apps:read"], "allowedIps": ["203.0.113.0/24"]});
    let made = world.admin(Call::post(ADMIN_KEYS).json(&body)).await.expect(201);
    let call = |address: &str| Call::get(SETTINGS).key(&text(&made, "key")).from(address);

    world.send(call("198.51.100.1")).await.expect(403);
    let [entry] = &entries(&world, "outcome=DENIED").await[..] else { panic!("one entry") };
    assert_eq!(entry["action"], "organization.settings.get");
    assert_eq!(entry["actor"], json!({"kind": "KEY", "id": made["id"]}));
    assert_eq!((&entry["sourceIp"], entry.get("target")), (&json!("198.51.100.1"), None));

    let most = usize::try_from(DENIALS_PER_HOUR).unwrap();
    for _ in 0..most + 3 {
        world.send(call("203.0.113.1")).await.expect(403);
    }
    assert_eq!(entries(&world, "outcome=DENIED").await.len(), most);
    let counted = world.metrics.json().iter().filter(|line| line.get("DeniedRequests").is_some()).count();
    assert_eq!(counted, most + 4);

    world.clock.advance(Duration::from_secs(3600));
    world.send(call("203.0.113.1")).await.expect(403);
    assert_eq!(entries(&world, "outcome=DENIED").await.len(), most + 1);
}

/// A refused request that was not entered is still refused with its reason.
#[tokio::test]
async fn a_refusal_does_not_depend_on_the_log() {
    let world = World::new().await;
    let body = json!({"name": "Apps", "scopes": ["apps:read"]});
    let made = world.admin(Call::post(ADMIN_KEYS).json(&body)).await.expect(201);
    world.faults.set(Fault::Conflicting);
    let refused = world.send(Call::get(SETTINGS).key(&text(&made, "key"))).await.expect(403);
    world.faults.clear();
    assert!(refused["error"]["message"].as_str().unwrap().contains("settings:read"), "{refused}");
}
