//! A repeated send whose message no longer exists: 410, and nothing is sent again.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::sms::linked_number;
use tests::{Call, Service as _, World};

const NUMBER: &str = "+16505551234";

fn chat(line: &Line, more: &Value) -> Call {
    let mut body = json!({"from": line.number, "to": NUMBER, "type": "text", "text": {"body": "Hello"}});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Call::post("/v1/chat/messages").key(&line.org.app_key).header("idempotency-key", "chat").json(&body)
}

fn sms(world: &World) -> Call {
    let body = json!({"from": "+12015550100", "to": NUMBER, "text": "Hello"});
    Call::post("/v1/sms").key(&world.org.app_key).header("idempotency-key", "sms").json(&body)
}

async fn erase(world: &World) {
    let erase = json!({"operation": "eraseContact", "organizationId": world.org.id, "contact": NUMBER});
    world.operate(erase).await.unwrap();
    world.sweep().await;
    world.work_off().await;
    let show = json!({"operation": "showErasure", "organizationId": world.org.id, "contact": NUMBER});
    assert_eq!(world.operate(show).await.unwrap()["status"], "DONE");
}

fn is_gone(reply: tests::Reply) {
    let error = reply.refused(410, Some("Idempotency-Key"), None);
    let message = error["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("not sent again") && message.contains("new key"), "{message}");
}

#[tokio::test]
async fn a_message_that_was_erased_is_not_sent_again() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4501").await;
    linked_number(&world, "+12015550100").await;
    world.send(chat(&line, &json!({}))).await.expect(201);
    world.send(sms(&world)).await.expect(201);
    erase(&world).await;
    for _ in 0..2 {
        is_gone(world.send(chat(&line, &json!({}))).await);
        is_gone(world.send(sms(&world)).await);
    }
    // Another input is reported first, and a new key is a new request.
    world.send(chat(&line, &json!({"clientReference": "other"}))).await.refused(422, Some("Idempotency-Key"), None);
    assert_eq!(world.platform.seen(&format!("/{}/messages", line.platform_number)).len(), 1);
    assert_eq!(world.carrier_account.state().sends.len(), 1);
    // A key can be used again after a day.
    world.clock.advance(Duration::from_secs(24 * 3600 + 1));
    world.send(sms(&world)).await.expect(201);
}

/// Also a message that waited: it was never sent, and is not.
#[tokio::test]
async fn a_waiting_message_that_was_erased_is_not_sent_again() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4502").await;
    let queued = json!({"queue": true});
    world.send(chat(&line, &queued)).await.expect(202);
    erase(&world).await;
    while world.send_queued().await {}
    is_gone(world.send(chat(&line, &queued)).await);
    assert!(world.platform.seen(&format!("/{}/messages", line.platform_number)).is_empty());
}

/// Also a request that the checks refuse now.
#[tokio::test]
async fn an_erased_message_is_reported_before_other_errors() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4503").await;
    world.send(chat(&line, &json!({}))).await.expect(201);
    erase(&world).await;
    let unassign = format!("/v1/organization/apps/{}/phone-numbers/{}", world.org.app, line.number);
    world.admin(Call::delete(unassign)).await.expect(200);
    is_gone(world.send(chat(&line, &json!({}))).await);
}
