//! Users that are blocked by user id: at the platform, and in test mode.

use serde_json::{Value, json};
use tests::chat::connect;
use tests::request::text;
use tests::standin::Misbehave;
use tests::{Call, Service as _, World};

use super::blocked_users::{path, test_number, users};

const ANN: &str = "+16505551234";
const USER_ID: &str = "US.13491208655302741918";
const PARENT_ID: &str = "US.ENT.11815799212886844830";

/// A user without a known number is named by user id. The platform is told which of both it is.
#[tokio::test]
async fn users_are_named_by_number_or_by_user_id() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4007").await;
    let key = &line.org.app_key;
    let change = |call: Call, body: Value| world.send(call.key(key).json(&body));
    world.platform.state().unblockable.insert("US.2".to_owned(), 131_047);

    let sent = users(&[USER_ID, ANN, "US.2", PARENT_ID]);
    let changed = change(Call::post(path(&line.number)), sent).await.expect(200);
    assert_eq!(changed["blocked"], json!([USER_ID, ANN, PARENT_ID]));
    let failed = &changed["failed"][0];
    assert_eq!((&failed["user"], &failed["error"]["provider"]["code"]), (&json!("US.2"), &json!(131_047)));
    let seen = world.platform.seen("block_users").pop().unwrap();
    let named = json!([{"user_id": USER_ID}, {"user": ANN}, {"user_id": "US.2"}, {"user_id": PARENT_ID}]);
    assert_eq!(
        (seen.method.as_str(), seen.json()),
        ("POST", json!({"messaging_product": "whatsapp", "block_users": named}))
    );

    let list = || world.send(Call::get(path(&line.number)).key(key));
    let blocked = [ANN, USER_ID, PARENT_ID].map(|user| json!({"user": user}));
    assert_eq!(list().await.expect(200)["data"], json!(blocked));

    let changed = change(Call::delete(path(&line.number)), users(&[USER_ID])).await.expect(200);
    assert_eq!(changed, json!({"unblocked": [USER_ID], "failed": []}));
    let seen = world.platform.seen("block_users").into_iter().rfind(|seen| seen.method == "DELETE").unwrap();
    assert_eq!(seen.json()["block_users"], json!([{"user_id": USER_ID}]));
    let blocked = [ANN, PARENT_ID].map(|user| json!({"user": user}));
    assert_eq!(list().await.expect(200)["data"], json!(blocked));

    // The platform's response names a user that it does not report as done: it is not claimed to be blocked.
    let partial = json!({"block_users": {"added_users": [{"input": ANN, "wa_id": &ANN[1..]}]}}).to_string();
    world.platform.misbehave("block_users", Misbehave::Status(200, partial), 1);
    let changed = change(Call::post(path(&line.number)), users(&[USER_ID, ANN])).await.expect(200);
    assert_eq!((&changed["blocked"], &changed["failed"][0]["user"]), (&json!([ANN]), &json!(USER_ID)));

    let before = world.platform.seen("block_users").len();
    let long = format!("US.{}", "1".repeat(253));
    for user in ["US.", "us.1", "USA.1", "US.1-2", "US1", "US.1 ", long.as_str()] {
        for call in [Call::post(path(&line.number)), Call::delete(path(&line.number))] {
            let refused = change(call, users(&[USER_ID, user])).await;
            refused.refused(400, Some("users[1]"), Some("invalid_phone_number"));
        }
    }
    let repeated = change(Call::post(path(&line.number)), users(&[USER_ID, USER_ID])).await;
    repeated.refused(400, Some("users[1]"), None);
    assert_eq!(world.platform.seen("block_users").len(), before);
}

/// Simulated users write under phone numbers, so user ids can be blocked at any time.
#[tokio::test]
async fn user_ids_can_be_blocked_in_test_mode() {
    let world = World::new().await;
    let number = test_number(&world).await;
    let key = &world.org.test_app_key;
    let change = |call: Call, list: &[&str]| world.send(call.key(key).json(&users(list)));
    let list = |query: String| world.send(Call::get(format!("{}{query}", path(&number))).key(key));
    let send = |to: &str| {
        let body = json!({"from": number, "toUserId": to, "type": "text", "text": {"body": "Hello"}});
        world.send(Call::post("/v1/chat/messages").key(key).json(&body))
    };
    let body = json!({"from": ANN, "type": "text", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&body)).await.expect(201);
    send(USER_ID).await.expect(201);

    let changed = change(Call::post(path(&number)), &[USER_ID, ANN, PARENT_ID]).await.expect(200);
    assert_eq!(changed, json!({"blocked": [USER_ID, ANN, PARENT_ID], "failed": []}));
    let first = list("?limit=2".to_owned()).await.expect(200);
    assert_eq!(first["data"], json!([{"user": ANN}, {"user": USER_ID}]));
    let rest = list(format!("?limit=2&cursor={}", text(&first, "nextCursor"))).await.expect(200);
    assert_eq!(rest, json!({"data": [{"user": PARENT_ID}], "nextCursor": null}));
    let refused = send(USER_ID).await.refused(422, None, Some("platform_api_error"));
    assert_eq!(refused["error"]["provider"]["code"], 130_403);

    // Blocking has no effect for another number, and in another organization.
    let stranger = world.organization("Stranger").await;
    let numbers = world.send(Call::get("/v1/organization/chat/phone-numbers").key(&stranger.admin)).await.expect(200);
    let foreign = path(&text(&numbers["data"][0], "id"));
    let listed = world.send(Call::get(foreign).key(&stranger.test_app_key)).await.expect(200);
    assert_eq!(listed["data"], json!([]));

    change(Call::delete(path(&number)), &[USER_ID, "US.3"]).await.expect(200);
    send(USER_ID).await.expect(201);
    assert_eq!(list(String::new()).await.expect(200)["data"], json!([{"user": ANN}, {"user": PARENT_ID}]));
}

/// A simulated number blocks 1,000 user ids; more fail as at the platform, whose list is full at 64,000 users.
#[tokio::test]
async fn the_block_list_of_a_simulated_number_can_be_full() {
    let world = World::new().await;
    let number = test_number(&world).await;
    let block = |ids: std::ops::Range<u32>| {
        let ids: Vec<String> = ids.map(|n| format!("US.{n}")).collect();
        world.send(Call::post(path(&number)).key(&world.org.test_app_key).json(&json!({"users": ids})))
    };
    for hundreds in 0..5 {
        let changed = block(hundreds * 200..hundreds * 200 + 200).await.expect(200);
        assert_eq!(changed["failed"], json!([]));
    }
    let changed = block(999..1001).await.expect(200);
    assert_eq!(changed["blocked"], json!(["US.999"]), "it is blocked already");
    let failed = &changed["failed"][0];
    assert_eq!((&failed["user"], &failed["error"]["provider"]["code"]), (&json!("US.1000"), &json!(139_101)));
}
