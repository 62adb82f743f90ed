//! How much is posted to webhooks in test mode.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::chat::connect;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::settings::TABLE;
use tests::{Call, Service as _, World};

use super::{DAY, USER, replay};

/// Sets what is used of a quota today.
async fn spent(world: &World, scope: &str, attribute: &str, amount: u64) {
    let today = world.now().seconds().unsigned_abs() / DAY;
    let call = world.account.dynamodb.put_item().table_name(TABLE);
    let call = call.item("PK", AttributeValue::S(format!("RATE#{}#{scope}", world.org.id)));
    let call = call.item("SK", AttributeValue::S(format!("{today:010}")));
    call.item(attribute, AttributeValue::N(amount.to_string())).send().await.unwrap();
}

/// Creates a webhook for received messages. Returns its path.
async fn webhook(world: &World, app: &str, url: &str) -> String {
    let body = json!({"url": url, "events": ["messages.chat.received"]});
    let path = format!("/v1/organization/apps/{app}/webhooks");
    format!("{path}/{}", text(&world.admin(Call::post(&path).json(&body)).await.expect(201), "id"))
}

/// A user writes a long text.
async fn write(world: &World) {
    let long = "x".repeat(100_000);
    let message = json!({"id": "wamid.1", "from": &USER[1..], "type": "text", "text": {"body": long}});
    replay(world, "messages", &json!({"messages": [message]})).await.expect(202);
}

/// The webhook's only delivery.
async fn only_delivery(world: &World, webhook: &str) -> Value {
    let listed = world.admin(Call::get(format!("{webhook}/deliveries"))).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1, "{listed}");
    listed["data"][0].clone()
}

/// What an organization posts in test mode is bounded per day. What exceeds it is skipped with the reason, and can be
/// delivered again.
#[tokio::test]
async fn the_bytes_posted_in_test_mode_are_bounded() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let hook = webhook(&world, &world.org.test_app, &receiver.url).await;
    write(&world).await;
    spent(&world, "testPosts", "postedBytes", 999_000_000).await;

    world.send_events().await;
    assert_eq!(receiver.count(), 1);
    let first = only_delivery(&world, &hook).await;
    assert_eq!(first["status"], "DELIVERED");

    let size = receiver.got()[0].body.len() as u64;
    spent(&world, "testPosts", "postedBytes", 1_000_000_000 - size + 1).await;
    let again = format!("{hook}/deliveries/{}/redeliver", text(&first, "id"));
    world.admin(Call::post(&again)).await.expect(202);
    world.send_events().await;

    assert_eq!(receiver.got().len(), 1);
    let skipped = only_delivery(&world, &hook).await;
    assert_eq!((&skipped["status"], skipped.get("nextAttemptAt")), (&json!("SKIPPED"), None));
    let attempt = skipped["attempts"].as_array().unwrap().last().unwrap();
    let reason = text(attempt, "error");
    assert!(reason.contains("1000000000 bytes") && reason.contains("not sent"), "{reason}");
    assert_eq!((attempt.get("statusCode"), &attempt["durationMs"]), (None, &json!(0)));

    // It says nothing of the receiver.
    let shown = world.admin(Call::get(&hook)).await.expect(200);
    assert_eq!(shown.get("disabledAt"), None);
    assert!(!world.account.items().await.iter().any(|item| item["PK"].starts_with("HEALTH#")));

    // A recovery ends at once, with the reason.
    world.clock.advance(Duration::from_secs(1));
    let since = world.now().minus(Duration::from_secs(3600)).to_string();
    let recover = Call::post(format!("{hook}/recover")).json(&json!({"since": since}));
    let begun = world.admin(recover).await.expect(202);

    while world.deliver().await {}
    let over = world.admin(Call::get(format!("{hook}/recoveries/{}", text(&begun, "id")))).await.expect(200);
    assert_eq!((&over["status"], &over["delivered"]), (&json!("STOPPED"), &json!(0)), "{over}");
    assert!(text(&over, "reason").contains("1000000000 bytes"), "{over}");
    assert_eq!(receiver.got().len(), 1);

    world.clock.advance(Duration::from_secs(DAY));
    world.admin(Call::post(&again)).await.expect(202);
    world.send_events().await;
    assert_eq!((receiver.got().len(), &only_delivery(&world, &hook).await["status"]), (2, &json!("DELIVERED")));
}

/// Live deliveries are neither bounded nor counted.
#[tokio::test]
async fn live_deliveries_cost_nothing_more() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let line = connect(&world, &world.org, "996").await;
    let body = json!({"url": receiver.url, "events": ["messages.chat.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    world.admin(Call::post(&path).json(&body)).await.expect(201);
    spent(&world, "testPosts", "postedBytes", 1_000_000_000).await;

    world.notify(&line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}}))).await.expect(200);
    world.dispatch().await;

    world.faults.calls();
    world.deliver().await;
    assert_eq!(world.faults.calls(), ["BatchGetItem", "UpdateItem"]);
    assert_eq!(receiver.got().len(), 1);
}
