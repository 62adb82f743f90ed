//! Counting is exact, whatever is killed, repeated or split.

use std::time::Duration;

use serde_json::{Value, json};
use tests::chat::{Line, connect};
use tests::faults::Fault;
use tests::request::text;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::{counted, rows, send, shown, status, usage};

/// A message counts in the hour in which it was stored, and moves from one number to the next as its outcome and statuses come.
#[tokio::test]
async fn a_message_counts_in_its_hour_whatever_comes_later() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5201").await;
    let sent = world.send(send(&line, "+16505551234")).await.expect(201);
    world.count().await;
    let hour = "period=hour&groupBy=channel,country";
    let first = usage(&world, hour).await;
    let row = &rows(&first)[0];
    assert_eq!([&row["messages"], &row["accepted"], &row["delivered"]], [1, 1, 0], "{first}");
    assert_eq!([&row["channel"], &row["country"]], ["chat", "US"], "{first}");

    world.clock.advance(Duration::from_secs(7200));
    for name in ["sent", "delivered", "read"] {
        world.notify(&status(&line, &text(&sent, "providerMessageId"), name, &json!({}))).await.expect(200);
    }
    world.send(send(&line, "+4915112345678")).await.expect(201);
    world.count().await;
    world.count().await;

    let page = usage(&world, hour).await;
    let found: Vec<_> =
        rows(&page).iter().map(|row| (row["country"].clone(), row["messages"].clone(), row["read"].clone())).collect();
    assert_eq!(found, [(json!("US"), json!(1), json!(1)), (json!("DE"), json!(1), json!(0))], "{page}");
    assert_eq!(rows(&page)[0]["period"], rows(&first)[0]["period"]);
    assert!(page["countedUntil"].is_string() && page["gaps"] == json!([]), "{page}");
    let day = usage(&world, "").await;
    assert_eq!(rows(&day).iter().map(|row| row["messages"].as_i64().unwrap()).sum::<i64>(), 2, "{day}");
}

