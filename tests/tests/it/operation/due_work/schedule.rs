//! The invocation by the schedule, and messages of the sweep's queue.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use delivery::SweepEvent;
use domain::due::DueClass;
use serde_json::{Value, json};
use tests::World;
use tests::catalogue::uploaded;
use tests::faults::Fault;

use super::{MINUTE, deliveries, invocation, queued_rounds, round};

/// The partitions of the index in which something is due.
async fn due_partitions(world: &World) -> BTreeSet<String> {
    let now = world.now().millis();
    let items = world.account.stored_items().await;
    let due = items
        .iter()
        .filter(|item| item.get("dueAt").is_some_and(|at| at.as_n().unwrap().parse::<i64>().unwrap() <= now));
    due.map(|item| item["duePartition"].as_s().unwrap().clone()).collect()
}

/// The schedule's invocation reads every shard once, whatever waits there for later, and starts rounds only where something
/// is due, also if this release does not know what it is.
#[tokio::test]
async fn the_schedule_starts_rounds_only_where_something_is_due() {
    let world = World::new().await;
    let look = async || {
        world.index_caught_up().await;
        world.faults.calls();
        world.sweeper.serve(invocation(json!({}))).await.unwrap();
        (world.faults.calls(), queued_rounds(&world).await)
    };

    let shards: u32 = DueClass::ALL.into_iter().map(DueClass::shards).sum();
    let (calls, started) = look().await;
    assert_eq!(
        (calls.iter().filter(|call| *call == "Query").count(), started.len()),
        // One more for the positions of the counting.
        (shards as usize + 1, 0),
        "{calls:?}"
    );
    assert!(!calls.iter().any(|call| call == "SendMessageBatch"), "{calls:?}");

    uploaded(&world).await;
    deliveries(&world, &world.org.id.parse().unwrap(), 3, world.now()).await;
    assert!(look().await.1.is_empty(), "nothing is due yet");

    let later = [("PK", "LATER#1"), ("SK", "LATER"), ("duePartition", "signups#0")];
    let mut item: HashMap<String, AttributeValue> =
        later.map(|(name, value)| (name.to_owned(), AttributeValue::S(value.to_owned()))).into();
    item.insert("dueAt".to_owned(), AttributeValue::N(world.now().millis().to_string()));
    world.account.store_item(item).await;
    world.clock.advance(21 * MINUTE);
    let (_, started) = look().await;
    let places: BTreeSet<String> = started.iter().map(|job| format!("{}#{}", job.class.as_str(), job.shard)).collect();
    assert_eq!((started.len(), &places), (places.len(), &due_partitions(&world).await), "one round each");
    assert!(places.contains("signups#0") && places.len() >= 3, "{places:?}");
    assert!(started.iter().all(|job| job.until == world.now().plus(MINUTE) && job.round == 0 && job.after.is_none()));

    // If the queue does not respond, the function fails, which its alarm reports.
    world.index_caught_up().await;
    world.faults.set(Fault::BucketSilent);
    let failed = world.sweeper.serve(invocation(json!({}))).await.unwrap_err();
    assert!(failed.starts_with("the sweep could not be started: SQS"), "{failed}");
    // Records that cannot be read are not mistaken for the schedule.
    assert!(serde_json::from_value::<SweepEvent>(json!({"Records": [{}]})).is_err());
}

#[tokio::test]
async fn a_message_that_cannot_be_read_goes_back_to_the_queue() {
    let world = World::new().await;
    let record = |id: &str, body: &Value| json!({"messageId": id, "receiptHandle": id, "body": body.to_string(), "attributes": {}});
    let known = serde_json::to_value(round(&world, DueClass::Media, 0)).unwrap();
    let mut later = known.clone();
    later["class"] = json!("later");
    let records = json!([record("known", &known), record("later", &later), record("empty", &json!({}))]);

    let outcome = world.sweeper.serve(invocation(json!({"Records": records}))).await.unwrap();
    let failed: Vec<_> = outcome.batch_item_failures.into_iter().map(|failure| failure.item_identifier).collect();
    assert_eq!(failed, ["later", "empty"]);
}
