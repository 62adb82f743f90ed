//! Timelines of messages.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::fields;

const TO: &str = "+16505551234";

pub(super) fn hello(line: &Line) -> Value {
    json!({"from": line.number, "to": TO, "type": "text", "text": {"body": "Hello"}})
}

pub(super) async fn webhook(world: &World, receiver: &Receiver, app: &str) -> String {
    let names = ["received", "sent", "delivered", "read", "failed"].map(|name| format!("messages.chat.{name}"));
    let names =
        names.into_iter().chain(["received", "sent", "delivered", "failed"].map(|name| format!("messages.sms.{name}")));
    let body = json!({"url": receiver.url, "events": names.collect::<Vec<_>>()});
    let call = Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&body);
    text(&world.admin(call).await.expect(201), "id")
}

pub(super) async fn timeline(world: &World, path: &str, key: &str) -> Value {
    world.send(Call::get(format!("{path}/timeline?limit=100")).key(key)).await.expect(200)
}

fn kinds(timeline: &Value) -> Vec<&str> {
    fields(timeline, "kind")
}

fn reported(line: &Line, id: &str, name: &str, at: u64) -> Value {
    line.status(&json!({"id": id, "status": name, "timestamp": at.to_string(), "recipient_id": "16505551234"}))
}

/// A message from the request to the last delivery, with who requested it, and when each status was reported and recorded.
#[tokio::test]
async fn a_chat_message_tells_everything() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let line = connect(&world, &world.org, "5001").await;
    let hook = webhook(&world, &receiver, &world.org.app).await;
    let sent = world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&hello(&line))).await.expect(201);
    let (id, platform_id) = (text(&sent, "id"), text(&sent, "providerMessageId"));
    for (name, at) in [("sent", 2_000_000_001), ("delivered", 2_000_000_002), ("read", 2_000_000_003)] {
        world.clock.advance(Duration::from_secs(5));
        world.notify(&reported(&line, &platform_id, name, at)).await.expect(200);
        world.work_off().await;
        world.send_events().await;
    }

    let own = format!("/v1/chat/messages/{id}");
    let shown = timeline(&world, &own, &line.org.app_key).await;
    let expected = [
        "REQUESTED",
        "ATTEMPTED",
        "ACCEPTED",
        "SENT",
        "EVENT",
        "DELIVERY",
        "DELIVERED",
        "EVENT",
        "DELIVERY",
        "READ",
        "EVENT",
        "DELIVERY",
    ];
    assert_eq!(kinds(&shown), expected, "{shown}");
    let entries = shown["data"].as_array().unwrap();
    assert_eq!(entries[0]["by"]["kind"], "KEY");
    assert!(entries[0]["requestId"].is_string());
    let status = &entries[3];
    assert_eq!(status["at"], "2033-05-18T03:33:21.000Z");
    assert!(status["recordedAt"].as_str() < status["at"].as_str(), "by our clock: {status}");
    let (event, delivery) = (&entries[4], &entries[5]);
    assert_eq!((&event["eventType"], &event["appId"]), (&json!("messages.chat.sent"), &json!(line.org.app)));
    assert_eq!((&delivery["webhookId"], &delivery["statusCode"]), (&json!(hook), &json!(204)));
    assert_eq!(delivery["eventId"], event["eventId"]);
    assert_eq!(receiver.got()[0].id(), text(event, "eventId"));
    assert!(delivery["durationMs"].is_u64() && delivery["attempt"] == 1);

    let all = format!("/v1/organization/chat/messages/{id}");
    let of_admin = timeline(&world, &all, &world.org.admin).await;
    assert_eq!(of_admin, shown);
    // Pages continue where the last one ended.
    let first = world.admin(Call::get(format!("{all}/timeline?limit=5"))).await.expect(200);
    let cursor = text(&first, "nextCursor");
    let rest = world.admin(Call::get(format!("{all}/timeline?limit=100&cursor={cursor}"))).await.expect(200);
    let both: Vec<_> =
        first["data"].as_array().unwrap().iter().chain(rest["data"].as_array().unwrap()).cloned().collect();
    assert_eq!((json!(both), &rest["nextCursor"]), (shown["data"].clone(), &Value::Null));
}