/// Sends in every way, statuses in any order, and a meter that is killed at any call, whose batches are split, repeated and
/// overlap: the counters equal a full count of the log.
#[tokio::test]
async fn counters_equal_a_full_count_of_the_log() {
    let world = World::with_stream().await;
    let lines = [connect(&world, &world.org, "5202").await, connect(&world, &world.org, "5203").await];
    let mut dice = 11_u64;
    let mut roll = |sides: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    let mut accepted: Vec<(usize, String)> = Vec::new();
    let (mut kills, mut repeats) = (0, 0);

    for _ in 0..60 {
        let place = usize::try_from(roll(2)).unwrap();
        let line = &lines[place];
        match roll(6) {
            0 => world.platform.misbehave("/messages", Misbehave::Status(400, error(131_026, "no").to_string()), 1),
            1 => world.platform.misbehave("/messages", Misbehave::HangUp, 1),
            2 => received(&world, line, roll(1_000_000)).await,
            _ => {}
        }
        let to = ["+16505551234", "+4915112345678", "+33612345678"][usize::try_from(roll(3)).unwrap()];
        let reply = world.send_undocumented(send(line, to)).await;
        if reply.status == 201 {
            accepted.push((place, text(&reply.json(), "providerMessageId")));
        }
        for _ in 0..roll(4) {
            let Some((place, id)) = accepted.get(usize::try_from(roll(64)).unwrap()) else { continue };
            let name = ["sent", "delivered", "read", "failed"][usize::try_from(roll(4)).unwrap()];
            let priced = json!({"pricing": {"billable": true, "pricing_model": "PMP", "category": "utility"}});
            world.notify(&status(&lines[*place], id, name, &priced)).await.expect(200);
        }
        if roll(5) == 0 {
            world.clock.advance(Duration::from_secs(600 * roll(12)));
        }
        if roll(3) == 0 {
            let records = world.stream_records();
            // A part that begins anywhere before what is not counted yet, as when a batch is repeated after a split.
            let batch = usize::try_from(1 + roll(40)).unwrap();
            for part in records.chunks(batch) {
                if roll(4) == 0 {
                    world.faults.set(Fault::StoppedAfter(u32::try_from(roll(6)).unwrap()));
                    let stopped = tokio::time::timeout(Duration::from_millis(400), world.meter(part)).await;
                    kills += usize::from(stopped.is_err());
                    world.faults.clear();
                }
                if roll(6) == 0 {
                    world.faults.set(Fault::AnswerLost);
                }
                repeated(&world, part).await;
                if roll(4) == 0 {
                    repeats += 1;
                    repeated(&world, part).await;
                }
            }
            world.faults.clear();
        }
    }
    world.count().await;
    assert!(kills > 5 && repeats > 20, "{kills} kills, {repeats} repeats");

    let mut log: Vec<Value> = Vec::new();
    for line in &lines {
        let mut cursor = String::new();
        loop {
            let path = format!("/v1/organization/chat/messages?chatPhoneNumberId={}&limit=100{cursor}", line.number);
            let page = world.admin(Call::get(path)).await.expect(200);
            log.extend(rows(&page).iter().cloned());
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
    }
    assert!(log.len() > 60);
    let own = |message: &Value| {
        let app = message["appId"].as_str().unwrap_or("-").to_owned();
        vec![app, text(message, "direction")]
    };
    let page = usage(&world, "period=day&groupBy=app,direction").await;
    assert_eq!(shown(&page, 10, &["app", "direction"]), counted(&log, 10, own));
    let own = |message: &Value| vec![text(message, "chatPhoneNumberId")];
    let hours = hours(&world, "groupBy=number").await;
    assert_eq!(shown(&hours, 13, &["number"]), counted(&log, 13, own));
    let own = |message: &Value| vec![message["errorCode"].as_str().unwrap_or("-").to_owned()];
    let page = usage(&world, "groupBy=code").await;
    assert_eq!(shown(&page, 10, &["code"]), counted(&log, 10, own));
}

/// Counts records, and repeats what fails, as Lambda does.
async fn repeated(world: &World, records: &[Value]) {
    for _ in 0..5 {
        if world.meter(records).await.is_ok() {
            return;
        }
    }
    world.meter(records).await.unwrap();
}

/// The usage of the last 30 days by hours.
async fn hours(world: &World, query: &str) -> Value {
    let since = world.now().minus(Duration::from_secs(30 * 24 * 3600));
    usage(world, &format!("period=hour&since={since}&{query}")).await
}

async fn received(world: &World, line: &Line, id: u64) {
    let message = json!({
        "from": "16505551234", "id": format!("wamid.in.{id}"), "timestamp": "2000000000", "type": "text",
        "text": {"body": "Hi"},
    });
    world.notify(&line.message(&message)).await.expect(200);
}

/// Two invocations with the same records at once: one counts them, and the other one notices.
#[tokio::test]
async fn two_invocations_at_once_count_once() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5204").await;
    for _ in 0..5 {
        world.send(send(&line, "+16505551234")).await.expect(201);
    }
    let records = world.stream_records();
    let (first, second, third) = tokio::join!(world.meter(&records), world.meter(&records), world.meter(&records[..7]));
    assert!(first.is_ok() && second.is_ok() && third.is_ok(), "{first:?} {second:?} {third:?}");
    assert_eq!(rows(&usage(&world, "").await)[0]["messages"], 5);
}

/// Without the name of the shard, nothing could be counted exactly, so the function refuses.
#[tokio::test]
async fn records_without_a_shard_are_refused() {
    let world = World::with_stream().await;
    let window = serde_json::from_value(json!({"Records": world.stream_records()})).unwrap();
    let refused = world.meter.work(window).await.unwrap_err();
    assert!(refused.log_text().contains("tumbling window"), "{}", refused.log_text());
}

/// What cannot be read is logged and skipped: it would block everything behind it.
#[tokio::test]
async fn an_unreadable_record_does_not_block_the_others() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5205").await;
    for _ in 0..2 {
        world.send(send(&line, "+16505551234")).await.expect(201);
    }
    let mut records = world.stream_records();
    let insert = records.iter_mut().find(|record| record["eventName"] == "INSERT").unwrap();
    insert["dynamodb"]["NewImage"]["createdAt"] = json!({"S": "never"});
    let before = world.metrics.text();
    assert!(!before.contains("UncountedChanges"));
    world.meter(&records).await.unwrap();
    let shown = usage(&world, "").await;
    assert!(rows(&shown)[0]["messages"].as_i64().unwrap() >= 1, "{shown}");
    assert!(world.metrics.text().contains("UncountedChanges"), "the metric is published");
}
