//! Due work: a run of the schedule and its rounds, runs that meet, items that this release does not know, and a tenant with
//! very many due items beside others.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aws::queue::{DeliveryJob, SweepJob};
use aws_sdk_dynamodb::types::AttributeValue;
use delivery::{SweepEvent, Swept};
use domain::delivery::Delivery;
use domain::due::DueClass;
use domain::event::EventName;
use domain::id::{AppId, ChatBusinessProfileId, EventId, OrganizationId, WebhookId};
use domain::port::{Clock, Random, SystemClock};
use domain::{Mode, Timestamp};
use futures_util::future::{join, join_all};
use futures_util::{StreamExt as _, stream};
use runtime::logging::request;
use serde_json::{Value, json};
use store::Change;
use tests::World;
use tests::catalogue::uploaded;
use tests::clock::TestClock;
use tests::faults::Fault;
use tests::logs::Captured;
use tests::settings::TABLE;
use tracing::Instrument as _;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);

fn random(world: &World) -> &dyn Random {
    world.sweeper.dispatcher.context.random()
}

fn round(world: &World, class: DueClass, shard: u32) -> SweepJob {
    world.all_rounds().into_iter().find(|job| (job.class, job.shard) == (class, shard)).unwrap()
}

/// Creates pending deliveries of one webhook, which are due five minutes after this time.
async fn deliveries(world: &World, organization: &OrganizationId, count: usize, now: Timestamp) {
    let store = world.account.store();
    let (app, webhook) = (AppId::mint(Mode::Live, now, random(world)), WebhookId::mint(Mode::Live, now, random(world)));
    let create = |event: EventId| {
        let kind = EventName::MessagesChatReceived.into();
        let delivery = Delivery::new(&event, kind, &app, &webhook, now).unwrap();
        let (mut change, store) = (Change::new(organization), &store);
        async move {
            change.create_delivery(&delivery).unwrap();
            store.commit(&change).await.unwrap();
        }
    };
    let events = (0..count).map(|_| EventId::mint(now, random(world)));
    stream::iter(events).for_each_concurrent(8, create).await;
}

/// Receives all messages that are in the queue.
async fn received(world: &World, queue: &str) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let messages = world.messages(queue).await;
        if messages.is_empty() {
            return all;
        }
        all.extend(messages);
    }
}

async fn rounds(world: &World) -> Vec<SweepJob> {
    let messages = received(world, &world.account.sweeps).await;
    messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect()
}

async fn attempts(world: &World) -> Vec<DeliveryJob> {
    let messages = received(world, &world.account.deliveries).await;
    messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect()
}

/// A clock that advances whenever it is read, so that rounds end in the middle of their work.
struct Hurried(Arc<TestClock>);

impl Clock for Hurried {
    fn now(&self) -> Timestamp {
        self.0.advance(Duration::from_millis(100));
        self.0.now()
    }
}

