//! The responses of a send are the whole message, as reading it shows it: from the first moment on with its times and
//! recipients, and with the reason if it was not sent.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::base64;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use tests::catalogue::put_bytes;
use tests::chat::{Line, connect, events};
use tests::request::text;
use tests::samples::PNG;
use tests::settings::TABLE;
use tests::sms::linked_number;
use tests::standin::{Misbehave, error};
use tests::{Call, Reply, Service as _, World};

const SEND: &str = "/v1/chat/messages";
const TO: &str = "+16505551234";

fn message(line: &Line, content: &Value) -> Value {
    let mut body = json!({"from": line.number, "to": TO});
    body.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
    body
}

fn hello(line: &Line) -> Value {
    message(line, &json!({"type": "text", "text": {"body": "Hello"}}))
}

async fn send(world: &World, line: &Line, body: &Value) -> Reply {
    world.send(Call::post(SEND).key(&line.org.app_key).json(body)).await
}

/// The message as the app and the organization read it, which is the same.
async fn read(world: &World, line: &Line, id: &str) -> Value {
    let own = world.send(Call::get(format!("{SEND}/{id}")).key(&line.org.app_key)).await.expect(200);
    assert_eq!(own, line.details(world, id).await);
    own
}

fn refuse(world: &World, line: &Line, code: i64) {
    let body = error(code, "refused").to_string();
    world.platform.misbehave(&format!("{}/messages", line.platform_number), Misbehave::Status(400, body), 1);
}

/// A status of a message that was sent here, as the platform reports it.
fn status(line: &Line, id: &str, status: &str) -> Value {
    line.status(&json!({"id": "wamid.sent.1", "status": status, "timestamp": "2000000005", "recipient_id": &TO[1..],
        "biz_opaque_callback_data": format!("{}:{id}", line.org.id)}))
}

#[tokio::test]
async fn the_response_of_a_send_is_the_message_that_reading_it_shows() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3101").await;
    let contacts = json!([{"name": {"formattedName": "Ada"}, "phones": [{"phone": "+49 30 123456"}]}]);
    let buttons = json!({"kind": "buttons", "body": "When?", "buttons": [{"id": "am", "title": "Morning"}]});
    let template = json!({"name": "order", "language": "en_US", "body": {"1": "Ada"}});
    for (kind, object, data) in [
        ("text", json!({"body": "Hello"}), None),
        ("contacts", contacts, Some("contactsData")),
        ("interactive", buttons, Some("interactiveData")),
        ("template", template, Some("templateData")),
    ] {
        for (queue, status, outcome) in [(false, 201, "ACCEPTED"), (true, 202, "PENDING")] {
            let body = message(&line, &json!({"type": kind, (kind): object, "queue": queue}));
            let call = Call::post(SEND).key(&line.org.app_key).json(&body);
            let call = call.header("Idempotency-Key", &format!("{kind}-{queue}"));
            let sent = world.send(call.clone()).await.expect(status);
            assert_eq!(sent["outcome"], outcome);
            assert_eq!(sent, read(&world, &line, &text(&sent, "id")).await, "{kind} {queue}");
            if let Some(data) = data {
                assert!(!sent[data].is_null(), "{kind} {queue}: {sent}");
            }
            // The repeated request returns the message as it is now, which is the same.
            let again = world.send(call).await.expect(if queue { 202 } else { 200 });
            assert_eq!(again, sent, "{kind} {queue}");
        }
    }
}

/// From the first moment on, a message has `queuedAt`, and its recipient with `QUEUED`. Its first status changes that
/// recipient.
#[tokio::test]
async fn a_message_has_its_recipient_from_the_first_moment_on() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3102").await;
    let stored_at = world.now();
    let sent = send(&world, &line, &hello(&line)).await.expect(201);
    let id = text(&sent, "id");
    let recipient = json!({"id": format!("{id}_recipient"), "phoneNumber": TO, "status": "QUEUED", "queuedAt": stored_at,
        "createdAt": stored_at, "updatedAt": stored_at});
    assert_eq!((&sent["queuedAt"], &sent["recipients"]), (&json!(stored_at), &json!([recipient])));
    assert_eq!(line.messages(&world).await[0]["queuedAt"], json!(stored_at));

    world.clock.advance(Duration::from_secs(5));
    world.notify(&status(&line, &id, "sent")).await.expect(200);
    let followed = read(&world, &line, &id).await;
    let mut recipient = recipient;
    recipient["status"] = json!("SENT");
    recipient["sentAt"] = json!("2033-05-18T03:33:25.000Z");
    recipient["updatedAt"] = json!(world.now());
    assert_eq!((&followed["queuedAt"], &followed["recipients"]), (&json!(stored_at), &json!([recipient])));
    let told = events(&world, &world.org, "messages.chat.sent").await;
    assert_eq!((&told[0]["queuedAt"], &told[0]["recipients"]), (&json!(stored_at), &followed["recipients"]));
}

