//! Requests that are refused or repeated, and the users that they make.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::events;
use tests::{Call, Service as _, World};

use super::{INBOUND, USER, from_user, receive};

#[tokio::test]
async fn wrong_bodies_are_refused_and_leave_nothing() {
    let world = World::new().await;
    let before = world.account.items().await;
    let own = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let own = own["data"][0]["displayPhoneNumber"].clone();
    let system =
        world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await.expect(200);

    let item = |field: &str, value: Value| {
        let mut item = json!({"productRetailerId": "a", "quantity": 1, "itemPrice": 1, "currency": "EUR"});
        item[field] = value;
        json!({"from": USER, "type": "order", "order": {"catalogId": "c", "items": [item]}})
    };
    let reply = |object: Value| json!({"from": USER, "type": "interactive", "interactive": object});
    let missing = "msg_wa_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv";

    for (body, status, param) in [
        (json!({}), 400, "from"),
        (json!({"from": USER}), 400, "type"),
        (json!({"from": "x", "type": "text", "text": {"body": "x"}}), 400, "from"),
        (json!({"from": USER, "type": "sms"}), 400, "type"),
        (json!({"from": USER, "type": "text"}), 400, "text"),
        (json!({"from": USER, "type": "text", "text": "x"}), 400, "text"),
        (json!({"from": USER, "type": "text", "text": {"body": ""}}), 400, "text.body"),
        (json!({"from": USER, "type": "text", "text": {"body": "é".repeat(4097)}}), 400, "text.body"),
        (json!({"from": USER, "type": "unsupported", "text": {"body": "x"}}), 400, "text"),
        (
            json!({"from": USER, "type": "audio", "audio": {"mediaId": missing.replace("msg_wa_test_", "media_"), "caption": "x"}}),
            400,
            "audio.caption",
        ),
        (
            json!({"from": USER, "type": "location", "location": {"latitude": 91, "longitude": 0}}),
            400,
            "location.latitude",
        ),
        (json!({"from": USER, "type": "contacts", "contacts": []}), 400, "contacts"),
        (
            json!({"from": USER, "type": "reaction", "replyTo": missing, "reaction": {"messageId": missing, "emoji": "👍"}}),
            400,
            "replyTo",
        ),
        (json!({"from": USER, "type": "button", "button": {"text": "x", "payload": ""}}), 400, "button.payload"),
        (reply(json!({"kind": "reply"})), 400, "interactive.kind"),
        (reply(json!({"kind": "button_reply", "id": "x"})), 400, "interactive.title"),
        (
            reply(json!({"kind": "button_reply", "id": "x", "title": "x", "description": "x"})),
            400,
            "interactive.description",
        ),
        (reply(json!({"kind": "flow_reply", "id": "x", "response": {}})), 400, "interactive.id"),
        (reply(json!({"kind": "flow_reply"})), 400, "interactive.response"),
        (reply(json!({"kind": "flow_reply", "response": {"a": "x".repeat(66_000)}})), 400, "interactive.response"),
        (item("quantity", json!(0)), 400, "order.items[0].quantity"),
        (item("itemPrice", json!(-1)), 400, "order.items[0].itemPrice"),
        (item("currency", json!("eur")), 400, "order.items[0].currency"),
        (json!({"from": USER, "type": "order", "order": {"catalogId": "c", "items": []}}), 400, "order.items"),
        (json!({"from": USER, "type": "system", "system": {"kind": "number_changed"}}), 400, "system.newNumber"),
        (
            json!({"from": USER, "type": "system", "system": {"kind": "number_changed", "newNumber": USER}}),
            400,
            "system.newNumber",
        ),
        (
            json!({"from": USER, "type": "system", "system": {"kind": "identity_changed", "newNumber": "+16505550000"}}),
            400,
            "system.newNumber",
        ),
        (
            json!({"from": USER, "type": "system", "system": {"kind": "number_changed", "newNumber": own}}),
            400,
            "system.newNumber",
        ),
        (json!({"from": own, "type": "unsupported"}), 400, "from"),
        (json!({"from": system["numbers"][0], "type": "unsupported"}), 400, "from"),
        (json!({"from": USER, "to": "+442079460199", "type": "unsupported"}), 404, "to"),
        (json!({"from": USER, "type": "unsupported", "replyTo": missing}), 404, "replyTo"),
        (
            json!({"from": USER, "type": "reaction", "reaction": {"messageId": missing, "emoji": "👍"}}),
            404,
            "reaction.messageId",
        ),
    ] {
        let code = match (param, status) {
            ("type", 400) if body["type"] == "sms" => Some("unsupported_message_type"),
            ("from", 400) if body["from"] == "x" => Some("invalid_phone_number"),
            _ => None,
        };
        receive(&world, &body).await.refused(status, Some(param), code);
    }

    assert_eq!(world.account.items().await, before);
}