/// A queued message tells how often it waited, why, and until when.
#[tokio::test]
async fn a_queued_message_tells_why_it_waited() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5002").await;
    let mut body = hello(&line);
    body["queue"] = json!(true);
    for code in [130_429, 131_056] {
        world.platform.misbehave("/messages", Misbehave::Status(400, error(code, "refused").to_string()), 1);
    }
    let queued = world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)).await.expect(202);
    for _ in 0..10 {
        while world.send_queued().await {}
        world.clock.advance(Duration::from_secs(70));
        world.sweep().await;
    }
    let path = format!("/v1/chat/messages/{}", text(&queued, "id"));
    let shown = timeline(&world, &path, &line.org.app_key).await;
    let expected = ["REQUESTED", "QUEUED", "ATTEMPTED", "DEFERRED", "ATTEMPTED", "DEFERRED", "ATTEMPTED", "ACCEPTED"];
    assert_eq!(kinds(&shown), expected, "{shown}");
    let reasons: Vec<_> = fields(&shown, "reason").into_iter().filter(|reason| *reason != "-").collect();
    assert_eq!(reasons, ["RATE_LIMIT", "PAIR_RATE_LIMIT"]);
    let deferred = &shown["data"][3];
    assert!(deferred["until"].as_str() > deferred["at"].as_str(), "{deferred}");
}

/// A refusal and a failure have their reasons.
#[tokio::test]
async fn a_failure_tells_why() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5003").await;
    let send = || Call::post("/v1/chat/messages").key(&line.org.app_key).json(&hello(&line));
    world.platform.misbehave("/messages", Misbehave::Status(400, error(131_026, "refused").to_string()), 1);
    let refused = world.send(send()).await;
    let path = format!("/v1/chat/messages/{}", refused.header("x-message-id").unwrap());
    let shown = timeline(&world, &path, &line.org.app_key).await;
    assert_eq!(kinds(&shown), ["REQUESTED", "ATTEMPTED", "REFUSED"]);
    let why = &shown["data"][2];
    assert_eq!((&why["errorCode"], &why["provider"]["code"]), (&json!("message_undeliverable"), &json!(131_026)));

    let sent = world.send(send()).await.expect(201);
    let failed = json!({
        "id": sent["providerMessageId"], "status": "failed", "timestamp": "2000000000", "recipient_id": "16505551234",
        "errors": [{"code": 131_047, "title": "Re-engagement message"}],
    });
    world.notify(&line.status(&failed)).await.expect(200);
    let path = format!("/v1/chat/messages/{}", text(&sent, "id"));
    let shown = timeline(&world, &path, &line.org.app_key).await;
    assert_eq!(kinds(&shown), ["REQUESTED", "ATTEMPTED", "ACCEPTED", "FAILED", "EVENT"]);
    assert_eq!(shown["data"][3]["provider"]["code"], 131_047);
}

/// A received message begins with its notification.
#[tokio::test]
async fn a_received_message_tells_where_it_went() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(500));
    let line = connect(&world, &world.org, "5004").await;
    webhook(&world, &receiver, &world.org.app).await;
    let message = json!({"id": "wamid.in", "type": "text", "text": {"body": "Hello"}});
    world.notify(&line.message(&message)).await.expect(200);
    world.send_events().await;
    let id = text(&line.only_message(&world).await, "id");
    let shown = timeline(&world, &format!("/v1/chat/messages/{id}"), &line.org.app_key).await;
    assert_eq!(kinds(&shown), ["RECEIVED", "EVENT", "DELIVERY"]);
    assert_eq!(shown["data"][2]["statusCode"], 500);
}

/// A message that was edited and revoked, and one whose time in the queue ran out.
#[tokio::test]
async fn changes_and_the_end_of_the_queue_are_told() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5006").await;
    let changed = json!({"original_message_id": "wamid.o", "message": {"type": "text", "text": {"body": "Second"}}});
    for (id, more) in [
        ("wamid.o", json!({"type": "text", "text": {"body": "First"}})),
        ("wamid.e", json!({"type": "edit", "edit": changed})),
        ("wamid.r", json!({"type": "revoke", "revoke": {"original_message_id": "wamid.o"}})),
    ] {
        let mut message = more;
        message["id"] = json!(id);
        world.notify(&line.message(&message)).await.expect(200);
        world.clock.advance(Duration::from_secs(1));
    }
    let listed = format!("/v1/organization/chat/messages?chatPhoneNumberId={}", line.number);
    let log = world.admin(Call::get(listed)).await.expect(200);
    let first = log["data"].as_array().unwrap().last().unwrap();
    let shown = timeline(&world, &format!("/v1/chat/messages/{}", text(first, "id")), &line.org.app_key).await;
    let told: Vec<_> = kinds(&shown).into_iter().filter(|kind| *kind != "EVENT").collect();
    assert_eq!(told, ["RECEIVED", "EDITED", "REVOKED"], "{shown}");

    world.platform.misbehave("/messages", Misbehave::Status(400, error(130_429, "busy").to_string()), u32::MAX);
    let mut body = hello(&line);
    (body["queue"], body["validForSeconds"]) = (json!(true), json!(120));
    let queued = world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)).await.expect(202);
    for _ in 0..6 {
        while world.send_queued().await {}
        world.clock.advance(Duration::from_secs(40));
        world.sweep().await;
    }
    let shown = timeline(&world, &format!("/v1/chat/messages/{}", text(&queued, "id")), &line.org.app_key).await;
    let told = kinds(&shown);
    assert_eq!(told[..4], ["REQUESTED", "QUEUED", "ATTEMPTED", "DEFERRED"], "{shown}");
    assert!(told.contains(&"EXPIRED") && !told.contains(&"ACCEPTED"), "{shown}");
}

