//! Which updates are applied before the response, and which are queued: none of them holds up another.

use std::time::Duration;

use serde_json::{Value, json};
use tests::World;
use tests::chat::{Line, connect, event_counts};
use tests::settings::of_size;

use super::{ANN, SENT, message_from_ann, signed, text_message};
use crate::chat::merged;

/// How many updates are applied before the response at most.
const AT_ONCE: usize = 25;

/// Messages with these numbers.
fn messages(numbers: std::ops::Range<usize>) -> Vec<Value> {
    numbers.map(|n| message_from_ann(&format!("wamid.{n}"), "x")).collect()
}

/// Sends messages to a new function with this time limit for updates that it applies directly.
async fn post(world: &World, line: &Line, messages: &[Value], budget: Duration) {
    let body = line.about("messages", &json!({"messages": messages})).to_string();
    let response = world.notifications(budget).respond(signed(body).request()).await;
    assert_eq!(response.status(), 200);
}

/// The entry of an organization's messages. One message of all organizations has no id, so that it cannot be stored.
fn entry(organization: usize, line: &Line) -> Value {
    let message = |n: usize| {
        let is_poisonous = (organization, n) == (5, 13);
        let id = if is_poisonous { Value::Null } else { json!(format!("wamid.{organization}.{n}")) };
        let sender = json!({"id": id, "from": ANN, "timestamp": (SENT + n as i64).to_string()});
        merged(text_message("", &format!("message {n}")), &sender)
    };
    let messages: Vec<Value> = (0..AT_ONCE).map(message).collect();
    line.about("messages", &json!({"messages": messages}))["entry"][0].clone()
}

/// Updates of many organizations, 25 of each and one of them invalid: the response waits for few calls after one another,
/// and all other updates are applied.
#[tokio::test]
async fn many_updates_with_one_poisonous() {
    let organizations = of_size(8, 40);
    let world = World::new().await;
    let mut lines = Vec::new();
    for n in 0..organizations {
        let org = if n == 0 { world.org.clone() } else { world.organization(&format!("Tenant {n}")).await };
        lines.push(connect(&world, &org, &format!("8{n:02}")).await);
    }
    let entries: Vec<Value> = lines.iter().enumerate().map(|(n, line)| entry(n, line)).collect();
    let notification = json!({"object": "whatsapp_business_account", "entry": entries});

    let (reply, cost) = world.faults.meter.of(world.notify(&notification)).await;
    assert_eq!(reply.expect(200), json!({"accepted": AT_ONCE * organizations, "ignored": 0}));
    // Sequential processing would need hundreds of round trips.
    assert!(cost.depth <= 50, "the platform waits for {} calls after one another", cost.depth);

    world.work_off().await;
    let mut applied = 0;
    for (n, line) in lines.iter().enumerate() {
        let messages = line.messages(&world).await;
        assert_eq!(messages.len(), if n == 5 { AT_ONCE - 1 } else { AT_ONCE }, "tenant {n}");
        assert_eq!(event_counts(&world, &line.org).await["messages.chat.received"], messages.len());
        applied += messages.len();
    }
    assert_eq!(applied, AT_ONCE * organizations - 1);

    let dead = world.dead_letters().await;
    assert_eq!(dead.len(), 1);
    assert!(dead[0].contains("message 13"));
}

/// Updates that cannot be applied, or not in time, are queued like all after the first 25.
#[tokio::test]
async fn updates_beyond_the_time_limit_are_queued() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "720").await;

    // Without any time, everything is queued.
    post(&world, &line, &messages(0..5), Duration::ZERO).await;
    assert!(line.messages(&world).await.is_empty());
    world.work_off().await;
    assert_eq!(line.messages(&world).await.len(), 5);

    // An invalid update among those that are applied directly.
    let mut poisonous = messages(5..10);
    poisonous[2] = json!({"text": {"body": "no id"}});
    post(&world, &line, &poisonous, Duration::from_secs(5)).await;
    assert_eq!(line.messages(&world).await.len(), 9);
    world.work_off().await;
    assert_eq!((line.messages(&world).await.len(), world.dead_letters().await.len()), (9, 1));
}

/// Updates after the first 25 are queued even if there is time, because the platform waits for the response.
#[tokio::test]
async fn twenty_five_updates_are_applied_before_the_answer() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "736").await;

    post(&world, &line, &messages(0..30), Duration::from_secs(60)).await;
    assert_eq!(line.messages(&world).await.len(), AT_ONCE);

    world.work_off().await;
    assert_eq!(line.messages(&world).await.len(), 30);
}

/// An update that is too large for a queue message does not block the others, whatever its position.
#[tokio::test]
async fn an_update_too_large_for_the_queue_holds_no_other_up() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "721").await;
    let mut forty = messages(0..40);
    forty[30] = message_from_ann("wamid.30", &"x".repeat(300_000));

    world.notify(&line.about("messages", &json!({"messages": forty}))).await.expect(200);
    world.work_off().await;
    assert_eq!(line.messages(&world).await.len(), 40);

    // A message that is too large for a table item is cut.
    let mut thirty = messages(40..70);
    thirty.insert(28, message_from_ann("wamid.giant", &"x".repeat(500_000)));
    world.notify(&line.about("messages", &json!({"messages": thirty}))).await.expect(200);
    world.work_off().await;
    assert_eq!((line.messages(&world).await.len(), world.dead_letters().await.len()), (71, 0));
}

/// Malformed updates are counted; the other updates are applied.
#[tokio::test]
async fn malformed_entries_hold_no_other_up() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "722").await;
    let good = line.message(&text_message("wamid.1", "Hi"))["entry"][0].clone();
    let removed = json!({"field": "account_update", "value": {"event": "PARTNER_REMOVED"}});
    let entries = json!([
        1,
        {"id": "1"},
        {"id": {}, "changes": []},
        {"id": "1", "changes": {}},
        {"id": "1", "changes": [{"field": "messages"}, "x"]},
        {"id": "9".repeat(5000), "changes": [removed]},
        good,
    ]);

    let reply = world.notify(&json!({"object": "whatsapp_business_account", "entry": entries})).await.expect(200);
    assert_eq!(reply, json!({"accepted": 1, "ignored": 7}));
    assert_eq!(line.messages(&world).await.len(), 1);
}
