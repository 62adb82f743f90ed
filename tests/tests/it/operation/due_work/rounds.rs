//! Rounds: those that go on later, those that meet, and items that are not understood.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use delivery::Swept;
use domain::Timestamp;
use domain::due::DueClass;
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::job::{DeliveryJob, SweepJob};
use domain::port::Clock;
use futures_util::future::join;
use runtime::logging::request;
use serde_json::{Value, json};
use tests::World;
use tests::catalogue::uploaded;
use tests::clock::TestClock;
use tests::logs::Captured;
use tracing::Instrument as _;

use super::{DAY, MINUTE, deliveries, queued_rounds, received, round};

/// A clock that advances whenever it is read, so that rounds end in the middle of their work.
struct Hurried(Arc<TestClock>);

impl Clock for Hurried {
    fn now(&self) -> Timestamp {
        self.0.advance(Duration::from_millis(100));
        self.0.now()
    }
}

/// A round that ends by the clock goes on in a message of its own, until nothing is left.
#[tokio::test]
async fn a_backlog_is_worked_off_in_rounds() {
    const SIGNUPS: usize = 150;
    let mut world = World::new().await;
    let organization: OrganizationId = world.org.id.parse().unwrap();
    let (org, now) = (world.account.store().of(&organization), world.now());
    for n in 0..SIGNUPS {
        // The quota allows twenty signups per hour.
        let now = now.plus(60 * MINUTE * (n / 20) as u32);
        let profile: ChatBusinessProfileId = format!("wabp_playground{n:027}").parse().unwrap();
        org.begin_onboarding(&format!("{n}"), &profile, "lease", now).await.unwrap();
    }

    world.clock.advance(DAY + 10 * 60 * MINUTE);
    world.index_caught_up().await;
    world.sweeper.dispatcher.context.clock = Arc::new(Hurried(world.clock.clone()));

    let mut job = round(&world, DueClass::Signups, 0);
    let (mut done, mut count) = (0, 0);
    loop {
        done += world.sweeper.sweep(&job).await.done;
        count += 1;
        let mut next = queued_rounds(&world).await;
        let Some(following) = next.pop() else { break };
        assert!(next.is_empty(), "one message at a time");
        assert_eq!((following.round, following.until), (job.round + 1, job.until));
        job = following;
    }

    assert!(count > 2, "{count}");
    let left = world.account.items().await.iter().filter(|item| item["PK"].starts_with("ONB#")).count();
    // A signup that the index still shows after its deletion counts as done once more.
    assert!(done >= SIGNUPS && left == 0, "{done} done, {left} left");
}

/// The attempts that wait in the queue.
async fn attempts(world: &World) -> Vec<DeliveryJob> {
    let messages = received(world, &world.account.deliveries).await;
    messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect()
}

/// Two concurrent sweeps of the same shard send each attempt to the queue only once, and a message does nothing once
/// the next run has begun.
#[tokio::test]
async fn runs_that_meet_do_the_work_once_and_do_not_add_up() {
    const DELIVERIES: usize = 40;
    let world = World::new().await;
    let organization = world.org.id.parse().unwrap();
    deliveries(&world, &organization, DELIVERIES, world.now()).await;
    world.clock.advance(6 * MINUTE);
    world.index_caught_up().await;

    let late = world.all_rounds();
    world.clock.advance(MINUTE);
    let runs = || world.all_rounds().into_iter().filter(|job| job.class == DueClass::Deliveries);
    for job in late {
        assert_eq!(world.sweeper.sweep(&job).await, Swept::default(), "{job:?}");
    }

    let mut swept = Swept::default();
    for (first, second) in runs().zip(runs()) {
        // The meter holds each response until all calls have theirs, so both runs have read the index before either writes.
        let both = join(world.sweeper.sweep(&first), world.sweeper.sweep(&second));
        let ((first, second), _) = world.faults.meter.of(both).await;
        swept = swept + first + second;
    }
    assert_eq!(swept, Swept { done: 2 * DELIVERIES, ..Swept::default() }, "they met");

    let queued: Vec<String> = attempts(&world).await.iter().map(|job| job.delivery_id.to_string()).collect();
    assert_eq!((queued.len(), queued.iter().collect::<BTreeSet<_>>().len()), (DELIVERIES, DELIVERIES));
}

/// Items of an unknown class or with a malformed id are counted and postponed, and those behind them are processed.
#[tokio::test]
async fn an_unreadable_item_does_not_block_the_sweep() {
    const UNKNOWN: usize = 150;
    let captured = Captured::start();
    let world = World::new().await;
    let media = uploaded(&world).await;
    let items = world.account.stored_items().await;
    let item = items.iter().find(|item| item["PK"].as_s().unwrap().ends_with(&media)).unwrap();
    let shard = item["duePartition"].as_s().unwrap().split('#').nth(1).unwrap().parse().unwrap();

    for n in 0..UNKNOWN {
        let class = if n % 2 == 0 { "LATER" } else { "MEDIA" };
        let partition = format!("{class}#{}#{n}", world.org.id);
        store_unknown(&world, partition, item["duePartition"].clone()).await;
    }

    world.clock.advance(21 * MINUTE);
    world.index_caught_up().await;
    let job = round(&world, DueClass::Media, shard);
    let sweep = async |job: SweepJob| {
        world.metrics.clear();
        world.sweeper.sweep(&job).await
    };

    let swept = sweep(job.clone()).instrument(request("unknown")).await;
    assert_eq!(swept, Swept { done: 1, unknown: UNKNOWN, ..Swept::default() });

    let metrics = world.metrics.json();
    let unknown = metrics.iter().find_map(|line| Some((line.get("UnknownDueItems")?.as_u64()?, line["Class"].clone())));
    assert_eq!(unknown, Some((UNKNOWN as u64, json!("media"))));
    let lines: Vec<Value> = captured.lines_of("unknown").into_iter().filter(|line| line.get("key").is_some()).collect();
    let keys: BTreeSet<&str> = lines.iter().filter_map(|line| line["key"].as_str()).collect();
    assert_eq!((lines.len(), keys), (100, BTreeSet::from(["LATER", "MEDIA"])), "a hundred a round");

    let stored = world.account.items().await;
    assert!(!stored.iter().any(|item| item["PK"].ends_with(&media)), "the expired upload behind them is gone");
    let later = stored.iter().find(|item| item["PK"].starts_with("LATER#")).unwrap();
    assert_eq!(later["note"], "what a later release wrote");

    // The next run postpones the rest, and each item is due again after an hour.
    world.index_caught_up().await;
    assert_eq!(sweep(job.clone()).await.unknown, UNKNOWN - 100);
    world.index_caught_up().await;
    assert_eq!(sweep(job).await, Swept::default());
    world.clock.advance(61 * MINUTE);
    let again = round(&world, DueClass::Media, shard);
    assert_eq!(sweep(again).await.unknown, UNKNOWN);
}

/// Stores a due item with a sort key that this release does not know.
async fn store_unknown(world: &World, partition: String, due_partition: AttributeValue) {
    let due = AttributeValue::N((world.now().millis() - 1000).to_string());
    let item = [
        ("PK", AttributeValue::S(partition)),
        ("SK", AttributeValue::S("LATER".to_owned())),
        ("dueAt", due),
        ("note", AttributeValue::S("what a later release wrote".to_owned())),
        ("duePartition", due_partition),
    ];
    world.account.store_item(item.map(|(name, value)| (name.to_owned(), value)).into()).await;
}
