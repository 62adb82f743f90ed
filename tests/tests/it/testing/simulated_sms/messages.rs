//! Messages that are received, refused or repeated.

use std::time::Duration;

use inbound::SimulatedSms;
use serde_json::{Value, json};
use tests::chat::events;
use tests::request::text;
use tests::sms::linked_number;
use tests::topics::Topic;
use tests::{Call, Service as _, World};

use super::{INBOUND, USER, receive, system_numbers};

/// A message without what differs between two messages with the same content.
fn content(message: &Value) -> Value {
    let mut message = message.clone();
    for field in ["id", "appId", "phoneNumberId", "to", "receivedAt", "createdAt", "updatedAt"] {
        assert!(message.as_object_mut().unwrap().remove(field).is_some(), "{field}");
    }
    message
}

#[tokio::test]
async fn a_message_is_stored_listed_and_reported() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let own = system_numbers(&world, key).await.remove(1);
    let message = receive(&world, USER, &own).await.expect(201);

    let expected = json!({
        "id": message["id"], "appId": world.org.test_app, "phoneNumberId": message["phoneNumberId"], "type": "sms",
        "from": USER, "to": own, "text": "Hello", "direction": "INBOUND", "status": "RECEIVED",
        "receivedAt": message["createdAt"], "createdAt": message["createdAt"], "updatedAt": message["createdAt"],
    });
    assert_eq!(message, expected);
    assert!(text(&message, "id").starts_with("msg_sms_test_"));

    let listed = Call::get(format!("/v1/sms?phoneNumberId={}", text(&message, "phoneNumberId"))).key(key);
    assert_eq!(world.send(listed).await.expect(200)["data"], json!([message]));
    assert_eq!(events(&world, &world.org, "messages.sms.received").await, [message]);

    // The sender is a user from now on, who has written.
    let users = world.admin(Call::get("/v1/organization/playground/chat/phone-numbers/user")).await.expect(200);
    assert_eq!(users, json!({"numbers": [USER]}));
    let chat = json!({"from": USER, "type": "text", "text": {"body": "Hello"}});
    world.send(Call::post("/v1/playground/chat/inbound").key(key).json(&chat)).await.expect(201);
    receive(&world, USER, &own).await.expect(201);
    let users = world.admin(Call::get("/v1/organization/playground/chat/phone-numbers/user")).await.expect(200);
    assert_eq!(users, json!({"numbers": [USER]}));
}

/// The live route takes what the simulated carrier reports, for a live number, and stores and emits the same.
#[tokio::test]
async fn a_live_number_gets_the_same_from_a_simulated_message() {
    let world = World::new().await;
    let live = "+12065550150";
    linked_number(&world, live).await;

    let own = system_numbers(&world, &world.org.test_app_key).await.remove(0);
    let simulated = receive(&world, USER, &own).await.expect(201);

    let (from, to) = (USER.parse().unwrap(), live.parse().unwrap());
    let sent = SimulatedSms { carrier_id: "in-1", from: &from, to: &to, text: "Hello" };
    Topic::leading_to(&world.account.carrier).await.publish(&sent.published()).await;
    while world.hear_carrier().await {}

    let all = events(&world, &world.org, "messages.sms.received").await;
    let (test, live): (Vec<_>, Vec<_>) = all.iter().partition(|data| text(data, "id").starts_with("msg_sms_test_"));
    assert_eq!((test.len(), live.len()), (1, 1));
    assert_eq!((content(test[0]), content(live[0])), (content(&simulated), content(&simulated)));
}

#[tokio::test]
async fn wrong_numbers_are_refused_and_leave_nothing() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let own = system_numbers(&world, key).await.remove(0);
    let (_, other) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let theirs = system_numbers(&world, &other).await.remove(0);
    let live = json!({"number": "+12015550100", "appIds": [world.org.app]});
    world.admin(Call::post("/v1/organization/phone-numbers").json(&live)).await.expect(201);
    let user = world.send(Call::post("/v1/playground/chat/phone-numbers/user").key(key)).await.expect(201);
    let user = text(&user, "number");
    let chat = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let chat = text(&chat["data"][0], "displayPhoneNumber");
    let before = world.account.items().await;

    for (from, to, status, param) in [
        (USER, "+442079460199", 404, "to"),
        (USER, "+12015550200", 404, "to"),
        (USER, "+12015550100", 404, "to"),
        (USER, theirs.as_str(), 404, "to"),
        (USER, user.as_str(), 404, "to"),
        (USER, chat.as_str(), 404, "to"),
        (own.as_str(), own.as_str(), 400, "from"),
        (theirs.as_str(), own.as_str(), 400, "from"),
        (chat.as_str(), own.as_str(), 400, "from"),
    ] {
        receive(&world, from, to).await.refused(status, Some(param), None);
    }

    receive(&world, "x", &own).await.refused(400, Some("from"), Some("invalid_phone_number"));
    receive(&world, USER, "x").await.refused(400, Some("to"), Some("invalid_phone_number"));
    let long = json!({"from": USER, "to": own, "text": "x".repeat(1601)});
    world.send(Call::post(INBOUND).key(key).json(&long)).await.refused(400, Some("text"), None);

    assert_eq!(world.account.items().await, before);
    receive(&world, &user, &own).await.expect(201);
}

/// A request with an `Idempotency-Key` is one message, also without the record of its response.
#[tokio::test]
async fn a_repeated_request_is_one_message() {
    let world = World::new().await;
    let own = system_numbers(&world, &world.org.test_app_key).await.remove(0);
    let seconds = u64::try_from(world.now().seconds()).unwrap() % 86_400;
    // All of it within one day (UTC).
    world.clock.advance(Duration::from_secs(86_401 - seconds));

    let send = async |body: &str| {
        let body = json!({"from": USER, "to": own, "text": body});
        let call = Call::post(INBOUND).key(&world.org.test_app_key).header("idempotency-key", "one");
        world.send(call.json(&body)).await
    };

    let first = send("Once").await.expect(201);
    let again = send("Once").await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.expect(201), first);
    send("Twice").await.refused(422, Some("Idempotency-Key"), None);

    let records = world.account.stored_items().await;
    let record = records.iter().find(|item| item["PK"].as_s().is_ok_and(|key| key.starts_with("IDEM#")));
    world.account.remove_item(record.unwrap()).await;

    let repeated = send("Once").await;
    assert_eq!(repeated.header("idempotency-replayed"), None);
    assert_eq!(repeated.expect(201), first);
    assert_eq!(events(&world, &world.org, "messages.sms.received").await.len(), 1);
}
