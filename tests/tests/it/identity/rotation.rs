//! A key gets another value: its id, its limits and its records of requests stay.

use std::time::Duration;

use domain::port::Clock as _;
use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Service as _, World};

const ADMIN_KEYS: &str = "/v1/organization/admin-keys";

fn settings(key: &str) -> Call {
    Call::get("/v1/organization/settings").key(key)
}

async fn rotated(world: &World, path: &str, body: &Value) -> Value {
    world.admin(Call::post(format!("{path}/rotate")).json(body)).await.expect(200)
}

#[tokio::test]
async fn the_value_of_before_works_until_its_end() {
    let world = World::new().await;
    let made = world.admin(Call::post(ADMIN_KEYS).json(&json!({"name": "Server", "scopes": ["settings:read"]}))).await;
    let made = made.expect(201);
    let (path, first) = (format!("{ADMIN_KEYS}/{}", text(&made, "id")), text(&made, "key"));

    let second = rotated(&world, &path, &json!({"gracePeriodSeconds": 60})).await;
    assert_eq!((&second["id"], &second["name"], &second["scopes"]), (&made["id"], &made["name"], &made["scopes"]));
    assert!(second["previousExpiresAt"].is_string() && second["lastFour"] != made["lastFour"], "{second}");
    let second = text(&second, "key");
    for key in [&first, &second] {
        world.send(settings(key)).await.expect(200);
    }
    // A value before that of before ends at once.
    let third = text(&rotated(&world, &path, &json!({"gracePeriodSeconds": 60})).await, "key");
    world.send(settings(&first)).await.expect(401);
    world.send(settings(&second)).await.expect(200);
    world.clock.advance(Duration::from_secs(61));
    world.send(settings(&second)).await.expect(401);
    world.send(settings(&third)).await.expect(200);

    let fourth = rotated(&world, &path, &json!({"gracePeriodSeconds": 0})).await;
    assert!(fourth["previousExpiresAt"].is_null(), "{fourth}");
    world.send(settings(&third)).await.expect(401);
    let fifth = text(&rotated(&world, &path, &json!({})).await, "key");
    world.admin(Call::delete(&path)).await.expect(200);
    for key in [text(&fourth, "key"), fifth] {
        world.send(settings(&key)).await.expect(401);
    }
    world.admin(Call::post(format!("{path}/rotate"))).await.expect(404);
    for wrong in [-1, 604_801] {
        let call = Call::post(format!("{path}/rotate")).json(&json!({"gracePeriodSeconds": wrong}));
        world.admin(call).await.refused(400, Some("gracePeriodSeconds"), None);
    }
}

#[tokio::test]
async fn a_retry_after_a_rotation_is_a_retry() {
    let world = World::new().await;
    let keys = format!("/v1/organization/apps/{}/keys", world.org.test_app);
    let made = world.admin(Call::post(&keys).json(&json!({}))).await.expect(201);
    let path = format!("{keys}/{}", text(&made, "id"));
    let numbers = world.send(Call::get("/v1/phone-numbers").key(&text(&made, "key"))).await.expect(200);
    let is_chat = |number: &&Value| number["kind"] == "chat";
    let number = text(numbers["data"].as_array().unwrap().iter().find(is_chat).unwrap(), "id");
    let send = |key: &str| {
        let body = json!({"from": number, "to": "+12025550123", "type": "text", "text": {"body": "Hi"}});
        Call::post("/v1/chat/messages").key(key).header("idempotency-key", "order-7").json(&body)
    };
    let sent = world.send(send(&text(&made, "key"))).await.expect(201);

    for _ in 0..2 {
        let value = text(&rotated(&world, &path, &json!({})).await, "key");
        let again = world.send(send(&value)).await;
        assert_eq!(again.headers["idempotency-replayed"], "true");
        assert_eq!(again.expect(200)["id"], sent["id"]);
    }
}

#[tokio::test]
async fn a_stored_secret_opens_only_to_the_value_that_asked() {
    let world = World::new().await;
    let made = world.admin(Call::post(ADMIN_KEYS).json(&json!({"name": "Server"}))).await.expect(201);
    let (path, first) = (format!("{ADMIN_KEYS}/{}", text(&made, "id")), text(&made, "key"));
    let create =
        |key: &str| Call::post(ADMIN_KEYS).key(key).header("idempotency-key", "once").json(&json!({"name": "Another"}));
    let another = world.send(create(&first)).await.expect(201);
    let second = text(&rotated(&world, &path, &json!({})).await, "key");
    // It is executed once, and the value that asked gets the secret again.
    world.send(create(&second)).await.refused(409, Some("Idempotency-Key"), None);
    assert_eq!(world.send(create(&first)).await.expect(201)["key"], another["key"]);
}