/// A request with an `Idempotency-Key` is one message, and what is refused for its content stays refused.
#[tokio::test]
async fn a_repeated_request_is_one_message() {
    let world = World::new().await;
    let send = async |body: &Value| {
        let call = Call::post(INBOUND).key(&world.org.test_app_key).header("idempotency-key", "one");
        world.send(call.json(body)).await
    };

    let body = from_user("text", &json!({"text": {"body": "Once"}}));
    let first = send(&body).await.expect(201);
    let again = send(&body).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.expect(201), first);

    send(&from_user("text", &json!({"text": {"body": "Twice"}}))).await.refused(422, Some("Idempotency-Key"), None);
    assert_eq!(events(&world, &world.org, "messages.chat.received").await.len(), 1);
}

/// Without the record of its response, the request finds its message again: for the same input, on the same day.
#[tokio::test]
async fn a_request_whose_record_is_gone_repeats_its_own_message_only() {
    let world = World::new().await;
    let forget = async || {
        let items = world.account.stored_items().await;
        let is_record = |key: &String| key.starts_with("IDEM#");
        let records: Vec<_> = items.iter().filter(|item| item["PK"].as_s().is_ok_and(is_record)).collect();
        assert_eq!(records.len(), 1);
        world.account.remove_item(records[0]).await;
    };

    let send = async |body: &str| {
        let call = Call::post(INBOUND).key(&world.org.test_app_key).header("idempotency-key", "one");
        let sent = world.send(call.json(&from_user("text", &json!({"text": {"body": body}})))).await;
        assert_eq!(sent.header("idempotency-replayed"), None);
        sent.expect(201)
    };

    // All of it within one day (UTC).
    let seconds = u64::try_from(world.now().seconds()).unwrap() % 86_400;
    world.clock.advance(Duration::from_secs(86_401 - seconds));
    let received = async || events(&world, &world.org, "messages.chat.received").await.len();

    let first = send("Once").await;
    forget().await;
    assert_eq!(send("Once").await, first);
    assert_eq!(received().await, 1);

    forget().await;
    let other = send("Twice").await;
    assert_eq!(other["textBody"], "Twice");
    assert_ne!(other["id"], first["id"]);

    forget().await;
    assert_eq!(send("Once").await["id"], first["id"]);
    assert_eq!(received().await, 2);

    // The record ends after 24 hours, and the key can be used for a new message.
    world.clock.advance(Duration::from_secs(25 * 3600));
    let later = send("Once").await;
    assert!(later["id"] != first["id"] && later["textBody"] == "Once", "{later}");
    assert_eq!(received().await, 3);
}

/// Each new sender is a playground user, of which an organization can have a thousand, and messages have a daily quota.
#[tokio::test]
async fn senders_are_playground_users() {
    let world = World::new().await;
    for from in ["+16505550001", "+442079460000", "+16505550001"] {
        world.clock.advance(Duration::from_millis(5));
        receive(&world, &json!({"from": from, "type": "unsupported"})).await.expect(201);
    }

    let users = "/v1/organization/playground/chat/phone-numbers/user";
    let listed = world.admin(Call::get(users)).await.expect(200);
    assert_eq!(listed, json!({"numbers": ["+16505550001", "+442079460000"]}));
}
