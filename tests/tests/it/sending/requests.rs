//! Chat messages that apps send: what the platform gets, what is stored, and what follows.

use std::time::Duration;

use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use store::DailySends;
use tests::catalogue::download;
use tests::chat::{Line, connect, event_counts, events};
use tests::request::text;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

const SEND: &str = "/v1/chat/messages";
const TO: &str = "+16505551234";

fn hello(line: &Line) -> Value {
    json!({"from": line.number, "to": TO, "type": "text", "text": {"body": "Hello"}})
}

fn send(line: &Line, body: &Value) -> Call {
    Call::post(SEND).key(&line.org.app_key).json(body)
}

/// A status of a message that was sent here, as the platform reports it.
fn status(line: &Line, id: &str, platform_id: &str, status: &str) -> Value {
    line.status(&json!({"id": platform_id, "status": status, "timestamp": "2000000000", "recipient_id": "16505551234",
        "biz_opaque_callback_data": format!("{}:{id}", line.org.id)}))
}

#[tokio::test]
async fn a_message_is_sent_stored_and_followed() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2701").await;
    let mut body = hello(&line);
    body["clientReference"] = json!("order 17");
    let sent = world.send(send(&line, &body)).await.expect(201);
    let id = text(&sent, "id");
    for (name, expected) in [
        ("outcome", json!("ACCEPTED")),
        ("providerMessageId", json!("wamid.sent.1")),
        ("appId", json!(line.org.app)),
        ("clientReference", json!("order 17")),
        ("chatPhoneNumberId", json!(line.number)),
        ("fromPhoneNumber", json!(format!("+{}", line.display))),
        ("toPhoneNumber", json!(TO)),
        ("type", json!("text")),
        ("textBody", json!("Hello")),
        ("direction", json!("OUTBOUND")),
    ] {
        assert_eq!(sent[name], expected, "{name}");
    }
    let seen = world.platform.seen("/messages");
    assert_eq!((seen.len(), seen[0].path.as_str()), (1, format!("/{}/messages", line.platform_number).as_str()));
    assert_eq!(
        seen[0].json(),
        json!({"messaging_product": "whatsapp", "recipient_type": "individual", "to": TO, "type": "text",
            "text": {"body": "Hello"}, "biz_opaque_callback_data": format!("{}:{id}", line.org.id)})
    );
    assert!(event_counts(&world, &world.org).await.keys().all(|kind| !kind.starts_with("messages.")));
    for kind in ["sent", "delivered", "read"] {
        world.notify(&status(&line, &id, "wamid.sent.1", kind)).await.expect(200);
    }
    let details = line.only_message(&world).await;
    assert_eq!((&details["id"], &details["recipients"][0]["status"]), (&json!(id), &json!("READ")));
    let read = events(&world, &world.org, "messages.chat.read").await;
    assert_eq!((read.len(), &read[0]["clientReference"]), (1, &json!("order 17")));
    // Nothing is left to do for the sweep.
    let items = world.account.items().await;
    assert!(!items.iter().any(|item| item["PK"].starts_with("MSG#") && item.contains_key("dueAt")));
}

/// The number can be named by its digits, in a function that knows the sender and in one that does not.
#[tokio::test]
async fn the_sender_is_an_id_or_a_number() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2702").await;
    let by_digits = json!({"from": format!("+{}", line.display), "to": TO, "type": "text", "text": {"body": "Hello"}});
    for _ in 0..2 {
        for body in [hello(&line), by_digits.clone()] {
            assert_eq!(world.send(send(&line, &body)).await.expect(201)["chatPhoneNumberId"], line.number.as_str());
        }
    }
    // The function knows the sender. The number is no longer the app's: it is read in every request.
    let assignment = format!("/v1/organization/apps/{}/phone-numbers/{}", line.org.app, line.number);
    world.admin(Call::delete(assignment)).await.expect(200);
    for body in [hello(&line), by_digits] {
        world.send(send(&line, &body)).await.refused(403, Some("from"), Some("phone_number_not_assigned"));
    }
    assert_eq!(world.platform.seen("/messages").len(), 4);
}

#[tokio::test]
async fn a_medium_goes_out_as_a_link() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2703").await;
    let upload = Call::post("/v1/media").key(&line.org.app_key).file("a.png", Some("image/png"), PNG);
    let media = text(&world.send(upload).await.expect(201), "id");
    let body = json!({"from": line.number, "to": TO, "type": "image", "image": {"mediaId": media, "caption": "A"}});
    let sent = world.send(send(&line, &body)).await.expect(201);
    assert_eq!((&sent["mediaMimeType"], &sent["mediaCaption"]), (&json!("image/png"), &json!("A")));
    let seen = world.platform.seen("/messages")[0].json();
    let link = text(&seen["image"], "link");
    assert!(link.contains("X-Amz-Expires=3600"), "{link}");
    tests::privileges::note_presigned_in("sending", &seen.to_string());
    let (status, mime, _, bytes) = download(link).await;
    assert_eq!((status, mime.as_str(), bytes.as_slice()), (200, "image/png", PNG));
    assert!(!world.account.items().await.iter().any(|item| format!("{item:?}").contains("X-Amz-Signature")));
}

