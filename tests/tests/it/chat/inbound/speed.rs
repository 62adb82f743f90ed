//! The time in which the platform has its answer. It wants one within a second or so, whatever the notification holds.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::World;
use tests::chat::{Line, connect};
use tests::standin::{APP_SECRET, signature};

use super::harness::stored;
use super::property::Service;

/// As in functions/notifications.
const BUDGET: Duration = Duration::from_millis(700);
/// How long the answer to a thousand updates may take, here in a debug build and over the emulator, if the machine is idle.
const LONGEST: Duration = Duration::from_millis(1500);

/// A notification of 1,000 updates of one account: messages of 500 people and a status for each of 500 others.
fn thousand(line: &Line, run: usize) -> Vec<u8> {
    many(line, run, 1000)
}

fn many(line: &Line, run: usize, updates: usize) -> Vec<u8> {
    let messages = (0..updates / 2).map(|n| {
        json!({"id": format!("wamid.{run}.{n}"), "from": format!("1650555{n:04}"), "timestamp": "2000000000", "type": "text",
            "text": {"body": "Is my parcel on its way?"}})
    });
    let statuses = (0..updates / 2).map(|n| {
        json!({"id": format!("wamid.{run}.out.{n}"), "status": "delivered", "timestamp": "2000000000", "recipient_id": format!("1650556{n:04}"),
            "pricing": {"billable": true, "pricing_model": "PMP", "category": "utility"}})
    });
    let (messages, statuses): (Vec<Value>, Vec<Value>) = (messages.collect(), statuses.collect());
    line.about("messages", &json!({"messages": messages, "statuses": statuses})).to_string().into_bytes()
}

#[tokio::test]
async fn a_thousand_updates_are_answered_in_time() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2501").await;
    let request = |body: Vec<u8>| {
        let signed = signature(APP_SECRET, &body);
        let call = tests::Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signed);
        call.bytes(body).request()
    };
    let started_with = async |budget: Duration| {
        let notifications = world.notifications(budget);
        // The first request of a function also opens its connections.
        let first = notifications.respond(request(br#"{"entry": []}"#.to_vec())).await;
        assert_eq!(first.status(), 200);
        notifications
    };
    // Without time, one lookup precedes the queue, however many updates there are.
    let notifications = started_with(Duration::ZERO).await;
    let (response, cost) = world.faults.meter.of(notifications.respond(request(thousand(&line, 0)))).await;
    assert_eq!((response.status().as_u16(), cost.calls, cost.depth), (200, vec!["BatchGetItem 2".to_owned()], 1));
    let post = async |budget: Duration, body: Vec<u8>| {
        let notifications = started_with(budget).await;
        world.faults.calls();
        let started = Instant::now();
        assert_eq!(notifications.respond(request(body)).await.status(), 200);
        let took = started.elapsed();
        let calls = world.faults.calls().into_iter().filter(|name| name != "SendMessageBatch");
        (took, calls.collect::<Vec<_>>())
    };
    // Other tests run beside this one, so the best of three counts, and a busy machine gets the time that it needs where
    // everything is queued at once.
    let (queueing, _) = post(Duration::ZERO, thousand(&line, 4)).await;
    let longest = LONGEST.max(BUDGET + queueing * 2);
    let mut times = Vec::new();
    for run in 1..=3 {
        let (time, calls) = post(BUDGET, thousand(&line, run)).await;
        eprintln!("1,000 updates: {time:?}, {} calls of the table before the answer", calls.len());
        assert!(calls.len() <= 1 + 25 * 6, "{calls:?}");
        times.push(time);
    }
    assert!(times.iter().any(|time| *time < longest), "{times:?}, {longest:?} allowed");
    let waiting = world.account.sqs.get_queue_attributes().queue_url(&world.account.queue);
    let waiting = waiting
        .attribute_names(aws_sdk_sqs::types::QueueAttributeName::ApproximateNumberOfMessages)
        .send()
        .await
        .unwrap();
    let jobs: usize = waiting.attributes.unwrap().values().next().unwrap().parse().unwrap();
    assert!(jobs > 125, "{jobs} jobs of up to 25 updates");
    assert!(stored(&world, &line).await.len() <= 75);
}

/// The same over a table in memory, to count instructions: those of a notification are the difference between two runs with
/// different `POSTS`. `UPDATES` is a multiple of two.
#[test]
fn a_thousand_updates_over_a_table_in_memory() {
    let setting = |name: &str, default: usize| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (posts, updates) = (setting("POSTS", 1), setting("UPDATES", 1000));
    let service = Service::new();
    for run in 0..posts {
        service.memory.reset();
        let body = String::from_utf8(many(&service.line, run, updates)).unwrap();
        service.post(&body);
        let jobs = service.memory.sent();
        let queued: usize = jobs.iter().map(|job| job.matches("wamid.").count()).sum();
        assert_eq!(queued + updates.min(25), updates, "25 updates are applied at once, the others are queued");
        assert!(jobs.len() <= updates.div_ceil(10), "{} jobs", jobs.len());
    }
}
