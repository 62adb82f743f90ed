//! The list of messages that reached nobody.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::fields;

const FAILURES: &str = "/v1/organization/failures";

async fn failures(world: &World, query: &str) -> Value {
    world.admin(Call::get(format!("{FAILURES}?limit=100{query}"))).await.expect(200)
}

fn send(line: &Line) -> Call {
    let body = json!({"from": line.number, "to": "+16505551234", "type": "text", "text": {"body": "Hello"}});
    Call::post("/v1/chat/messages").key(&line.org.app_key).json(&body)
}

fn status(line: &Line, sent: &Value, name: &str) -> Value {
    let status = json!({
        "id": sent["providerMessageId"], "status": name, "timestamp": "2000000000", "recipient_id": "16505551234",
        "errors": [{"code": 131_026, "title": "Undeliverable"}],
    });
    line.status(&status)
}

/// All endings of both channels are in one list, and a message that is delivered after all leaves it.
#[tokio::test]
async fn all_endings_are_in_one_list() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5101").await;
    world.platform.misbehave("/messages", Misbehave::Status(400, error(131_026, "refused").to_string()), 1);
    let refused = world.send(send(&line)).await.header("x-message-id").unwrap().to_owned();
    world.clock.advance(Duration::from_secs(1));
    let sent = world.send(send(&line)).await.expect(201);
    world.notify(&status(&line, &sent, "failed")).await.expect(200);

    let shown = failures(&world, "").await;
    assert_eq!(fields(&shown, "ending"), ["FAILED", "REFUSED"], "{shown}");
    assert_eq!(fields(&shown, "messageId"), [text(&sent, "id"), refused]);
    let failed = &shown["data"][0];
    for (name, value) in [
        ("channel", json!("chat")),
        ("phoneNumberId", json!(line.number)),
        ("appId", json!(line.org.app)),
        ("to", json!("+16505551234")),
        ("errorCode", json!("message_undeliverable")),
    ] {
        assert_eq!(failed[name], value, "{failed}");
    }
    assert_eq!(failed["provider"]["code"], 131_026);

    world.notify(&status(&line, &sent, "delivered")).await.expect(200);
    assert_eq!(fields(&failures(&world, "").await, "ending"), ["REFUSED"]);
}

/// An unknown outcome is mostly resolved soon, so it counts after ten minutes only.
#[tokio::test]
async fn an_unknown_outcome_counts_after_ten_minutes() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5102").await;
    world.platform.misbehave("/messages", Misbehave::HangUp, 1);
    let unknown = world.send(send(&line)).await.expect(202);
    assert_eq!(unknown["outcome"], "UNKNOWN");
    world.clock.advance(Duration::from_secs(590));
    assert_eq!(failures(&world, "").await["data"], json!([]));
    world.clock.advance(Duration::from_secs(20));
    assert_eq!(fields(&failures(&world, "").await, "ending"), ["UNKNOWN"]);
}

