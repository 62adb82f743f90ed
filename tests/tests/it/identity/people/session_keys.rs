//! Keys of sessions: what they may do, how long, and what stays of them.

use std::time::Duration;

use domain::identity::member::{KEY_SECONDS, KEYS_PER_SESSION, UNUSED_SECONDS};
use serde_json::json;
use tests::catalogue::{SESSION, SESSION_KEY};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{signed_in, works};

const APPS: &str = "/v1/organization/apps";

#[tokio::test]
async fn a_key_has_the_rights_of_the_role_for_a_quarter_of_an_hour() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "DEVELOPER").await;
    let (live, test) = (ann.key(&world, "live").await, ann.key(&world, "test").await);
    let create = |key: &str| Call::post(APPS).json(&json!({"name": "Ann's"})).key(key);
    let made = world.send(create(&live)).await.expect(201);
    let keys = format!("{APPS}/{}/keys", text(&made, "id"));
    world.send(Call::post(&keys).key(&live)).await.expect(403);
    let of_test = world.send(create(&test)).await.expect(201);
    let keys = format!("{APPS}/{}/keys", text(&of_test, "id"));
    let scopes = json!({"scopes": ["messages:write"]});
    let key = world.send(Call::post(&keys).key(&test).json(&scopes)).await.expect(201);
    assert_eq!(key["createdBy"], json!({"kind": "MEMBER", "id": ann.member}));
    world.send(Call::patch("/v1/organization/settings").key(&live).json(&json!({"name": "Ours"}))).await.expect(403);

    world.clock.advance(Duration::from_secs(KEY_SECONDS));
    assert!(!works(&world, &live).await && works(&world, &ann.session).await);
}

#[tokio::test]
async fn an_app_key_of_a_session_sends() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "OWNER").await;
    let call = |body| Call::post(SESSION_KEY).key(&ann.session).json(&body);
    let key = world.send(call(json!({"appId": world.org.test_app}))).await.expect(201);
    assert!(key["key"].as_str().unwrap().starts_with("sk_test_app_"), "{key}");
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&text(&key, "key"))).await.expect(200);
    let sms = json!({"from": system["numbers"][0], "to": "+442079460111", "text": "Hello"});
    world.send(Call::post("/v1/sms").key(&text(&key, "key")).json(&sms)).await.expect(201);
    let missing = "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    world.send(call(json!({"appId": missing}))).await.refused(404, Some("appId"), None);
    for body in [json!({}), json!({"mode": "both"}), json!({"mode": "live", "appId": missing})] {
        world.send(call(body)).await.refused(400, Some("mode"), None);
    }
}

#[tokio::test]
async fn the_oldest_key_ends_and_none_is_listed() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "OWNER").await;
    let mut keys = Vec::new();
    for _ in 0..=KEYS_PER_SESSION {
        keys.push(ann.key(&world, "live").await);
        world.clock.advance(Duration::from_secs(1));
    }
    assert!(!works(&world, &keys[0]).await);
    for key in &keys[1..] {
        assert!(works(&world, key).await);
    }
    let listed = world.admin(Call::get("/v1/organization/admin-keys")).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 2, "the operator's two");

    world.send(Call::delete("/v1/session").key(&ann.session)).await.expect(200);
    for key in &keys {
        assert!(!works(&world, key).await);
    }
}

/// The app does not know the keys of sessions, so each request asks whether it is there, and how often it may be called.
#[tokio::test]
async fn an_app_key_of_a_session_follows_its_app() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "OWNER").await;
    let (app, _) = world.app(&world.org.admin, &json!({"name": "Brief", "test": true})).await;
    let key = world.send(Call::post(SESSION_KEY).key(&ann.session).json(&json!({"appId": app}))).await.expect(201);
    let get = || Call::get("/v1/playground/phone-numbers/system").key(&text(&key, "key"));
    let reply = world.send(get()).await;
    assert_eq!(reply.header("ratelimit"), None);
    reply.expect(200);

    let limit = json!({"rateLimit": {"requestsPerSecond": 1, "burst": 5}});
    world.admin(Call::patch(format!("{APPS}/{app}")).json(&limit)).await.expect(200);
    let reply = world.send(get()).await;
    assert!(reply.header("ratelimit").is_some());
    reply.expect(200);
    let media = Call::get("/v1/media/media_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv").key(&text(&key, "key"));
    world.send(media.clone()).await.expect(404);

    world.admin(Call::delete(format!("{APPS}/{app}"))).await.expect(200);
    for call in [get(), media] {
        world.send(call).await.unauthenticated("Invalid API key");
    }
}

/// No key outlives the twelve hours of its session.
#[tokio::test]
async fn a_key_ends_with_the_session_at_the_latest() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "OWNER").await;
    for _ in 0..6 {
        world.clock.advance(Duration::from_secs(UNUSED_SECONDS - 1));
        ann.key(&world, "live").await;
    }
    let call = Call::post(SESSION_KEY).key(&ann.session).json(&json!({"mode": "live"}));
    let key = world.send(call).await.expect(201);
    let session = world.send(Call::get(SESSION).key(&ann.session)).await.expect(200);
    assert_eq!(key["expiresAt"], session["expiresAt"]);
    world.clock.advance(Duration::from_secs(6));
    assert!(!works(&world, &text(&key, "key")).await && !works(&world, &ann.session).await);
}

/// A retry with the next key of the session finds what the first one made.
#[tokio::test]
async fn a_retry_with_another_key_of_the_member_is_one() {
    let world = World::new().await;
    let ann = signed_in(&world, "ann@example.com", "OWNER").await;
    let (first, second) = (ann.key(&world, "live").await, ann.key(&world, "live").await);
    let system = json!({"name": "Once"});
    let call = |key: &str| Call::post(APPS).json(&system).key(key).header("idempotency-key", "k1");
    world.send(call(&first)).await.expect(201);
    // The stored response opens only to the value that asked for it; nothing is made twice.
    world.send(call(&second)).await.expect(409);
    let apps = world.admin(Call::get(APPS)).await.expect(200);
    let made = apps["data"].as_array().unwrap().iter().filter(|app| app["name"] == "Once").count();
    assert_eq!(made, 1);
}
