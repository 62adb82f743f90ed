//! One organization with very many due items, beside others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::types::AttributeValue;
use delivery::Swept;
use domain::Timestamp;
use domain::due::DueClass;
use domain::id::OrganizationId;
use domain::job::SweepJob;
use domain::port::{Clock as _, SystemClock};
use futures_util::future::join_all;
use serde_json::json;
use tests::World;
use tests::settings::TABLE;

use super::{MINUTE, deliveries, invocation, random, round};

const OTHERS: usize = 10;
const EACH: usize = 2;

/// One organization with very many due deliveries delays those of others by little, though they are due after all of
/// its own. Ten invocations run at a time, which is the most that the template allows. `DUE_ITEMS=20000` runs it at
/// full size (docs/growth.md).
#[tokio::test]
async fn an_organization_with_many_due_items_delays_others_little() {
    let many: usize = std::env::var("DUE_ITEMS").map_or(500, |count| count.parse().unwrap());
    let mut world = World::new().await;
    let now = SystemClock.now();
    let item = one_alone(&world, now).await;

    deliveries(&world, &world.org.id.parse().unwrap(), many, now.minus(60 * MINUTE)).await;
    for _ in 0..OTHERS {
        let other = OrganizationId::mint(now, random(&world));
        deliveries(&world, &other, EACH, now.minus(6 * MINUTE)).await;
    }
    let waiting = of_others(&world).await;
    assert_eq!(waiting.len(), OTHERS * EACH);

    world.index_caught_up().await;
    let started = Instant::now();
    let entries = due_at(&world, now).await;
    let page = started.elapsed() / entries as u32;
    world.sweeper.dispatcher.context.clock = Arc::new(SystemClock);

    let (started, is_over) = (Instant::now(), AtomicBool::new(false));
    world.sweeper.serve(invocation(json!({}))).await.unwrap();
    let functions = (0..10).map(|_| async {
        while !is_over.load(Ordering::SeqCst) {
            one_round(&world).await;
        }
    });
    let finish = async {
        let delays = delays(&world, waiting, started).await;
        while due_at(&world, now).await > 0 {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        is_over.store(true, Ordering::SeqCst);
        (delays, started.elapsed())
    };
    let schedule = run_schedule(&world, started, &is_over);
    let ((delays, whole), ..) = futures_util::join!(finish, schedule, join_all(functions));

    let (median, last) = (delays[delays.len() / 2], delays[delays.len() - 1]);
    eprintln!(
        "{many} due items of one organization: {whole:.1?}; others beside it: median {median:.1?}, last {last:.1?}"
    );
    eprintln!("an item alone: {item:.1?}; an entry of a page: {page:.1?}");
    // In the order of time, the others would be the last ones of each shard.
    assert!(median < whole / 2, "{median:?} of {whole:?}");
}

/// A delivery of another organization.
struct Waiting {
    partition: AttributeValue,
    sort: AttributeValue,
    due: AttributeValue,
}

async fn of_others(world: &World) -> Vec<Waiting> {
    let items = world.account.stored_items().await.into_iter();
    let waiting = items.filter(|item| {
        let key = item["PK"].as_s().unwrap();
        key.starts_with("DLV#") && !key.contains(&world.org.id)
    });
    waiting
        .map(|item| Waiting { partition: item["PK"].clone(), sort: item["SK"].clone(), due: item["dueAt"].clone() })
        .collect()
}

/// Waits until each of the deliveries was attempted. Returns how long that took for each.
async fn delays(world: &World, mut waiting: Vec<Waiting>, started: Instant) -> Vec<Duration> {
    let mut delays = Vec::new();
    while !waiting.is_empty() {
        let mut left = Vec::new();
        for delivery in waiting {
            let call = world.account.dynamodb.get_item().table_name(TABLE).consistent_read(true);
            let call = call.key("PK", delivery.partition.clone()).key("SK", delivery.sort.clone());
            if call.send().await.unwrap().item.unwrap()["dueAt"] == delivery.due {
                left.push(delivery);
            } else {
                delays.push(started.elapsed());
            }
        }
        waiting = left;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    delays
}

/// Runs the schedule every minute.
async fn run_schedule(world: &World, started: Instant, is_over: &AtomicBool) {
    while !is_over.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if started.elapsed().as_secs().is_multiple_of(60) {
            world.sweeper.serve(invocation(json!({}))).await.unwrap();
        }
    }
}

/// Returns how long the calls for one due delivery take, alone, on average.
async fn one_alone(world: &World, now: Timestamp) -> Duration {
    let organization = world.org.id.parse().unwrap();
    let sweep = async || {
        let started = Instant::now();
        let mut swept = Swept::default();
        for shard in 0..DueClass::Deliveries.shards() {
            swept = swept + world.sweeper.sweep(&round(world, DueClass::Deliveries, shard)).await;
        }
        (swept.done, started.elapsed())
    };

    let (_, nothing) = sweep().await;
    deliveries(world, &organization, 32, now.minus(60 * MINUTE)).await;
    world.index_caught_up().await;
    let (done, all) = sweep().await;
    assert_eq!(done, 32);
    all.saturating_sub(nothing) / 32
}

/// Works on one message of the sweep's queue, if there is one.
async fn one_round(world: &World) {
    let sqs = &world.account.sqs;
    let call = sqs.receive_message().queue_url(&world.account.sweeps).max_number_of_messages(1).send().await.unwrap();
    let Some(message) = call.messages.unwrap_or_default().pop() else {
        return tokio::time::sleep(Duration::from_millis(100)).await;
    };

    let job: SweepJob = serde_json::from_str(&message.body.unwrap()).unwrap();
    world.sweeper.sweep(&job).await;
    let handle = message.receipt_handle.unwrap();
    sqs.delete_message().queue_url(&world.account.sweeps).receipt_handle(handle).send().await.unwrap();
}

/// Returns the number of deliveries left that were due at this time, counting at most one page per shard.
async fn due_at(world: &World, then: Timestamp) -> usize {
    let store = world.account.store();
    let pages = (0..DueClass::Deliveries.shards()).map(|shard| store.due(DueClass::Deliveries, shard, then, None));
    join_all(pages).await.into_iter().map(|page| page.unwrap().items.len()).sum()
}
