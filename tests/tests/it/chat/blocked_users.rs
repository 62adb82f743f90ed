//! The users that a chat phone number has blocked: at the platform, and in test mode.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::connect;
use tests::request::{altered, text};
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

const ANN: &str = "+16505551234";
const BOB: &str = "+16505559999";

pub(super) fn path(number: &str) -> String {
    format!("/v1/chat/phone-numbers/{number}/blocked-users")
}

pub(super) fn users(users: &[&str]) -> Value {
    json!({"users": users})
}

/// The chat number that was created with the test app.
pub(super) async fn test_number(world: &World) -> String {
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let is_own = |number: &&Value| number["apps"][0]["appId"] == world.org.test_app.as_str();
    text(numbers["data"].as_array().unwrap().iter().find(is_own).unwrap(), "id")
}

#[tokio::test]
async fn users_are_blocked_listed_and_unblocked_at_the_platform() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4001").await;
    let key = &line.org.app_key;
    let change = |call: Call, body: Value| world.send(call.key(key).json(&body));
    let block = |body: Value| change(Call::post(path(&line.number)), body);
    let unblock = |body: Value| change(Call::delete(path(&line.number)), body);
    assert_eq!(block(users(&[BOB, ANN])).await.expect(200), json!({"blocked": [BOB, ANN], "failed": []}));
    let seen = world.platform.seen("block_users").pop().unwrap();
    assert_eq!(
        (seen.method.as_str(), seen.path.as_str()),
        ("POST", format!("/{}/block_users", line.platform_number).as_str())
    );
    let sent = json!({"messaging_product": "whatsapp", "block_users": [{"user": BOB}, {"user": ANN}]});
    assert_eq!(seen.json(), sent);
    let list = |query: &str| world.send(Call::get(format!("{}{query}", path(&line.number))).key(key));
    let first = list("?limit=1").await.expect(200);
    assert_eq!(first["data"], json!([{"user": ANN}]));
    let second = list(&format!("?limit=1&cursor={}", text(&first, "nextCursor"))).await.expect(200);
    assert_eq!(second["data"], json!([{"user": BOB}]));
    let seen = world.platform.seen("block_users").pop().unwrap();
    assert_eq!((seen.query["limit"].as_str(), seen.query["after"].as_str()), ("1", "1"));
    // The platform may leave out that more follow, so the list ends with a page that is not full.
    let third = list(&format!("?limit=1&cursor={}", text(&second, "nextCursor"))).await.expect(200);
    assert_eq!(third, json!({"data": [], "nextCursor": null}));
    assert_eq!(world.platform.seen("block_users").pop().unwrap().query["after"], "2");
    assert_eq!(list("?limit=3").await.expect(200)["nextCursor"], json!(null));
    let other = connect(&world, &world.org, "4002").await;
    let foreign = format!("{}?cursor={}", path(&other.number), text(&first, "nextCursor"));
    world.send(Call::get(foreign).key(key)).await.refused(400, Some("cursor"), None);
    assert_eq!(unblock(users(&[ANN])).await.expect(200), json!({"unblocked": [ANN], "failed": []}));
    let seen = world.platform.seen("block_users").pop().unwrap();
    let sent = json!({"messaging_product": "whatsapp", "block_users": [{"user": ANN}]});
    assert_eq!((seen.method.as_str(), seen.json()), ("DELETE", sent));
    assert_eq!(list("").await.expect(200)["data"], json!([{"user": BOB}]));
}

