//! The event feed of an app: pages, positions and their end, and that no reader misses an event or gets one twice.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::Mode;
use domain::event::{Audience, EventName, OutboxEvent};
use domain::id::{AppId, EventId, OrganizationId};
use futures_util::future::join_all;
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::Change;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::settings::{TABLE, of_size};
use tests::{Call, Service as _, World};
use tokio::time::timeout;
use views::SampleOf;

const DAY: Duration = Duration::from_secs(24 * 3600);
const PRODUCERS: usize = 8;

/// Returns a page of the test app's feed.
async fn page(world: &World, query: &str) -> Value {
    world.send(Call::get(format!("/v1/events?{query}")).key(&world.org.test_app_key)).await.expect(200)
}

async fn refused(world: &World, query: &str, status: u16) -> tests::request::Reply {
    let reply = world.send(Call::get(format!("/v1/events?{query}")).key(&world.org.test_app_key)).await;
    assert_eq!(reply.status, status, "{}", reply.text);
    reply
}

fn sequences(page: &Value) -> Vec<u64> {
    page["data"].as_array().unwrap().iter().map(|event| event["sequence"].as_u64().unwrap()).collect()
}

fn event_of(world: &World, audience: Audience, mode: Mode, kind: EventName) -> OutboxEvent {
    let organization: OrganizationId = world.org.id.parse().unwrap();
    let app: AppId = if mode.is_test() { &world.org.test_app } else { &world.org.app }.parse().unwrap();
    let (now, random) = (world.now(), &SystemRandom::new());
    let data = SampleOf { organization: &organization, app: &app, now, random }.data(kind).unwrap();
    let id = EventId::mint(now, random);
    OutboxEvent { id, kind: kind.into(), mode, audience, data, created_at: now, request_id: None }
}

async fn commit(world: &World, event: &OutboxEvent) -> String {
    let mut change = Change::new(&world.org.id.parse().unwrap());
    change.emit(event).unwrap();
    world.account.store().commit(&change).await.unwrap();
    format!("EVT#{}#{}", world.org.id, event.id)
}

/// Stores an event of the test app. Returns the partition key of its stream record.
async fn emit(world: &World, kind: EventName) -> String {
    let audience = Audience::App(world.org.test_app.clone());
    commit(world, &event_of(world, audience, Mode::Test, kind)).await
}

fn records(partitions: &[String]) -> Value {
    let records = partitions.iter().map(|partition| json!({"dynamodb": {"Keys": {"PK": {"S": partition}}}}));
    json!({"Records": records.collect::<Vec<_>>()})
}

/// Invokes the dispatch function with a batch of stream records.
async fn dispatch(world: &World, partitions: &[String]) {
    world.dispatcher.work(serde_json::from_value(records(partitions)).unwrap()).await;
}

async fn emit_and_dispatch(world: &World, count: usize) {
    let mut partitions = Vec::new();
    for _ in 0..count {
        partitions.push(emit(world, EventName::MessagesSmsReceived).await);
    }
    dispatch(world, &partitions).await;
}

async fn switch(world: &World, app: &str, on: bool) -> Value {
    let path = format!("/v1/organization/apps/{app}");
    world.admin(Call::patch(path).json(&json!({"eventFeed": on}))).await.expect(200)
}

#[tokio::test]
async fn an_event_is_read_as_it_is_delivered() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let body = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    let hooks = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    world.admin(Call::post(hooks).json(&body)).await.expect(201);
    let begin = page(&world, "").await;
    assert_eq!(begin["data"], json!([]));
    emit(&world, EventName::MessagesSmsReceived).await;
    emit(&world, EventName::MessagesChatReceived).await;
    world.send_events().await;
    let read = page(&world, &format!("after={}", text(&begin, "nextAfter"))).await;
    let events = read["data"].as_array().unwrap();
    assert_eq!(sequences(&read), [1, 2]);
    let mut delivered = receiver.got()[0].json();
    let same = events.iter().find(|event| event["id"] == delivered["id"]).unwrap();
    delivered["sequence"] = same["sequence"].clone();
    assert_eq!(*same, delivered);
    // Also what no webhook listens to.
    assert!(events.iter().any(|event| event["type"] == "messages.chat.received"));
    let path = format!("/v1/organization/apps/{}/events?after=oldest", world.org.test_app);
    assert_eq!(world.admin(Call::get(&path)).await.expect(200), read);
    assert_eq!(page(&world, &format!("after={}", text(&read, "nextAfter"))).await["data"], json!([]));
}