/// Who is in a group is known to the platform alone, so a message to a group gets its recipients by their statuses.
#[tokio::test]
async fn the_members_of_a_group_become_recipients_by_their_statuses() {
    let world = World::new().await;
    let call = Call::get("/v1/organization/chat/phone-numbers?limit=100");
    let numbers = world.admin(call).await.expect(200);
    let is_own = |number: &&Value| number["apps"][0]["appId"] == world.org.test_app.as_str();
    let number = text(numbers["data"].as_array().unwrap().iter().find(is_own).unwrap(), "id");
    let key = world.org.test_app_key.as_str();
    let group = json!({"chatPhoneNumberId": number, "subject": "Friends"});
    let group = text(&world.send(Call::post("/v1/chat/groups").key(key).json(&group)).await.expect(201), "id");
    let body = json!({"from": number, "groupId": group, "type": "text", "text": {"body": "Hello"}});
    let stored_at = world.now();
    let sent = world.send(Call::post(SEND).key(key).json(&body)).await.expect(201);
    assert_eq!((&sent["queuedAt"], &sent["recipients"]), (&json!(stored_at), &json!([])));
    let read = world.send(Call::get(format!("{SEND}/{}", text(&sent, "id"))).key(key)).await.expect(200);
    assert_eq!(read, sent);
    let told = json!({"statuses": [{"id": sent["providerMessageId"], "status": "delivered", "timestamp": "2000000005",
        "recipient_id": group, "recipient_type": "group", "recipient_participant_id": "16505551234",
        "biz_opaque_callback_data": format!("{}:{}", world.org.id, text(&sent, "id"))}]});
    let replay = json!({"field": "messages", "value": told, "target": number});
    world.send(Call::post("/v1/playground/notifications").key(key).json(&replay)).await.expect(202);
    let read = world.send(Call::get(format!("{SEND}/{}", text(&sent, "id"))).key(key)).await.expect(200);
    let member = &read["recipients"][0];
    let told = (&member["phoneNumber"], &member["status"], &member["queuedAt"]);
    assert_eq!(told, (&json!(TO), &json!("DELIVERED"), &json!(stored_at)), "{read}");
}

/// A message that was refused or has expired has `failedAt`, and its recipient is `FAILED` with the reason. The event of a
/// queued message shows the same.
#[tokio::test]
async fn a_message_that_was_not_sent_shows_why() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3103").await;
    let stored_at = world.now();
    refuse(&world, &line, 131_026);
    let refused = send(&world, &line, &hello(&line)).await;
    let direct = refused.header("x-message-id").unwrap().to_owned();
    refused.refused(422, None, Some("message_undeliverable"));

    refuse(&world, &line, 131_026);
    let mut body = hello(&line);
    body["queue"] = json!(true);
    let queued = text(&send(&world, &line, &body).await.expect(202), "id");
    while world.send_queued().await {}

    body["validForSeconds"] = json!(30);
    let late = text(&send(&world, &line, &body).await.expect(202), "id");
    world.take(&world.account.sends).await;
    world.clock.advance(Duration::from_secs(31));
    Box::pin(world.sweep()).await;

    let told = events(&world, &world.org, "messages.chat.failed").await;
    for (id, outcome, code, failed_at) in [
        (&direct, "REFUSED", json!("message_undeliverable"), stored_at),
        (&queued, "REFUSED", json!("message_undeliverable"), stored_at),
        (&late, "EXPIRED", Value::Null, world.now()),
    ] {
        let shown = read(&world, &line, id).await;
        let state = (&shown["outcome"], &shown["errorCode"], &shown["queuedAt"], &shown["failedAt"]);
        assert_eq!(state, (&json!(outcome), &code, &json!(stored_at), &json!(failed_at)), "{shown}");
        let mut recipient = json!({"id": format!("{id}_recipient"), "phoneNumber": TO, "status": "FAILED",
            "queuedAt": stored_at, "failedAt": failed_at, "errorMessage": shown["errorMessage"], "createdAt": stored_at,
            "updatedAt": failed_at});
        for name in ["errorCode", "provider"] {
            if !shown[name].is_null() {
                recipient[name] = shown[name].clone();
            }
        }
        assert!(shown["errorMessage"].is_string());
        assert_eq!(shown["recipients"], json!([recipient]));
        let told: Vec<&Value> = told.iter().filter(|data| data["id"] == id.as_str()).collect();
        if *id == direct {
            assert!(told.is_empty());
        } else {
            assert_eq!(told, [&shown]);
        }
    }
}

/// A status that shows the opposite of a refusal takes its time back, too.
#[tokio::test]
async fn a_refused_message_that_arrives_has_not_failed() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3104").await;
    refuse(&world, &line, 131_026);
    let refused = send(&world, &line, &hello(&line)).await;
    let id = refused.header("x-message-id").unwrap().to_owned();
    refused.expect(422);
    assert_eq!(read(&world, &line, &id).await["recipients"][0]["status"], "FAILED");
    world.notify(&status(&line, &id, "delivered")).await.expect(200);
    let shown = read(&world, &line, &id).await;
    let recipient = &shown["recipients"][0];
    assert_eq!((&shown["outcome"], &recipient["status"]), (&json!("ACCEPTED"), &json!("DELIVERED")));
    assert_eq!((&shown["failedAt"], &recipient["failedAt"]), (&Value::Null, &Value::Null), "{shown}");
}