/// If some users fail, the platform responds with an error status, and both the outcomes and an error.
#[tokio::test]
async fn each_user_succeeds_or_fails_by_itself() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4003").await;
    world.platform.state().unblockable.insert(ANN[1..].to_owned(), 131_047);
    let call = || Call::post(path(&line.number)).key(&line.org.app_key);
    let changed = world.send(call().json(&users(&[ANN, BOB]))).await.expect(200);
    assert_eq!((&changed["blocked"], &changed["failed"][0]["user"]), (&json!([BOB]), &json!(ANN)));
    let failed = &changed["failed"][0]["error"];
    assert_eq!((&failed["type"], &failed["code"]), (&json!("provider_error"), &json!("conversation_window_expired")));
    assert_eq!(failed["message"], "WhatsApp rejected the request: Rejected: Details of it");
    assert_eq!(failed["provider"]["code"], 131_047);
    // What the platform does not report is not claimed to have been done.
    let partial = json!({"block_users": {"added_users": [{"input": BOB, "wa_id": &BOB[1..]}]}}).to_string();
    world.platform.misbehave("block_users", Misbehave::Status(200, partial), 1);
    let changed = world.send(call().json(&users(&[ANN, BOB]))).await.expect(200);
    assert_eq!(
        (&changed["blocked"], &changed["failed"][0]["error"]["code"]),
        (&json!([BOB]), &json!("platform_api_error"))
    );
    for (code, status, ours) in [
        (139_100, 422, "platform_api_error"),
        (139_101, 422, "platform_api_error"),
        (139_103, 422, "platform_api_error"),
        (130_429, 429, "chat_rate_limited"),
        (368, 422, "account_restricted"),
    ] {
        let body = error(code, "no").to_string();
        world.platform.misbehave("block_users", Misbehave::Status(400, body), 1);
        let refused = world.send(call().json(&users(&[BOB]))).await;
        assert_eq!(refused.header("retry-after").is_some(), status == 429);
        refused.refused(status, None, Some(ours));
    }
    // No user is named, so the error is about all of them.
    let mut body = error(130_429, "no");
    body["block_users"] = json!({});
    world.platform.misbehave("block_users", Misbehave::Status(400, body.to_string()), 1);
    world.send(call().json(&users(&[BOB]))).await.refused(429, None, Some("chat_rate_limited"));
    let body = error(139_102, "Blocklist concurrent update").to_string();
    world.platform.misbehave("block_users", Misbehave::Status(400, body), 1);
    let list = world.send(Call::get(path(&line.number)).key(&line.org.app_key)).await;
    let body = list.refused(422, None, Some("platform_api_error"));
    assert!(body["error"]["additional_info"][0].as_str().unwrap().contains("Start again without cursor"));
}

/// A repeated request does not reach the platform again.
#[tokio::test]
async fn a_request_with_a_key_is_made_once() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4004").await;
    world.platform.state().unblockable.insert(ANN[1..].to_owned(), 131_047);
    let call = || {
        Call::post(path(&line.number))
            .key(&line.org.app_key)
            .header("Idempotency-Key", "once")
            .json(&users(&[ANN, BOB]))
    };
    let first = world.send(call()).await.expect(200);
    assert_eq!(world.send(call()).await.expect(200), first);
    assert_eq!(world.platform.seen("block_users").len(), 1);
    // As many users as a request takes, and texts as long as those that are kept.
    let many: Vec<String> = (0..200).map(|n| format!("+1650555{n:04}")).collect();
    let reason = json!({"code": 131_047, "message": "m".repeat(1000), "error_data": {"details": "d".repeat(1000)}});
    let failed: Vec<Value> = many.iter().map(|user| json!({"input": user, "errors": [reason]})).collect();
    let mut refused = error(139_100, "(#139100) Failed to block/unblock users");
    refused["block_users"] = json!({"added_users": [], "removed_users": [], "failed_users": failed});
    world.platform.misbehave("block_users", Misbehave::Status(400, refused.to_string()), 1);
    let large = || {
        let call = Call::post(path(&line.number)).key(&line.org.app_key);
        call.header("Idempotency-Key", "large").json(&json!({"users": many}))
    };
    let first = world.send(large()).await.expect(200);
    assert_eq!(first["failed"].as_array().unwrap().len(), 200);
    assert_eq!(world.send(large()).await.expect(200), first);
    assert_eq!(world.platform.seen("block_users").len(), 2);
}

