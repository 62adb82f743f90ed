use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use serde_json::{Value, json};
use tests::chat::events;
use tests::request::text;
use tests::settings::TABLE;
use tests::{Call, Service as _, World};

const CHAT: &str = "/v1/playground/chat/messages";
const SMS: &str = "/v1/playground/sms/messages";
const USERS: &str = "/v1/organization/playground/chat/phone-numbers/user";

type Item = HashMap<String, AttributeValue>;

fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

async fn user(world: &World) -> String {
    let made =
        world.send(Call::post("/v1/playground/chat/phone-numbers/user").key(&world.org.test_app_key)).await.expect(201);
    text(&made, "number")
}

async fn system_numbers(world: &World, key: &str) -> Vec<Value> {
    let found = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    found["numbers"].as_array().unwrap().clone()
}

/// Numbers stay unique although so many are taken that a random choice would repeat one.
#[tokio::test]
async fn user_numbers_are_fictional_and_never_given_out_twice() {
    let world = World::new().await;
    let mut seen = BTreeSet::from([user(&world).await]);
    let items = world.account.stored_items().await;
    let is_user = |item: &Item| item["PK"].as_s().unwrap().starts_with("PGNUM#") && item["role"] == s("user");
    let model = items.into_iter().find(is_user).unwrap();
    let areas = 901..=920;
    let numbers = areas.flat_map(|area| (0..100).map(move |line| format!("+1{area}55501{line:02}")));
    for batch in numbers.collect::<Vec<_>>().chunks(25) {
        let puts = batch.iter().filter(|number| !seen.contains(*number)).map(|number| {
            let item =
                model.clone().into_iter().chain([("SK".to_owned(), s(number)), ("number".to_owned(), s(number))]);
            let put = PutRequest::builder().set_item(Some(item.collect())).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        });
        let call = world.account.dynamodb.batch_write_item().request_items(TABLE, puts.collect());
        assert!(call.send().await.unwrap().unprocessed_items.unwrap_or_default().is_empty());
        seen.extend(batch.iter().cloned());
    }
    for _ in 0..200 {
        let number = user(&world).await;
        assert!(number.len() == 12 && number.starts_with("+1") && &number[5..10] == "55501", "{number}");
        assert!(seen.insert(number));
    }
}

#[tokio::test]
async fn users_that_wrote_are_listed_by_first_use() {
    let world = World::new().await;
    let (first, second, silent) = (user(&world).await, user(&world).await, user(&world).await);
    let say = async |from: &str| {
        world.clock.advance(Duration::from_millis(5));
        let body = json!({"from": from, "type": "text", "text": "Hello\nyou"});
        world.send(Call::post(CHAT).key(&world.org.test_app_key).json(&body)).await.expect(201)
    };
    let message = say(&second).await;
    say(&first).await;
    say(&second).await;
    for key in [&world.org.admin, &world.org.test_admin, &world.org.session] {
        let listed = world.send(Call::get(USERS).key(key)).await.expect(200);
        assert_eq!(listed, json!({"numbers": [second, first]}), "not {silent}");
    }
    assert!(text(&message, "id").starts_with("msg_wa_test_"));
    for (field, value) in
        [("type", "text"), ("direction", "INBOUND"), ("textBody", "Hello\nyou"), ("fromPhoneNumber", &second)]
    {
        assert_eq!(message[field], json!(value));
    }
    assert_eq!(message["toPhoneNumber"], message["displayPhoneNumber"]);
    // The message's details, and the list by number.
    let items = world.account.items().await;
    let stored = |class: &str| items.iter().filter(|item| item["PK"].starts_with(class)).count();
    assert_eq!((stored("MSG#"), stored("MSGLIST#"), stored("PGUSED#")), (3, 3, 2));
}