/// A reply names a message of ours or one of the platform. The platform gets its own id, the log ours.
#[tokio::test]
async fn replies_and_reactions_name_messages_of_the_number() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2704").await;
    let inbound = json!({"id": "wamid.in.1", "type": "text", "text": {"body": "Hi"}});
    world.notify(&line.message(&inbound)).await.expect(200);
    let id = text(&line.messages(&world).await[0], "id");
    for reference in [id.as_str(), "wamid.in.1"] {
        let mut body = hello(&line);
        body["replyTo"] = json!(reference);
        assert_eq!(world.send(send(&line, &body)).await.expect(201)["replyToMessageId"], id.as_str());
        let reaction = json!({"from": line.number, "to": TO, "type": "reaction",
            "reaction": {"messageId": reference, "emoji": "👍"}});
        assert_eq!(world.send(send(&line, &reaction)).await.expect(201)["reactionMessageId"], id.as_str());
    }
    for seen in world.platform.seen("/messages") {
        let seen = seen.json();
        let named = [&seen["context"]["message_id"], &seen["reaction"]["message_id"]];
        assert!(named.contains(&&json!("wamid.in.1")), "{seen}");
    }
}

#[tokio::test]
async fn messages_go_to_users_and_groups_too() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2705").await;
    let body = json!({"from": line.number, "toUserId": "US.134", "type": "text", "text": {"body": "Hello"}});
    world.send(send(&line, &body)).await.expect(201);
    let seen = world.platform.seen("/messages")[0].json();
    assert_eq!((&seen["recipient"], seen.get("to")), (&json!("US.134"), None));
    let group = json!({"chatPhoneNumberId": line.number, "subject": "Friends"});
    let group = world.send(Call::post("/v1/chat/groups").key(&line.org.app_key).json(&group)).await.expect(201);
    let body = json!({"from": line.number, "groupId": group["id"], "type": "text", "text": {"body": "Hello"}});
    world.send(send(&line, &body)).await.refused(409, Some("groupId"), None);
    let created = json!({"groups": [{"type": "group_create", "timestamp": "2000000000", "group_id": "G1",
        "subject": "Friends", "invite_link": "https://chat.example/x", "request_id": "request-1",
        "join_approval_mode": "auto_approve"}]});
    world.notify(&line.about("group_lifecycle_update", &created)).await.expect(200);
    world.send(send(&line, &body)).await.expect(201);
    let seen = world.platform.seen("/messages")[1].json();
    assert_eq!((&seen["recipient_type"], &seen["to"]), (&json!("group"), &json!("G1")));
}