/// Of a number that two apps share, each sees its own events and deliveries, and only the sender who has requested it.
#[tokio::test]
async fn an_app_sees_its_own_part_only() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let line = connect(&world, &world.org, "5005").await;
    let (other, other_key) = world.app(&world.org.admin, &json!({"name": "Other"})).await;
    let assign = format!("/v1/organization/apps/{other}/phone-numbers/{}", line.number);
    world.admin(Call::put(assign)).await.expect(200);
    for app in [&world.org.app, &other] {
        webhook(&world, &receiver, app).await;
    }
    let sent = world.send(Call::post("/v1/chat/messages").key(&line.org.app_key).json(&hello(&line))).await.expect(201);
    world.notify(&reported(&line, &text(&sent, "providerMessageId"), "sent", 2_000_000_001)).await.expect(200);
    world.send_events().await;

    let path = format!("/v1/chat/messages/{}", text(&sent, "id"));
    let sender = timeline(&world, &path, &line.org.app_key).await;
    let sharer = timeline(&world, &path, &other_key).await;
    assert!(sender["data"][0]["by"].is_object() && sharer["data"][0].get("by").is_none());
    assert_eq!(sharer["data"][0].get("requestId"), None);
    for (shown, app) in [(&sender, &line.org.app), (&sharer, &other)] {
        let apps: Vec<_> = fields(shown, "appId").into_iter().filter(|id| *id != "-").collect();
        assert_eq!(apps, [app.as_str(), app.as_str()], "{shown}");
    }
    let all =
        timeline(&world, &format!("/v1/organization/chat/messages/{}", text(&sent, "id")), &world.org.admin).await;
    assert_eq!(kinds(&all).iter().filter(|kind| **kind == "DELIVERY").count(), 2);

    // An app without the number sees nothing, and a key without the scope neither.
    let (_, strangers_key) = world.app(&world.org.admin, &json!({"name": "Stranger"})).await;
    world.send(Call::get(format!("{path}/timeline")).key(&strangers_key)).await.refused(404, Some("messageId"), None);
    let scoped = json!({"scopes": ["messages:write", "events:read"]});
    let keys = format!("/v1/organization/apps/{}/keys", line.org.app);
    let scoped = text(&world.admin(Call::post(keys).json(&scoped)).await.expect(201), "key");
    world.send(Call::get(format!("{path}/timeline")).key(&scoped)).await.expect(403);
    let test_admin = Call::get(format!("/v1/organization/chat/messages/{}/timeline", text(&sent, "id")));
    world.send(test_admin.key(&world.org.test_admin)).await.refused(404, Some("messageId"), None);
}

/// SMS messages have timelines, too.
#[tokio::test]
async fn an_sms_tells_everything() {
    let world = World::new().await;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await;
    let from = text(&json!({"number": system.expect(200)["numbers"][0]}), "number");
    let body = json!({"from": from, "to": "+442079460111", "text": "Hello"});
    let sent = world.send(Call::post("/v1/sms").key(&world.org.test_app_key).json(&body)).await.expect(201);
    world.clock.advance(Duration::from_secs(10));
    let own = format!("/v1/sms/{}", text(&sent, "id"));
    // The receipt of the delivery is delayed by the queue.
    for _ in 0..40 {
        world.work_off().await;
        let message = world.send(Call::get(&own).key(&world.org.test_app_key)).await.expect(200);
        if message["status"] == "DELIVERED" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let shown = timeline(&world, &own, &world.org.test_app_key).await;
    // Both receipts were recorded at the same time.
    let expected = ["REQUESTED", "ATTEMPTED", "ACCEPTED", "SENT", "DELIVERED", "EVENT", "EVENT"];
    assert_eq!(kinds(&shown), expected, "{shown}");
    let path = format!("/v1/organization/sms/messages/{}", text(&sent, "id"));
    assert_eq!(timeline(&world, &path, &world.org.test_admin).await, shown);
}
