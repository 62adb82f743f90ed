use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use serde_json::{Value, json};
use tests::request::text;
use tests::settings::TABLE;
use tests::{Call, Service as _, World};

const CHAT: &str = "/v1/playground/chat/inbound";
const SMS: &str = "/v1/playground/sms/inbound";
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

/// A number is not given out again after the app that had it was deleted.
#[tokio::test]
async fn numbers_of_a_deleted_app_stay_given_out() {
    let world = World::new().await;
    let (app, key) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let mut numbers: Vec<String> =
        system_numbers(&world, &key).await.iter().map(|number| number.as_str().unwrap().to_owned()).collect();
    let listed = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    let has_app = |number: &&Value| number["apps"][0]["appId"] == app.as_str();
    numbers.push(text(listed["data"].as_array().unwrap().iter().find(has_app).unwrap(), "displayPhoneNumber"));
    assert_eq!(numbers.len(), 3);
    world.admin(Call::delete(format!("/v1/organization/apps/{app}"))).await.expect(200);
    world.sweep().await;
    let items = world.account.items().await;
    for number in &numbers {
        let is_kept = items.iter().any(|item| item["PK"].starts_with("PGNUM#") && item["SK"] == *number);
        assert!(is_kept, "{number} could be given out again");
    }
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
        let body = json!({"from": from, "type": "text", "text": {"body": "Hello\nyou"}});
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
    // Each message has its details, its entry in the number's list, and its id at the platform; each user is a contact.
    let items = world.account.items().await;
    let stored = |class: &str| items.iter().filter(|item| item["PK"].starts_with(class)).count();
    assert_eq!((stored("MSG#"), stored("MSGLIST#"), stored("PGUSED#")), (3, 3, 2));
    assert_eq!((stored("WAMID#"), stored("CONTACT#")), (3, 2));
}

#[tokio::test]
async fn chat_messages_go_to_numbers_of_the_app() {
    let world = World::new().await;
    let from = user(&world).await;
    let send = async |body: Value| world.send(Call::post(CHAT).key(&world.org.test_app_key).json(&body)).await;
    let own = send(json!({"from": from, "type": "text", "text": {"body": "x"}})).await.expect(201);
    let to = text(&own, "toPhoneNumber");
    send(json!({"from": from, "to": to, "type": "text", "text": {"body": "x"}})).await.expect(201);
    // Messages go to the app's own number, even if the app also uses an older one.
    let (second, second_key) = world.app(&world.org.admin, &json!({"name": "Second", "test": true})).await;
    let older = text(&own, "chatPhoneNumberId");
    world.admin(Call::put(format!("/v1/organization/apps/{second}/phone-numbers/{older}"))).await.expect(200);
    let body = json!({"from": from, "type": "text", "text": {"body": "x"}});
    let sent = world.send(Call::post(CHAT).key(&second_key).json(&body)).await.expect(201);
    assert_ne!(text(&sent, "chatPhoneNumberId"), older);
    send(json!({"from": from, "to": "+442079460199", "type": "text", "text": {"body": "x"}})).await.refused(
        404,
        Some("to"),
        None,
    );
    // The number that is stored with the app key is checked: a number that was removed from the app gets no message.
    let own_number = text(&sent, "chatPhoneNumberId");
    let unassign = format!("/v1/organization/apps/{second}/phone-numbers/{own_number}");
    world.admin(Call::delete(unassign)).await.expect(200);
    let sent = world.send(Call::post(CHAT).key(&second_key).json(&body)).await.expect(201);
    assert_eq!(text(&sent, "chatPhoneNumberId"), older);
    world.admin(Call::delete(format!("/v1/organization/apps/{second}/phone-numbers/{older}"))).await.expect(200);
    world.send(Call::post(CHAT).key(&second_key).json(&body)).await.refused(404, Some("to"), None);
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
        world.send(call.key(&world.org.test_admin)).await.wrong_kind(&world.org.test_admin);
    }
}