/// In test mode the statuses follow by themselves, through the worker and the code for notifications.
#[tokio::test]
async fn a_test_message_is_sent_delivered_and_read() {
    let world = World::new().await;
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let own =
        numbers["data"].as_array().unwrap().iter().find(|number| number["apps"][0]["appId"] == world.org.test_app);
    let body = json!({"from": own.unwrap()["id"], "to": TO, "type": "text", "text": {"body": "Hello"}});
    let sent = world.send(Call::post(SEND).key(&world.org.test_app_key).json(&body)).await.expect(201);
    assert!(text(&sent, "providerMessageId").starts_with("wamid.simulated."));
    let path = format!("/v1/organization/chat/messages/{}", text(&sent, "id"));
    let mut details = Value::Null;
    for _ in 0..100 {
        world.work_off().await;
        details = world.admin(Call::get(&path)).await.expect(200);
        if details["readAt"].is_string() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!((&details["recipients"][0]["status"], &details["outcome"]), (&json!("READ"), &json!("ACCEPTED")));
    let counts = event_counts(&world, &world.org).await;
    for kind in ["messages.chat.sent", "messages.chat.delivered", "messages.chat.read"] {
        assert_eq!(counts.get(kind), Some(&1), "{kind}: {counts:?}");
    }
    assert!(world.dead_letters().await.is_empty());
    assert!(world.platform.seen("/messages").is_empty());
}

#[tokio::test]
async fn inbound_messages_are_marked_as_read() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2706").await;
    let inbound = json!({"id": "wamid.in.1", "type": "text", "text": {"body": "Hi"}});
    world.notify(&line.message(&inbound)).await.expect(200);
    let id = text(&line.messages(&world).await[0], "id");
    let before = world.account.items().await;
    let signal = |what: &str, id: &str| {
        let call = Call::post(format!("{SEND}/{what}")).key(&line.org.app_key).json(&json!({"messageId": id}));
        world.send(call)
    };
    for what in ["read", "typing"] {
        assert_eq!(signal(what, &id).await.expect(200), json!({"success": true}));
    }
    assert_eq!(world.account.items().await, before, "nothing is stored");
    let seen: Vec<Value> = world.platform.seen("/messages").iter().map(|seen| seen.json()).collect();
    let read = json!({"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.in.1"});
    let mut typing = read.clone();
    typing["typing_indicator"] = json!({"type": "text"});
    assert_eq!(seen, [read, typing]);

    for what in ["read", "typing"] {
        for (code, status, expected) in [(1, 502, "platform_api_error"), (2, 503, "platform_api_unavailable")] {
            let failure = tests::standin::Misbehave::Status(500, tests::standin::error(code, "Unknown").to_string());
            world.platform.misbehave("/messages", failure, 1);
            assert_eq!(signal(what, &id).await.expect(status)["error"]["code"], expected);
        }
    }
    // Outbound messages, and messages of numbers that are not the app's.
    let outbound = text(&world.send(send(&line, &hello(&line))).await.expect(201), "id");
    let (other, _) = world.app(&line.org.admin, &json!({"name": "Other"})).await;
    let key = world.admin(Call::post(format!("/v1/organization/apps/{other}/keys"))).await.expect(201);
    let foreign = Call::post(format!("{SEND}/read")).key(&text(&key, "key")).json(&json!({"messageId": id}));
    for reply in [signal("read", &outbound).await, world.send(foreign).await] {
        reply.refused(404, Some("messageId"), None);
    }
}

/// A function that knows the sender reads everything at once, stores the message, calls the platform, and stores the
/// outcome.
#[tokio::test]
async fn a_message_waits_twice_before_the_call_and_once_after() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2707").await;
    let body = json!({"from": format!("+{}", line.display), "to": TO, "type": "text", "text": {"body": "x".repeat(1024)},
        "clientReference": "order 17"});
    world.send(send(&line, &body)).await.expect(201);
    let again = send(&line, &body).header("idempotency-key", "k");
    let (reply, cost) = world.faults.meter.of(world.send(again)).await;
    reply.expect(201);
    assert_eq!(cost.depth, 3, "{cost:?}");
    assert!(cost.write_units <= 22.0, "{cost:?}");
}

/// Requests above the quota are refused and store nothing. The quota is counted over several items, exactly.
#[tokio::test]
async fn an_app_sends_as_many_messages_a_day_as_its_quota() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2708").await;
    let service = world.sending(DailySends { messages: 19, parts: 0 });
    let attempt = async || {
        let response = service.respond(send(&line, &hello(&line)).request()).await;
        let (parts, body) = response.into_parts();
        let _ = body.collect().await.unwrap();
        (parts.status.as_u16(), parts.headers.contains_key("retry-after"))
    };
    for _ in 0..19 {
        assert_eq!(attempt().await, (201, false));
    }
    for _ in 0..3 {
        assert_eq!(attempt().await, (429, true));
    }
    assert_eq!((world.platform.seen("/messages").len(), line.messages(&world).await.len()), (19, 19));
    world.clock.advance(Duration::from_secs(24 * 3600));
    assert_eq!(attempt().await, (201, false));
}

/// A request uses the quota once, also if what the process knew of the sender has changed and is read again.
#[tokio::test]
async fn a_request_uses_the_quota_once() {
    use aws_sdk_dynamodb::types::AttributeValue::{M, S};
    let world = World::new().await;
    let line = connect(&world, &world.org, "2710").await;
    let used = async || -> u32 {
        let items = world.account.items().await;
        items.iter().filter_map(|item| item.get("sends")).map(|count| count.parse::<u32>().unwrap()).sum()
    };
    world.send(send(&line, &hello(&line))).await.expect(201);
    assert_eq!(used().await, 1);
    // The number belongs to another account now, which is not connected.
    let items = world.account.stored_items().await.into_iter();
    let number =
        items.filter(|item| item.get("id") == Some(&S(line.number.clone())) && item.contains_key("businessProfile"));
    for mut item in number {
        let Some(M(profile)) = item.get_mut("businessProfile") else { panic!("a number has a profile") };
        profile.insert("id".to_owned(), S("wabp_other".to_owned()));
        world.account.store_item(item).await;
    }
    world.send(send(&line, &hello(&line))).await.refused(404, None, Some("chat_not_configured"));
    assert_eq!(used().await, 2);
}