#[tokio::test]
async fn chat_messages_go_to_numbers_of_the_app() {
    let world = World::new().await;
    let from = user(&world).await;
    let send = async |body: Value| world.send(Call::post(CHAT).key(&world.org.test_app_key).json(&body)).await;
    let own = send(json!({"from": from, "type": "text", "text": "x"})).await.expect(201);
    let to = text(&own, "toPhoneNumber");
    send(json!({"from": from, "to": to, "type": "text", "text": "x"})).await.expect(201);
    // Another number that the app uses does not become its own user number, however old it is.
    let (second, second_key) = world.app(&world.org.admin, &json!({"name": "Second", "test": true})).await;
    let older = text(&own, "chatPhoneNumberId");
    world.admin(Call::put(format!("/v1/organization/apps/{second}/phone-numbers/{older}"))).await.expect(200);
    let body = json!({"from": from, "type": "text", "text": "x"});
    let sent = world.send(Call::post(CHAT).key(&second_key).json(&body)).await.expect(201);
    assert_ne!(text(&sent, "chatPhoneNumberId"), older);
    send(json!({"from": from, "to": "+442079460199", "type": "text", "text": "x"})).await.refused(
        404,
        Some("to"),
        None,
    );
    // The number in the key is checked against the table: a number that was removed from the app gets no message.
    let own_number = text(&sent, "chatPhoneNumberId");
    let unassign = format!("/v1/organization/apps/{second}/phone-numbers/{own_number}");
    world.admin(Call::delete(unassign)).await.expect(200);
    let sent = world.send(Call::post(CHAT).key(&second_key).json(&body)).await.expect(201);
    assert_eq!(text(&sent, "chatPhoneNumberId"), older);
    world.admin(Call::delete(format!("/v1/organization/apps/{second}/phone-numbers/{older}"))).await.expect(200);
    world.send(Call::post(CHAT).key(&second_key).json(&body)).await.refused(404, Some("to"), None);
    send(json!({"from": "+442079460198", "type": "text", "text": "x"})).await.refused(404, Some("from"), None);
    // A system number is not a user number.
    let system = system_numbers(&world, &world.org.test_app_key).await;
    send(json!({"from": system[0], "type": "text", "text": "x"})).await.refused(404, Some("from"), None);
    for (body, param, code) in [
        (json!({}), "from", None),
        (json!({"from": from, "text": "x"}), "type", None),
        (json!({"from": from, "type": "text"}), "text", None),
        (json!({"from": from, "type": "image", "image": {"id": "x"}}), "type", Some("unsupported_message_type")),
        (json!({"from": from, "type": "image", "text": "x"}), "type", Some("unsupported_message_type")),
        (json!({"from": "2015550100", "type": "text", "text": "x"}), "from", Some("invalid_phone_number")),
        (json!({"from": from, "to": "x", "type": "text", "text": "x"}), "to", Some("invalid_phone_number")),
        (json!({"from": from, "type": "text", "text": ""}), "text", None),
        (json!({"from": from, "type": "text", "text": "a\u{0}"}), "text", None),
        (json!({"from": from, "type": "text", "text": "é".repeat(4097)}), "text", None),
    ] {
        send(body).await.refused(400, Some(param), code);
    }
    send(json!({"from": from, "type": "text", "text": "é".repeat(4096)})).await.expect(201);
}

#[tokio::test]
async fn sms_has_one_system_number_on_one_side() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let system = system_numbers(&world, key).await;
    assert_eq!(system.len(), 2);
    let send = async |from: &Value, to: &Value| {
        world.send(Call::post(SMS).key(key).json(&json!({"from": from, "to": to, "text": "Hi"}))).await
    };
    let anyone = json!("+442079460123");
    let out = send(&system[0], &anyone).await.expect(201);
    assert_eq!(
        out,
        json!({"id": out["id"], "appId": world.org.test_app, "from": system[0], "to": anyone, "text": "Hi", "direction": "OUTBOUND", "status": "sent", "createdAt": out["createdAt"]})
    );
    assert!(text(&out, "id").starts_with("msg_sms_test_"));
    assert_eq!(send(&system[0], &json!("+12015550000")).await.expect(201)["status"], json!("failed"));
    let told = async |name: &str| events(&world, &world.org, &format!("messages.sms.{name}")).await;
    let (sent, delivered, failed) = (told("sent").await, told("delivered").await, told("failed").await);
    assert_eq!((sent.len(), delivered.len(), failed.len()), (1, 1, 1));
    assert_eq!((&sent[0], &delivered[0]["id"], &delivered[0]["status"]), (&out, &out["id"], &json!("delivered")));
    assert_eq!((&failed[0]["to"], &failed[0]["status"]), (&json!("+12015550000"), &json!("failed")));
    let inbound = send(&anyone, &system[1]).await.expect(201);
    assert_eq!(told("received").await, std::slice::from_ref(&inbound));
    assert_eq!(told("sent").await.len(), 1);
    assert_eq!((&inbound["direction"], &inbound["status"]), (&json!("INBOUND"), &json!("received")));
    send(&system[0], &system[1]).await.refused(400, Some("to"), None);
    send(&anyone, &anyone).await.refused(400, Some("from"), None);
    send(&json!("x"), &anyone).await.refused(400, Some("from"), Some("invalid_phone_number"));
    let long = json!({"from": system[0], "to": anyone, "text": "x".repeat(1601)});
    world.send(Call::post(SMS).key(key).json(&long)).await.refused(400, Some("text"), None);
    // System numbers of another app are ordinary numbers.
    let (_, other) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let theirs = system_numbers(&world, &other).await;
    assert!(theirs.iter().all(|number| !system.contains(number)));
    send(&theirs[0], &anyone).await.refused(400, Some("from"), None);
}

#[tokio::test]
async fn the_playground_takes_test_app_keys_only() {
    let world = World::new().await;
    for call in [
        Call::post("/v1/playground/chat/phone-numbers/user"),
        Call::get("/v1/playground/phone-numbers/system"),
        Call::post(CHAT).json(&json!({})),
        Call::post(SMS).json(&json!({})),
    ] {
        world.send(call.clone().key(&world.org.app_key)).await.refused(403, None, Some("test_app_required"));
        world.send(call.key(&world.org.test_admin)).await.unauthenticated("Invalid credentials");
    }
}