/// The cost of a poll without news: the credential and the head of the feed. docs/events.md states it.
#[tokio::test]
async fn a_poll_without_news_reads_the_head() {
    let world = World::new().await;
    emit_and_dispatch(&world, 3).await;
    let end = text(&page(&world, "after=oldest").await, "nextAfter");
    world.faults.calls();
    page(&world, &format!("after={end}")).await;
    assert_eq!(world.faults.calls(), ["GetItem", "GetItem"]);
    emit_and_dispatch(&world, 1).await;
    world.faults.calls();
    assert_eq!(sequences(&page(&world, &format!("after={end}")).await), [4]);
    assert_eq!(world.faults.calls(), ["GetItem", "GetItem", "Query", "BatchGetItem"]);
}

#[tokio::test]
async fn a_batch_is_written_once_per_app_and_nothing_for_apps_without_a_feed() {
    let world = World::new().await;
    let live = Audience::App(world.org.app.clone());
    let mut partitions = Vec::new();
    for _ in 0..5 {
        partitions.push(emit(&world, EventName::MessagesSmsSent).await);
        partitions.push(commit(&world, &event_of(&world, live.clone(), Mode::Live, EventName::MessagesSmsSent)).await);
    }
    world.faults.calls();
    dispatch(&world, &partitions).await;
    let calls = world.faults.calls();
    assert_eq!(calls.iter().filter(|call| *call == "TransactWriteItems").count(), 1, "{calls:?}");
    let items = world.account.items().await;
    let of = |prefix: &str| items.iter().filter(|item| item["PK"].starts_with(prefix)).count();
    assert_eq!((of("FEED#"), of("FEEDREF#")), (6, 5), "the head, and each event of the test app");
    assert!(!items.iter().any(|item| item["PK"].starts_with("FEED#") && item["PK"].contains(&world.org.app)));
    let off = world.send(Call::get("/v1/events").key(&world.org.app_key)).await;
    off.refused(409, None, None);
}

/// What a feed adds to the dispatch of events: 4 units per event, and 2 per batch. docs/events.md states it.
#[tokio::test]
async fn a_feed_costs_what_the_documentation_says() {
    let world = World::new().await;
    for count in [1_u16, 49] {
        let mut written = Vec::new();
        for (app, mode) in [(&world.org.app, Mode::Live), (&world.org.test_app, Mode::Test)] {
            let mut partitions = Vec::new();
            for _ in 0..count {
                let audience = Audience::App(app.clone());
                partitions.push(commit(&world, &event_of(&world, audience, mode, EventName::MessagesSmsSent)).await);
            }
            let ((), cost) = world.faults.meter.of(dispatch(&world, &partitions)).await;
            written.push(cost.write_units);
        }
        let added = written[1] - written[0];
        assert!((added - f64::from(4 * count + 2)).abs() < 0.01, "{count}: {written:?}");
    }
}

#[tokio::test]
async fn a_repeated_batch_adds_nothing_and_spoils_nothing() {
    let world = World::new().await;
    let mut partitions = vec![emit(&world, EventName::MessagesSmsSent).await];
    dispatch(&world, &partitions).await;
    partitions.push(emit(&world, EventName::MessagesSmsDelivered).await);
    for _ in 0..3 {
        dispatch(&world, &partitions).await;
    }
    partitions.push(emit(&world, EventName::MessagesSmsFailed).await);
    dispatch(&world, &partitions).await;
    let read = page(&world, "after=oldest").await;
    assert_eq!(sequences(&read), [1, 2, 3]);
    let kinds: Vec<&str> =
        read["data"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["messages.sms.sent", "messages.sms.delivered", "messages.sms.failed"]);
    assert!(world.waiting_events().await.is_empty());
}