#[tokio::test]
async fn only_an_app_of_the_number_may_block_and_only_users() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4005").await;
    let stranger = world.organization("Stranger").await;
    let foreign = connect(&world, &stranger, "4006").await;
    let (_, other_key) = world.app(&world.org.admin, &json!({"name": "Other"})).await;
    let own = &world.org.app_key;
    let test = test_number(&world).await;
    for (key, number) in [
        (&other_key, &line.number),
        (&world.org.test_app_key, &line.number),
        (own, &foreign.number),
        (own, &test),
        (own, &altered(&line.number)),
    ] {
        for call in [
            Call::get(path(number)),
            Call::post(path(number)).json(&users(&[ANN])),
            Call::delete(path(number)).json(&users(&[ANN])),
        ] {
            world.send(call.key(key)).await.refused(404, Some("chatPhoneNumberId"), None);
        }
    }
    let many: Vec<String> = (0..201).map(|n| format!("+1650555{n:04}")).collect();
    let itself = format!("+{}", line.display);
    for (body, param, code) in [
        (json!({}), "users", None),
        (json!({"users": []}), "users", None),
        (json!({"users": many}), "users", None),
        (json!({"users": [ANN, "nope"]}), "users[1]", Some("invalid_phone_number")),
        (json!({"users": [ANN, ANN]}), "users[1]", None),
        (json!({"users": [ANN, itself]}), "users[1]", None),
        (json!({"users": [ANN], "reason": "spam"}), "reason", None),
    ] {
        for call in [Call::post(path(&line.number)), Call::delete(path(&line.number))] {
            world.send(call.key(own).json(&body)).await.refused(400, Some(param), code);
        }
    }
    assert!(world.platform.seen("block_users").is_empty());
    let most = json!({"users": &many[..200]});
    let changed = world.send(Call::post(path(&line.number)).key(own).json(&most)).await.expect(200);
    assert_eq!(changed["blocked"].as_array().unwrap().len(), 200);
}

#[tokio::test]
async fn simulated_users_can_be_blocked_for_a_day_after_they_wrote() {
    let world = World::new().await;
    let number = test_number(&world).await;
    let key = &world.org.test_app_key;
    let write = |from: &str| {
        let body = json!({"from": from, "type": "text", "text": {"body": "Hello"}});
        world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&body))
    };
    let send = |to: &str| {
        let body = json!({"from": number, "to": to, "type": "text", "text": {"body": "Hello"}});
        world.send(Call::post("/v1/chat/messages").key(key).json(&body))
    };
    let block = |list: &[&str]| world.send(Call::post(path(&number)).key(key).json(&users(list)));
    let list = |query: &'static str| world.send(Call::get(format!("{}{query}", path(&number))).key(key));
    write(ANN).await.expect(201);
    let changed = block(&[ANN, BOB, "+99910139101"]).await.expect(200);
    assert_eq!(changed["blocked"], json!([ANN]));
    let failed = |changed: &Value| -> Vec<(Value, Value)> {
        let failed = changed["failed"].as_array().unwrap();
        failed.iter().map(|failed| (failed["user"].clone(), failed["error"]["provider"]["code"].clone())).collect()
    };
    assert_eq!(failed(&changed), [(json!(BOB), json!(131_047)), (json!("+99910139101"), json!(139_101))]);
    assert_eq!(list("").await.expect(200), json!({"data": [{"user": ANN}], "nextCursor": null}));
    // Messages pass in neither direction.
    let refused = send(ANN).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(refused["error"]["provider"]["code"], 130_403);
    write(ANN).await.refused(409, Some("from"), None);
    send(BOB).await.expect(201);
    write(BOB).await.expect(201);
    // Blocking has no effect in another organization.
    let stranger = world.organization("Stranger").await;
    let body = json!({"from": ANN, "type": "text", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(&stranger.test_app_key).json(&body)).await.expect(201);
    assert_eq!(block(&[BOB, ANN]).await.expect(200)["blocked"], json!([BOB, ANN]));
    let first = list("?limit=1").await.expect(200);
    let rest = format!("{}?limit=1&cursor={}", path(&number), text(&first, "nextCursor"));
    let rest = world.send(Call::get(rest).key(key)).await.expect(200);
    assert_eq!(
        (&first["data"], &rest["data"], &rest["nextCursor"]),
        (&json!([{"user": ANN}]), &json!([{"user": BOB}]), &Value::Null)
    );
    let unblocked =
        world.send(Call::delete(path(&number)).key(key).json(&users(&[ANN, "+16505550000"]))).await.expect(200);
    assert_eq!(unblocked, json!({"unblocked": [ANN, "+16505550000"], "failed": []}));
    assert_eq!(list("").await.expect(200)["data"], json!([{"user": BOB}]));
    send(ANN).await.expect(201);
    world.clock.advance(Duration::from_secs(24 * 3600));
    assert_eq!(failed(&block(&[ANN]).await.expect(200)), [(json!(ANN), json!(131_047))]);
    write(ANN).await.expect(201);
    assert_eq!(block(&[ANN]).await.expect(200)["blocked"], json!([ANN]));
    assert!(world.platform.state().seen.is_empty());
}
