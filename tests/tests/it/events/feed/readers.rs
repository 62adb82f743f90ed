//! A reader that follows a feed while events are dispatched.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use domain::events::event::EventName;
use domain::id::{AppId, EventId};
use futures_util::future::join_all;
use serde_json::json;
use tests::World;
use tests::request::text;
use tests::settings::of_size;
use tokio::time::timeout;

use super::{dispatch, emit, page};

const PRODUCERS: usize = 8;

/// Follows the feed until it has seen all events, or nothing comes any more. Returns ids, in order.
async fn follow(world: &World, count: usize, is_quiet: &AtomicBool) -> Vec<String> {
    let (mut seen, mut after) = (Vec::new(), "oldest".to_owned());
    loop {
        let was_quiet = is_quiet.load(Ordering::SeqCst);
        let limit = fastrand::usize(1..=100);
        let read = page(world, &format!("after={after}&limit={limit}")).await;

        for event in read["data"].as_array().unwrap() {
            assert_eq!(event["sequence"], json!(seen.len() + 1));
            seen.push(text(event, "id"));
        }

        let next = text(&read, "nextAfter");
        if next == after && (was_quiet || seen.len() >= count) {
            return seen;
        }
        if next == after {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        after = next;
    }
}

/// Eight producers, dispatchers that are killed at any time, and batches that come more than once, in any order and in
/// several invocations at the same time, while a reader follows.
#[tokio::test]
async fn a_reader_gets_every_event_once_in_order() {
    let world = World::new().await;
    // docs/events.md has a run of 10,000.
    let many = std::env::var("FEED_EVENTS").ok().map(|many| many.parse().unwrap());
    let count = many.unwrap_or_else(|| of_size(160, 2_000));

    let (made, is_quiet) = (AtomicUsize::new(0), AtomicBool::new(false));
    let emitted = Mutex::new(Vec::<String>::new());

    let producer = async || {
        while made.fetch_add(1, Ordering::SeqCst) < count {
            let kind = EventName::ALL[fastrand::usize(..EventName::ALL.len())];
            let partition = emit(&world, kind).await;
            emitted.lock().unwrap().push(partition);
        }
    };

    let (is_done, taken) = (AtomicBool::new(false), AtomicUsize::new(0));
    let dispatcher = async || {
        loop {
            let finished = is_done.load(Ordering::SeqCst);
            let batch: Vec<String> = {
                let emitted = emitted.lock().unwrap();
                let at = taken.load(Ordering::SeqCst);
                let end = (at + fastrand::usize(1..=100)).min(emitted.len());
                taken.store(end, Ordering::SeqCst);
                let mut batch = emitted[at..end].to_vec();
                if batch.is_empty() && finished {
                    return;
                }
                // Some of what was dispatched before, or is being dispatched.
                batch.extend((0..fastrand::usize(..5)).filter_map(|_| fastrand::choice(emitted.iter()).cloned()));
                fastrand::shuffle(&mut batch);
                batch
            };

            let invocation = Box::pin(dispatch(&world, &batch));
            // Every fourth invocation is killed, unless it is fast enough.
            let limit = if fastrand::u8(..4) == 0 { fastrand::u64(1..300) } else { 60_000 };
            let _ = timeout(Duration::from_millis(limit), invocation).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };

    let work = async {
        let producers = async {
            join_all((0..PRODUCERS).map(|_| producer())).await;
            is_done.store(true, Ordering::SeqCst);
        };
        tokio::join!(producers, dispatcher(), dispatcher(), dispatcher());

        // What was killed stays due, and the sweep dispatches it.
        world.clock.advance(Duration::from_secs(600));
        while !world.waiting_events().await.is_empty() {
            world.clock.advance(Duration::from_secs(600));
            Box::pin(world.sweep()).await;
        }
        is_quiet.store(true, Ordering::SeqCst);
    };

    let (seen, ()) = tokio::join!(Box::pin(follow(&world, count, &is_quiet)), Box::pin(work));
    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!((seen.len(), distinct.len()), (count, count));

    let app: AppId = world.org.test_app.parse().unwrap();
    let expected: BTreeSet<String> = emitted
        .lock()
        .unwrap()
        .iter()
        .map(|partition| {
            let outbox: EventId = partition.rsplit('#').next().unwrap().parse().unwrap();
            domain::events::delivery::event_of_app(&outbox, &app).to_string()
        })
        .collect();
    assert!(distinct.into_iter().eq(expected.iter()));
}