#[tokio::test]
async fn events_of_the_organization_are_in_the_feeds_of_all_apps_of_the_mode() {
    let world = World::new().await;
    let (other, other_key) = world.app(&world.org.admin, &json!({"name": "Other", "test": true})).await;
    let (_, deaf_key) = world.app(&world.org.admin, &json!({"name": "Deaf", "test": true, "eventFeed": false})).await;
    let account = event_of(&world, Audience::AllApps, Mode::Test, EventName::ChatAccountConnected);
    commit(&world, &account).await;
    world.dispatch().await;
    for key in [&world.org.test_app_key, &other_key] {
        let read = world.send(Call::get("/v1/events?after=oldest").key(key)).await.expect(200);
        assert_eq!(sequences(&read), [1], "{other}");
    }
    world.send(Call::get("/v1/events").key(&deaf_key)).await.refused(409, None, None);
}

#[tokio::test]
async fn a_filtered_page_says_how_far_it_read() {
    let world = World::new().await;
    let mut partitions = Vec::new();
    for kind in [EventName::MessagesSmsSent, EventName::MessagesSmsFailed, EventName::MessagesSmsSent] {
        partitions.push(emit(&world, kind).await);
        world.clock.advance(Duration::from_millis(1));
    }
    dispatch(&world, &partitions).await;
    let failed = page(&world, "after=oldest&types=messages.sms.failed,messages.chat.failed").await;
    assert_eq!(sequences(&failed), [2]);
    let one = page(&world, "after=oldest&types=messages.sms.sent&limit=1").await;
    assert_eq!(sequences(&one), [1]);
    // Covers the second event too, which the filter leaves out.
    let next = page(&world, &format!("after={}&limit=1", text(&one, "nextAfter"))).await;
    assert_eq!(sequences(&next), [3]);
    let none = page(&world, "after=oldest&types=messages.chat.read").await;
    assert_eq!((sequences(&none), text(&none, "nextAfter")), (vec![], text(&failed, "nextAfter")));
    for (query, param) in [
        ("types=messages.sms", "types"),
        ("types=", "types"),
        ("after=x", "after"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("cursor=x", "cursor"),
        ("since=x", "since"),
    ] {
        refused(&world, query, 400).await.refused(400, Some(param), None);
    }
    let other = world.app(&world.org.admin, &json!({"name": "Other", "test": true})).await.1;
    let foreign = Call::get(format!("/v1/events?after={}", text(&one, "nextAfter"))).key(&other);
    world.send(foreign).await.refused(400, Some("after"), None);
}

#[tokio::test]
async fn positions_from_before_a_feed_was_switched_on_are_gone() {
    let world = World::new().await;
    let app = &world.org.test_app;
    emit_and_dispatch(&world, 2).await;
    let end = text(&page(&world, "after=oldest").await, "nextAfter");
    // Nothing changes if the feed is already on.
    assert_eq!(switch(&world, app, true).await["eventFeed"], true);
    assert_eq!(sequences(&page(&world, &format!("after={end}")).await), Vec::<u64>::new());
    assert_eq!(switch(&world, app, false).await["eventFeed"], false);
    refused(&world, &format!("after={end}"), 409).await;
    emit_and_dispatch(&world, 1).await;
    switch(&world, app, true).await;
    emit_and_dispatch(&world, 1).await;
    let gone = refused(&world, &format!("after={end}"), 410).await;
    gone.clone().refused(410, Some("after"), None);
    let oldest = gone.json()["error"]["additional_info"][0].as_str().unwrap().to_owned();
    assert_eq!(sequences(&page(&world, &format!("after={oldest}")).await), [3]);
    assert_eq!(sequences(&page(&world, "after=oldest").await), [3]);
}

#[tokio::test]
async fn a_live_app_has_a_feed_once_it_is_switched_on() {
    let world = World::new().await;
    let shown = world.admin(Call::get(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
    assert_eq!(shown["eventFeed"], false);
    let (two, one) = tokio::join!(switch(&world, &world.org.app, true), switch(&world, &world.org.app, true));
    assert_eq!((&one["eventFeed"], &two["eventFeed"]), (&json!(true), &json!(true)));
    let live = Audience::App(world.org.app.clone());
    commit(&world, &event_of(&world, live, Mode::Live, EventName::MessagesSmsSent)).await;
    world.dispatch().await;
    let read = world.send(Call::get("/v1/events?after=oldest").key(&world.org.app_key)).await.expect(200);
    assert_eq!(sequences(&read), [1]);
    // A deleted app leaves no head behind, and gets no events any more.
    world.admin(Call::delete(format!("/v1/organization/apps/{}", world.org.app))).await.expect(200);
    let live = Audience::App(world.org.app.clone());
    commit(&world, &event_of(&world, live, Mode::Live, EventName::MessagesSmsSent)).await;
    world.dispatch().await;
    let items = world.account.items().await;
    let left = items.iter().filter(|item| item["PK"].starts_with("FEED#") && item["PK"].contains(&world.org.app));
    assert_eq!(left.map(|item| item["SK"].as_str()).collect::<Vec<_>>(), ["00000000000000000001"]);
    assert!(world.waiting_events().await.is_empty());
}

async fn remove(world: &World, partition: &str, sort: &str) {
    let key = |text: &str| AttributeValue::S(text.to_owned());
    let call = world.account.dynamodb.delete_item().table_name(TABLE).key("PK", key(partition)).key("SK", key(sort));
    call.send().await.unwrap();
}

#[tokio::test]
async fn a_position_is_valid_for_thirty_days() {
    let world = World::new().await;
    let begin = text(&page(&world, "").await, "nextAfter");
    emit_and_dispatch(&world, 2).await;
    world.clock.advance(10 * DAY);
    emit_and_dispatch(&world, 1).await;
    world.clock.advance(20 * DAY - Duration::from_secs(1));
    assert_eq!(sequences(&page(&world, &format!("after={begin}")).await), [1, 2, 3]);
    world.clock.advance(Duration::from_secs(1));
    let oldest =
        |reply: tests::request::Reply| reply.json()["error"]["additional_info"][0].as_str().unwrap().to_owned();
    let third = oldest(refused(&world, &format!("after={begin}"), 410).await);
    assert_eq!(sequences(&page(&world, &format!("after={third}")).await), [3]);
    assert_eq!(sequences(&page(&world, "after=oldest").await), [3]);
    // The same once the table has removed the entries, in any order.
    let feed = format!("FEED#{}#{}", world.org.id, world.org.test_app);
    for sequence in [2, 1] {
        remove(&world, &feed, &format!("{sequence:020}")).await;
        assert_eq!(oldest(refused(&world, &format!("after={begin}"), 410).await), third);
        assert_eq!(sequences(&page(&world, "after=oldest").await), [3]);
    }
    // Who has read everything misses nothing, however late the next event comes.
    let end = text(&page(&world, &format!("after={third}")).await, "nextAfter");
    world.clock.advance(40 * DAY);
    assert_eq!(sequences(&page(&world, &format!("after={end}")).await), Vec::<u64>::new());
    remove(&world, &feed, &format!("{:020}", 3)).await;
    assert_eq!(oldest(refused(&world, &format!("after={third}"), 410).await), end);
    emit_and_dispatch(&world, 1).await;
    assert_eq!(sequences(&page(&world, &format!("after={end}")).await), [4]);
}

/// A query may see a transaction before an earlier one.
#[tokio::test]
async fn a_page_ends_before_a_gap() {
    let world = World::new().await;
    let mut hidden = None;
    for sequence in 1..=3 {
        emit_and_dispatch(&world, 1).await;
        if sequence == 2 {
            let items = world.account.stored_items().await;
            let second = AttributeValue::S(format!("{sequence:020}"));
            hidden = items.into_iter().find(|item| item["SK"] == second);
            remove(&world, hidden.as_ref().unwrap()["PK"].as_s().unwrap(), second.as_s().unwrap()).await;
        }
    }
    let first = page(&world, "after=oldest").await;
    assert_eq!(sequences(&first), [1]);
    let after = format!("after={}", text(&first, "nextAfter"));
    let nothing = page(&world, &after).await;
    assert_eq!((sequences(&nothing), &nothing["nextAfter"]), (vec![], &first["nextAfter"]));
    world.account.store_item(hidden.unwrap()).await;
    assert_eq!(sequences(&page(&world, &after).await), [2, 3]);
}

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
    let emitted = std::sync::Mutex::new(Vec::<String>::new());
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
            domain::delivery::event_of_app(&outbox, &app).to_string()
        })
        .collect();
    assert!(distinct.into_iter().eq(expected.iter()));
}
