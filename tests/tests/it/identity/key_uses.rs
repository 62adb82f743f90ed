//! When a key was last used.

use std::time::Duration;

use domain::port::Clock as _;
use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Service as _, World};

const ADMIN_KEYS: &str = "/v1/organization/admin-keys";
const SETTINGS: &str = "/v1/organization/settings";

/// The last use of a key in a list. It is recorded beside the request, which does not wait for long.
async fn last_use(world: &World, list: &str, id: &str, expected: &Value) -> Value {
    let mut found = Value::Null;
    for _ in 0..100 {
        let page = world.admin(Call::get(list)).await.expect(200);
        let key = page["data"].as_array().unwrap().iter().find(|key| key["id"] == id).unwrap().clone();
        found = key["lastUsedAt"].clone();
        if found == *expected {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    found
}

#[tokio::test]
async fn the_hour_of_the_last_use_is_listed() {
    let world = World::new().await;
    let made = world.admin(Call::post(ADMIN_KEYS).json(&json!({"name": "Server"}))).await.expect(201);
    let (id, key) = (text(&made, "id"), text(&made, "key"));
    assert_eq!(last_use(&world, ADMIN_KEYS, &id, &Value::Null).await, Value::Null);
    for _ in 0..2 {
        world.send(Call::get(SETTINGS).key(&key)).await.expect(200);
        let hour = json!(world.clock.now().hour());
        assert_eq!(last_use(&world, ADMIN_KEYS, &id, &hour).await, hour);
        world.clock.advance(Duration::from_secs(3600));
    }

    let keys = format!("/v1/organization/apps/{}/keys", world.org.app);
    let made = world.admin(Call::post(&keys).json(&json!({}))).await.expect(201);
    world.send(Call::get("/v1/phone-numbers").key(&text(&made, "key"))).await.expect(200);
    let hour = json!(world.clock.now().hour());
    assert_eq!(last_use(&world, &keys, &text(&made, "id"), &hour).await, hour);
}

/// Neither a request that was refused nor one that asks for an error is a use.
#[tokio::test]
async fn a_refused_request_is_no_use() {
    let world = World::new().await;
    let body = json!({"name": "Office", "allowedIps": ["203.0.113.0/24"], "scopes": ["apps:read"], "test": true});
    let made = world.admin(Call::post(ADMIN_KEYS).json(&body)).await.expect(201);
    let call = |path: &str, address: &str| Call::get(path).key(&text(&made, "key")).from(address);
    world.send(call("/v1/organization/apps", "198.51.100.1")).await.expect(403);
    world.send(call(SETTINGS, "203.0.113.1")).await.expect(403);
    let on_demand = call("/v1/organization/apps", "203.0.113.1").header("playground-error", "message_not_found");
    assert!(!world.send(on_demand).await.status.is_success());
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(last_use(&world, ADMIN_KEYS, &text(&made, "id"), &Value::Null).await, Value::Null);
}

#[tokio::test]
async fn a_use_is_recorded_once_per_hour_and_function() {
    let world = World::new().await;
    let used = || world.faults.meter.aside().into_iter().filter(|call| call == "UpdateItem USED").count();
    for _ in 0..5 {
        world.admin(Call::get(SETTINGS)).await.expect(200);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let before = used();
    for _ in 0..5 {
        world.admin(Call::get(SETTINGS)).await.expect(200);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(used(), before);
    world.clock.advance(Duration::from_secs(3600));
    for _ in 0..5 {
        world.admin(Call::get(SETTINGS)).await.expect(200);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(used(), before + 1);
}