/// Works off what the simulation has reported, until a message has this value in a field.
async fn until(world: &World, path: &str, field: &str, value: &str) {
    for _ in 0..60 {
        world.work_off().await;
        let message = world.send(Call::get(path).key(&world.org.test_app_key)).await.expect(200);
        if message[field] == value {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{path} never had {field} {value}");
}

/// What is known later enters the list and leaves it: a receipt of the carrier, the statuses of a message whose response was lost,
/// and the erasure of the recipient.
#[tokio::test]
async fn late_endings_are_listed_and_resolved() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let numbers = world.send(Call::get("/v1/phone-numbers").key(key)).await.expect(200);
    let of_kind = |kind: &str| {
        let numbers = numbers["data"].as_array().unwrap();
        text(numbers.iter().find(|number| number["kind"] == kind).unwrap(), "id")
    };
    let sms = json!({"from": of_kind("sms"), "to": "+99940002", "text": "Hello"});
    let sms = world.send(Call::post("/v1/sms").key(key).json(&sms)).await.expect(201);
    assert_eq!(failures(&world, "").await["data"], json!([]));
    until(&world, &format!("/v1/sms/{}", text(&sms, "id")), "status", "FAILED").await;
    let shown = failures(&world, "").await;
    assert_eq!((fields(&shown, "ending"), fields(&shown, "channel")), (vec!["FAILED"], vec!["sms"]), "{shown}");

    let lost = json!({"from": of_kind("chat"), "to": "+99930006", "type": "text", "text": {"body": "Hello"}});
    let lost = world.send(Call::post("/v1/chat/messages").key(key).json(&lost)).await.expect(202);
    world.clock.advance(Duration::from_secs(610));
    assert_eq!(fields(&failures(&world, "&channel=chat").await, "ending"), ["UNKNOWN"]);
    until(&world, &format!("/v1/chat/messages/{}", text(&lost, "id")), "outcome", "ACCEPTED").await;
    assert_eq!(failures(&world, "&channel=chat").await["data"], json!([]));

    let erasure = json!({"operation": "eraseContact", "organizationId": world.org.id, "contact": "+99940002"});
    world.operate(erasure).await.unwrap();
    world.sweep().await;
    world.work_off().await;
    assert_eq!(failures(&world, "").await["data"], json!([]));
    let items = world.account.items().await;
    assert!(items.iter().all(|item| !item["PK"].starts_with("FAILED#")), "{items:?}");
}

#[tokio::test]
async fn filters_choose_failures() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "5103").await;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await;
    let from = text(&json!({"number": system.expect(200)["numbers"][0]}), "number");
    let sms = json!({"from": from, "to": "+99940001", "text": "Hello"});
    world.send(Call::post("/v1/sms").key(&world.org.test_app_key).json(&sms)).await;
    for _ in 0..3 {
        world.platform.misbehave("/messages", Misbehave::Status(400, error(131_026, "refused").to_string()), 1);
        world.send(send(&line)).await;
        world.clock.advance(Duration::from_secs(60));
    }

    assert_eq!(failures(&world, "").await["data"].as_array().unwrap().len(), 4);
    assert_eq!(fields(&failures(&world, "&channel=sms").await, "channel"), ["sms"]);
    let of_number = failures(&world, &format!("&phoneNumberId={}", line.number)).await;
    assert_eq!(of_number["data"].as_array().unwrap().len(), 3);
    let code = failures(&world, "&code=message_undeliverable&channel=chat").await;
    assert_eq!(code["data"].as_array().unwrap().len(), 3);
    let since = text(&of_number["data"][1], "createdAt");
    assert_eq!(failures(&world, &format!("&since={since}")).await["data"].as_array().unwrap().len(), 2);

    let page = world.admin(Call::get(format!("{FAILURES}?limit=2"))).await.expect(200);
    let cursor = text(&page, "nextCursor");
    let rest = world.admin(Call::get(format!("{FAILURES}?limit=2&cursor={cursor}"))).await.expect(200);
    assert_eq!(rest["data"].as_array().unwrap().len(), 2);

    for (query, param) in [("channel=mms", "channel"), ("phoneNumberId=x", "phoneNumberId"), ("code=odd", "code")] {
        world.admin(Call::get(format!("{FAILURES}?{query}"))).await.refused(400, Some(param), None);
    }
    // Test keys see test mode only, and an app sees what it has sent.
    let of_test = world.send(Call::get(FAILURES).key(&world.org.test_admin)).await.expect(200);
    assert_eq!(fields(&of_test, "channel"), ["sms"]);
    let own = world.send(Call::get("/v1/failures").key(&line.org.app_key)).await.expect(200);
    assert_eq!(fields(&own, "channel"), ["chat", "chat", "chat"]);
    let limit = json!({"rateLimit": {"requestsPerSecond": 5}});
    let app = format!("/v1/organization/apps/{}", line.org.app);
    world.admin(Call::patch(app).json(&limit)).await.expect(200);
    let limited = world.send(Call::get("/v1/failures").key(&line.org.app_key)).await;
    assert!(limited.header("ratelimit").is_some());
    let other = world.organization("Other").await;
    let none = world.send(Call::get(FAILURES).key(&other.admin)).await.expect(200);
    assert_eq!(none["data"], json!([]));
}
