use std::time::Duration;

use serde_json::json;
use tests::request::text;
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/organization/admin-keys";

#[tokio::test]
async fn a_key_works_until_it_is_deleted() {
    let world = World::new().await;
    world.clock.advance(Duration::from_millis(1));
    let made = world.admin(Call::post(PATH).json(&json!({"name": "CI"}))).await.expect(201);
    let (id, key) = (text(&made, "id"), text(&made, "key"));
    assert!(key.starts_with("sk_admin_") && key.ends_with(&text(&made, "lastFour")));
    let listed = world.send(Call::get(PATH).key(&key)).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 3);
    assert_eq!(listed["data"][0]["id"], json!(id), "newest first");
    assert!(listed["data"].as_array().unwrap().iter().all(|entry| entry.get("key").is_none()));
    let deleted = world.send(Call::delete(format!("{PATH}/{id}")).key(&key)).await.expect(200);
    assert_eq!(deleted, json!({"message": "Admin key deleted"}));
    world.send(Call::get(PATH).key(&key)).await.unauthenticated("Invalid API key");
    world.admin(Call::delete(format!("{PATH}/{id}"))).await.refused(404, Some("id"), None);
}

#[tokio::test]
async fn a_key_expires_to_the_moment() {
    let world = World::new().await;
    let at = world.now().plus(Duration::from_secs(60)).to_string();
    let made = world.admin(Call::post(PATH).json(&json!({"name": "short", "expiresAt": at}))).await.expect(201);
    assert_eq!(made["expiresAt"], json!(at));
    let key = text(&made, "key");
    world.clock.advance(Duration::from_secs(59));
    world.send(Call::get(PATH).key(&key)).await.expect(200);
    world.clock.advance(Duration::from_secs(1));
    world.send(Call::get(PATH).key(&key)).await.unauthenticated("Invalid API key");
}

#[tokio::test]
async fn test_keys_make_and_see_test_keys_only() {
    let world = World::new().await;
    let test = &world.org.test_admin;
    let made = world.send(Call::post(PATH).key(test).json(&json!({"name": "t"}))).await.expect(201);
    assert!(text(&made, "id").starts_with("key_admin_test_"));
    let refused = world.send(Call::post(PATH).key(test).json(&json!({"name": "t", "test": false}))).await;
    refused.refused(403, Some("test"), None);
    let seen = world.send(Call::get(PATH).key(test)).await.expect(200);
    assert_eq!(seen["data"].as_array().unwrap().len(), 2);
    let live = text(&world.admin(Call::post(PATH).json(&json!({"name": "live"}))).await.expect(201), "id");
    world.send(Call::delete(format!("{PATH}/{live}")).key(test)).await.refused(404, Some("id"), None);
    let chosen = world.admin(Call::post(PATH).json(&json!({"name": "t", "test": true}))).await.expect(201);
    assert!(text(&chosen, "id").starts_with("key_admin_test_"));
}

#[tokio::test]
async fn wrong_input_is_refused() {
    let world = World::new().await;
    for (body, param) in [
        (json!({}), "name"),
        (json!({"name": 1}), "name"),
        (json!({"name": "x", "test": "yes"}), "test"),
        (json!({"name": "x", "expiresAt": "tomorrow"}), "expiresAt"),
        (json!({"name": "x", "expiresAt": "2020-01-01T00:00:00Z"}), "expiresAt"),
        (json!({"name": "x", "expiresAt": null}), "expiresAt"),
        (json!({"name": "x", "more": 1}), "more"),
        (json!({"more": 1}), "name"),
        (json!({"more": 1, "name": ""}), "name"),
    ] {
        world.admin(Call::post(PATH).json(&body)).await.refused(400, Some(param), None);
    }
    for id in ["x", "key_admin_x", "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv", "key_admin_0ujtsYcgvSTl8PAuAdqWYSMnLO%00"] {
        world.admin(Call::delete(format!("{PATH}/{id}"))).await.refused(400, Some("id"), None);
    }
}

#[tokio::test]
async fn an_organization_has_at_most_fifty_of_each_mode() {
    let world = World::new().await;
    let mut id = String::new();
    for _ in 1..50 {
        id = text(&world.admin(Call::post(PATH).json(&json!({"name": "k"}))).await.expect(201), "id");
    }
    world.admin(Call::post(PATH).json(&json!({"name": "k"}))).await.refused(400, Some("adminKeys"), None);
    world.admin(Call::delete(format!("{PATH}/{id}"))).await.expect(200);
    world.admin(Call::post(PATH).json(&json!({"name": "k"}))).await.expect(201);
}