#[tokio::test]
async fn no_key_gets_the_value_of_a_more_powerful_one() {
    let world = World::new().await;
    let made = world.admin(Call::post(ADMIN_KEYS).json(&json!({"name": "All"}))).await.expect(201);
    let limited = json!({"name": "Keys", "scopes": ["keys:write"]});
    let limited = text(&world.admin(Call::post(ADMIN_KEYS).json(&limited)).await.expect(201), "key");
    let rotate = |id: &str| Call::post(format!("{ADMIN_KEYS}/{id}/rotate")).key(&limited);
    world.send(rotate(&text(&made, "id"))).await.refused(403, Some("scopes"), None);
    let test = world.admin(Call::post(ADMIN_KEYS).json(&json!({"name": "Test", "test": true}))).await.expect(201);
    let call = Call::post(format!("{ADMIN_KEYS}/{}/rotate", text(&made, "id"))).key(&text(&test, "key"));
    world.send(call).await.expect(404);
}

#[tokio::test]
async fn a_key_that_has_ended_is_not_revived() {
    let world = World::new().await;
    let end = json!({"name": "Brief", "expiresAt": world.clock.now().plus(Duration::from_secs(60))});
    let of_app = format!("/v1/organization/apps/{}/keys", world.org.app);
    let mut paths = Vec::new();
    for keys in [ADMIN_KEYS, &of_app] {
        let made = world.admin(Call::post(keys).json(&end)).await.expect(201);
        paths.push(format!("{keys}/{}/rotate", text(&made, "id")));
    }
    // No value outlives its key.
    let second = world.admin(Call::post(&paths[0])).await.expect(200);
    assert_eq!((&second["previousExpiresAt"], &second["expiresAt"]), (&end["expiresAt"], &end["expiresAt"]));
    world.clock.advance(Duration::from_secs(60));
    for path in paths {
        world.admin(Call::post(path)).await.refused(409, None, None);
    }
}

/// A deletion that meets rotations ends every value, also one that did not exist when the key was read.
#[tokio::test]
async fn no_value_survives_a_deletion_that_meets_a_rotation() {
    let world = World::new().await;
    let of_app = format!("/v1/organization/apps/{}/keys", world.org.app);
    let mut met = 0;
    for round in 0..20 {
        let keys = if round % 2 == 0 { ADMIN_KEYS } else { &of_app };
        let made = world.admin(Call::post(keys).json(&json!({"name": "Brief"}))).await.expect(201);
        let path = format!("{keys}/{}", text(&made, "id"));
        let rotate = || world.admin(Call::post(format!("{path}/rotate")).json(&json!({"gracePeriodSeconds": 60})));
        let (rotations, deleted) =
            tokio::join!(futures_util::future::join_all([rotate(), rotate()]), world.admin(Call::delete(&path)));
        deleted.expect(200);

        let values = rotations.into_iter().filter(|reply| reply.status == 200).map(|reply| text(&reply.json(), "key"));
        let values: Vec<String> = values.chain([text(&made, "key")]).collect();
        met += usize::from(values.len() > 1);
        for value in values {
            let call = if round % 2 == 0 { settings(&value) } else { Call::get("/v1/phone-numbers").key(&value) };
            world.send(call).await.expect(401);
        }
    }
    assert!(met > 0, "no rotation came before the deletion");
}

#[tokio::test]
async fn an_app_is_deleted_with_every_value_of_its_keys() {
    let world = World::new().await;
    let (app, key) = world.app(&world.org.admin, &json!({"name": "Short-lived"})).await;
    let keys = format!("/v1/organization/apps/{app}/keys");
    let listed = world.admin(Call::get(&keys)).await.expect(200);
    let path = format!("{keys}/{}", text(&listed["data"][0], "id"));
    let second = text(&rotated(&world, &path, &json!({})).await, "key");
    let numbers = |key: &str| Call::get("/v1/phone-numbers").key(key);
    for key in [&key, &second] {
        world.send(numbers(key)).await.expect(200);
    }
    world.admin(Call::delete(format!("/v1/organization/apps/{app}"))).await.expect(200);
    for key in [&key, &second] {
        world.send(numbers(key)).await.expect(401);
    }
}