fn invocation(event: Value) -> SweepEvent {
    serde_json::from_value(event).unwrap()
}

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
        (world.faults.calls(), rounds(&world).await)
    };
    let shards: u32 = DueClass::ALL.into_iter().map(DueClass::shards).sum();
    let (calls, started) = look().await;
    assert_eq!(
        (calls.iter().filter(|call| *call == "Query").count(), started.len()),
        (shards as usize, 0),
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
        let mut next = rounds(&world).await;
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
async fn what_is_not_understood_holds_nothing_up() {
    const UNKNOWN: usize = 150;
    let captured = Captured::start();
    let world = World::new().await;
    let media = uploaded(&world).await;
    let items = world.account.stored_items().await;
    let item = items.iter().find(|item| item["PK"].as_s().unwrap().ends_with(&media)).unwrap();
    let shard = item["duePartition"].as_s().unwrap().split('#').nth(1).unwrap().parse().unwrap();
    let text = |text: &str| AttributeValue::S(text.to_owned());
    for n in 0..UNKNOWN {
        let key =
            if n % 2 == 0 { format!("LATER#{}#{n}", world.org.id) } else { format!("MEDIA#{}#{n}", world.org.id) };
        let due = AttributeValue::N((world.now().millis() - 1000).to_string());
        let written =
            [("PK", text(&key)), ("SK", text("LATER")), ("dueAt", due), ("note", text("what a later release wrote"))];
        let mut written: HashMap<String, AttributeValue> = written.map(|(name, value)| (name.to_owned(), value)).into();
        written.insert("duePartition".to_owned(), item["duePartition"].clone());
        world.account.store_item(written).await;
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

/// One organization with very many due deliveries delays those of others by little, though they are due after all of
/// its own. Ten invocations run at a time, which is the most that the template allows. `DUE_ITEMS=20000` runs it at
/// full size (docs/growth.md).
#[tokio::test]
async fn an_organization_with_many_due_items_delays_others_little() {
    const OTHERS: usize = 10;
    const EACH: usize = 2;
    let many: usize = std::env::var("DUE_ITEMS").map_or(500, |count| count.parse().unwrap());
    let mut world = World::new().await;
    let now = SystemClock.now();
    let item = one_alone(&world, now).await;
    deliveries(&world, &world.org.id.parse().unwrap(), many, now.minus(60 * MINUTE)).await;
    for _ in 0..OTHERS {
        let other = OrganizationId::mint(now, random(&world));
        deliveries(&world, &other, EACH, now.minus(6 * MINUTE)).await;
    }
    let waiting = world.account.stored_items().await.into_iter().filter(|item| {
        let key = item["PK"].as_s().unwrap();
        key.starts_with("DLV#") && !key.contains(&world.org.id)
    });
    let mut waiting: Vec<_> =
        waiting.map(|item| (item["PK"].clone(), item["SK"].clone(), item["dueAt"].clone())).collect();
    assert_eq!(waiting.len(), OTHERS * EACH);
    world.index_caught_up().await;
    let started = Instant::now();
    let entries = due_at(&world, now).await;
    let page = started.elapsed() / entries as u32;
    world.sweeper.dispatcher.context.clock = Arc::new(SystemClock);

    let (started, is_over) = (Instant::now(), AtomicBool::new(false));
    world.sweeper.serve(invocation(json!({}))).await.unwrap();
    let schedule = async {
        while !is_over.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if started.elapsed().as_secs() % 60 == 0 {
                world.sweeper.serve(invocation(json!({}))).await.unwrap();
            }
        }
    };
    let watch = async {
        let mut delays = Vec::new();
        while !waiting.is_empty() {
            let mut left = Vec::new();
            for (partition, sort, due) in std::mem::take(&mut waiting) {
                let call = world.account.dynamodb.get_item().table_name(TABLE).consistent_read(true);
                let call = call.key("PK", partition.clone()).key("SK", sort.clone());
                match call.send().await.unwrap().item.unwrap()["dueAt"] == due {
                    true => left.push((partition, sort, due)),
                    false => delays.push(started.elapsed()),
                }
            }
            waiting = left;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        delays
    };
    let functions = (0..10).map(|_| async {
        while !is_over.load(Ordering::SeqCst) {
            one_round(&world).await;
        }
    });
    let finish = async {
        let delays = watch.await;
        while due_at(&world, now).await > 0 {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        is_over.store(true, Ordering::SeqCst);
        (delays, started.elapsed())
    };
    let ((delays, whole), ..) = futures_util::join!(finish, schedule, join_all(functions));
    let (median, last) = (delays[delays.len() / 2], delays[delays.len() - 1]);
    eprintln!(
        "{many} due items of one organization: {whole:.1?}; others beside it: median {median:.1?}, last {last:.1?}"
    );
    eprintln!("an item alone: {item:.1?}; an entry of a page: {page:.1?}");
    // In the order of time, the others would be the last ones of each shard.
    assert!(median < whole / 2, "{median:?} of {whole:?}");
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