/// An SMS message has `queuedAt` from the first moment on, too, and it stays the same.
#[tokio::test]
async fn an_sms_message_has_its_times() {
    let world = World::new().await;
    let from = "+12015550100";
    linked_number(&world, from).await;
    let stored_at = world.now();
    let mut body = json!({"from": from, "to": "+12025550123", "text": "Hello", "queue": true});
    let key = world.org.app_key.as_str();
    let queued = world.send(Call::post("/v1/sms").key(key).json(&body)).await.expect(202);
    assert_eq!(queued["queuedAt"], json!(stored_at));
    world.clock.advance(Duration::from_secs(2));
    while world.send_queued().await {}
    let path = format!("/v1/sms/{}", text(&queued, "id"));
    let sent = world.send(Call::get(&path).key(key)).await.expect(200);
    assert_eq!((&sent["outcome"], &sent["queuedAt"]), (&json!("ACCEPTED"), &json!(stored_at)));

    body["queue"] = json!(false);
    let stored_at = world.now();
    let direct = world.send(Call::post("/v1/sms").key(key).json(&body)).await.expect(201);
    assert_eq!(direct["queuedAt"], json!(stored_at));
    let listed = world
        .admin(Call::get("/v1/organization/sms/messages?phoneNumberId=".to_owned() + &text(&direct, "phoneNumberId")));
    let listed = listed.await.expect(200);
    assert_eq!(listed["data"], json!([direct, sent]));
}

/// Messages and recipients that an earlier version stored have no `queuedAt`, and statuses of SMS messages are in lower
/// case. They are shown like those of this version.
#[tokio::test]
async fn messages_of_earlier_versions_are_shown_in_the_same_form() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "3105").await;
    let stored_at = world.now();
    let id = text(&send(&world, &line, &hello(&line)).await.expect(201), "id");
    world.notify(&status(&line, &id, "sent")).await.expect(200);
    let from = "+12015550100";
    linked_number(&world, from).await;
    let body = json!({"from": from, "to": "+12025550123", "text": "Hello"});
    let sms = world.send(Call::post("/v1/sms").key(&world.org.app_key).json(&body)).await.expect(201);
    for item in world.account.items().await {
        let (is_chat, is_sms) = (item["PK"].ends_with(&id), item["PK"].starts_with("SMS#"));
        if !is_chat && !is_sms {
            continue;
        }
        let key = |name: &str| AttributeValue::S(item[name].clone());
        let call = world.account.dynamodb.update_item().table_name(TABLE).key("PK", key("PK")).key("SK", key("SK"));
        let call = if is_sms {
            let call = call.update_expression("SET #status = :status").expression_attribute_names("#status", "status");
            call.expression_attribute_values(":status", AttributeValue::S("delivered".to_owned()))
        } else {
            call.update_expression("REMOVE #queued").expression_attribute_names("#queued", "queuedAt")
        };
        call.send().await.unwrap();
    }
    let shown = read(&world, &line, &id).await;
    assert_eq!(shown["queuedAt"], json!(stored_at));
    assert_eq!(shown["recipients"][0]["queuedAt"], json!(stored_at));
    let shown = world.admin(Call::get(format!("/v1/organization/sms/messages/{}", text(&sms, "id")))).await.expect(200);
    assert_eq!((&shown["status"], &shown["queuedAt"]), (&json!("DELIVERED"), &json!(stored_at)));
}

/// A medium of a simulated user has its hash, like one of the real platform, in base64.
#[tokio::test]
async fn a_simulated_medium_has_its_hash() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let direct = json!({"fileName": "a.png", "mimeType": "image/png", "fileSize": PNG.len()});
    let direct = world.send(Call::post("/v1/media/uploads").key(key).json(&direct)).await.expect(201);
    put_bytes(&direct, PNG.to_vec()).await.unwrap();
    let complete = format!("/v1/media/{}/complete", text(&direct, "id"));
    world.send(Call::post(complete).key(key)).await.expect(200);
    let upload = Call::post("/v1/media").key(key).file("a.png", Some("image/png"), PNG);
    let upload = world.send(upload).await.expect(201);
    let hash = base64::encode(digest(&SHA256, PNG));
    for medium in [&direct, &upload] {
        let body = json!({"from": "+16505551234", "type": "image", "image": {"mediaId": medium["id"]}});
        let received = Call::post("/v1/playground/chat/inbound").key(key).json(&body);
        let received = world.send(received).await.expect(201);
        assert_eq!(received["mediaSha256"], hash.as_str());
    }
}
