//! Recoveries: failed and skipped deliveries are attempted again once the receiver is back, a bounded number at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::Mode;
use domain::delivery::{Delivery, DeliveryStatus};
use domain::event::{Audience, EventName, OutboxEvent};
use domain::id::{AppId, EventId, OrganizationId, WebhookId};
use futures_util::{StreamExt as _, stream};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::Change;
use tests::faults::Fault;
use tests::receiver::{Receiver, plain, status};
use tests::request::text;
use tests::settings::{TABLE, of_size};
use tests::world::Organization;
use tests::{Call, Service as _, World};
use views::SampleOf;

const SINCE: &str = "2020-01-01T00:00:00Z";
const LATER: Duration = Duration::from_secs(400);
/// How long the receiver of `counting` takes.
const WORK: Duration = Duration::from_millis(60);

/// Creates a webhook of the test app. Returns its path.
async fn webhook(world: &World, org: &Organization, url: &str) -> String {
    let body = json!({"url": url, "events": ["messages.sms.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", org.test_app);
    let made = world.send(Call::post(&path).key(&org.admin).json(&body)).await.expect(201);
    format!("{path}/{}", text(&made, "id"))
}

fn id_of(hook: &str) -> WebhookId {
    hook.rsplit('/').next().unwrap().parse().unwrap()
}

/// Stores events with their deliveries to a webhook, one per millisecond, in the states that `state` returns.
async fn store(
    world: &World,
    (org, hook): (&Organization, &str),
    count: usize,
    state: impl Fn(usize) -> (EventName, DeliveryStatus),
) {
    let organization: OrganizationId = org.id.parse().unwrap();
    let app: AppId = org.test_app.parse().unwrap();
    let store = world.account.store();
    let commits: Vec<_> = (0..count)
        .map(|nth| {
            world.clock.advance(Duration::from_millis(1));
            let (now, (kind, status)) = (world.now(), state(nth));
            let random = &SystemRandom::new();
            let data = SampleOf { organization: &organization, app: &app, now, random }.data(kind).unwrap();
            let id = EventId::mint(now, random);
            let audience = Audience::App(app.to_string());
            let kind = kind.into();
            let event = OutboxEvent { id, kind, mode: Mode::Test, audience, data, created_at: now, request_id: None };
            let mut delivery = Delivery::new(&event.id, event.kind.clone(), &app, &id_of(hook), now).unwrap();
            (delivery.status, delivery.next_attempt_at) = (status.into(), None);
            let mut change = Change::new(&organization);
            change.store_event_without_dispatch(&event).unwrap();
            change.create_delivery(&delivery).unwrap();
            change
        })
        .collect();
    let commits = commits.iter().map(|change| async { drop(store.commit(change).await.unwrap()) });
    stream::iter(commits).buffer_unordered(32).for_each(async |()| ()).await;
    // A recovery includes events before its beginning.
    world.clock.advance(Duration::from_millis(1));
}

async fn store_failed(world: &World, hook: &str, count: usize) {
    store(world, (&world.org, hook), count, |_| (EventName::MessagesSmsReceived, DeliveryStatus::Failed)).await;
}

fn recover(world: &World, hook: &str, body: &Value) -> Call {
    Call::post(format!("{hook}/recover")).key(&world.org.admin).json(body)
}

async fn begin(world: &World, hook: &str, body: &Value) -> String {
    text(&world.send(recover(world, hook, body)).await.expect(202), "id")
}

async fn shown(world: &World, hook: &str, id: &str) -> Value {
    world.admin(Call::get(format!("{hook}/recoveries/{id}"))).await.expect(200)
}

/// Works off the delivery queues, and has the sweep continue what waits, until the recovery has ended. Returns it.
async fn ended(world: &World, hook: &str, id: &str) -> Value {
    for _ in 0..50 {
        while world.deliver().await {}
        let recovery = shown(world, hook, id).await;
        if recovery["status"] != "RUNNING" {
            return recovery;
        }
        world.clock.advance(LATER);
        world.index_caught_up().await;
        Box::pin(world.sweep()).await;
    }
    panic!("the recovery does not end: {}", shown(world, hook, id).await);
}

fn counts(recovery: &Value) -> (&str, u64, u64, u64) {
    let count = |name: &str| recovery[name].as_u64().unwrap();
    (recovery["status"].as_str().unwrap(), count("matched"), count("delivered"), count("failed"))
}

/// Starts a receiver that counts how many requests it works on at the same time. The second number is the highest one so far.
fn counting() -> (Receiver, Arc<AtomicUsize>) {
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = most.clone();
    let answer = move |_: usize, _: &tests::receiver::Got| {
        seen.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(WORK);
        // Before the response is sent, so that nothing is counted after the sender has it.
        open.fetch_sub(1, Ordering::SeqCst);
        (Duration::ZERO, plain(200, ""))
    };
    (Receiver::start(Arc::new(answer)), most)
}

#[tokio::test]
async fn all_failed_deliveries_arrive_fifty_at_a_time() {
    let world = World::with_local_webhooks().await;
    let (receiver, most) = counting();
    let hook = webhook(&world, &world.org, &receiver.url).await;
    // docs/events.md has a run of 10,000.
    let many = std::env::var("RECOVERED").ok().map(|many| many.parse().unwrap());
    let count = many.unwrap_or_else(|| of_size(200, 2_000));
    store(&world, (&world.org, &hook), count, |nth| {
        let status = if nth % 4 == 0 { DeliveryStatus::Skipped } else { DeliveryStatus::Failed };
        (EventName::MessagesSmsReceived, status)
    })
    .await;
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;
    let recovery = ended(&world, &hook, &id).await;
    assert_eq!(counts(&recovery), ("COMPLETED", count as u64, count as u64, 0));
    assert!(recovery["endedAt"].is_string() && recovery.get("reason").is_none());
    let ids = receiver.ids();
    assert_eq!((ids.len(), receiver.count()), (count, count), "each once");
    let most = most.load(Ordering::SeqCst);
    assert!((2..=50).contains(&most), "{most} at the same time");
    // The first request is a probe: the second one follows its response.
    let got = receiver.got_undocumented();
    assert!(got[1].at.duration_since(got[0].at) >= WORK);
    // Oldest first, apart from those that were sent at the same time.
    let times: Vec<String> = got.iter().map(|got| text(&got.json(), "createdAt")).collect();
    assert!(times.iter().enumerate().skip(51).all(|(nth, time)| *time >= times[nth - 51]), "the order of the events");
    for status in ["FAILED", "SKIPPED", "PENDING"] {
        // A page looks at a part of the log only.
        let mut query = format!("?status={status}&limit=100");
        loop {
            let left = world.admin(Call::get(format!("{hook}/deliveries{query}"))).await.expect(200);
            assert_eq!(left["data"], json!([]), "{status}");
            let Some(cursor) = left["nextCursor"].as_str() else { break };
            query = format!("?status={status}&limit=100&cursor={cursor}");
        }
    }
    assert!(world.messages(&world.account.delivery_dead_letters).await.is_empty());
}

/// Wherever a round is killed, the recovery continues, attempts no delivery again that it has recorded, and counts all.
#[tokio::test]
async fn a_killed_recovery_goes_on() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    let count = 230;
    store_failed(&world, &hook, count).await;
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;
    let (mut step, mut kills) = (0, 0);
    let recovery = loop {
        step = (step + 11) % 67;
        world.faults.set(Fault::StoppedAfter(step));
        tokio::select! {
            () = async { while world.deliver().await {} } => {}
            () = world.faults.struck() => kills += 1,
        }
        world.faults.clear();
        let recovery = shown(&world, &hook, &id).await;
        if recovery["status"] != "RUNNING" {
            break recovery;
        }
        world.clock.advance(LATER);
        world.index_caught_up().await;
        Box::pin(world.sweep()).await;
    };
    assert!(kills >= 5, "{kills}");
    assert_eq!(counts(&recovery), ("COMPLETED", count as u64, count as u64, 0));
    let ids = receiver.ids();
    assert_eq!(ids.len(), count);
    // A delivery is only sent again if its attempt could not be recorded.
    let repeated: usize = ids.values().map(|times| times - 1).sum();
    assert!(repeated <= kills * 50, "{repeated} after {kills} kills");
    world.clock.advance(LATER);
    while world.deliver().await {}
    assert!(world.messages(&world.account.delivery_dead_letters).await.is_empty());
    let again = world.send(recover(&world, &hook, &json!({"since": SINCE, "dryRun": true}))).await.expect(202);
    assert_eq!(counts(&ended(&world, &hook, &text(&again, "id")).await), ("COMPLETED", 0, 0, 0));
}

#[tokio::test]
async fn a_receiver_that_is_still_down_gets_four_requests() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(503));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 60).await;
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;
    for probes in 1..=4 {
        // Only the round's message: retries of the probed deliveries come later.
        world.deliver().await;
        while world.deliver_from(&world.account.patient_deliveries).await {}
        assert_eq!(receiver.ids().len(), probes);
        let recovery = shown(&world, &hook, &id).await;
        let expected = if probes < 4 { "RUNNING" } else { "STOPPED" };
        assert_eq!(counts(&recovery), (expected, probes as u64, 0, probes as u64));
        world.clock.advance(Duration::from_secs(1000));
        world.index_caught_up().await;
        Box::pin(world.sweep()).await;
    }
    let recovery = shown(&world, &hook, &id).await;
    assert!(text(&recovery, "reason").contains("4 times in a row"), "{recovery}");
    // The probed ones follow the schedule of retries, and the others are as they were.
    let left = world.admin(Call::get(format!("{hook}/deliveries?status=FAILED&limit=100"))).await.expect(200);
    assert_eq!(left["data"].as_array().unwrap().len(), 56);
    let next = world.send(recover(&world, &hook, &json!({"since": recovery["processedUntil"]}))).await.expect(202);
    assert_eq!(next["status"], "RUNNING");
}

#[tokio::test]
async fn a_receiver_that_fails_in_between_gets_everything() {
    let world = World::with_local_webhooks().await;
    // The first fifty after the probe fail.
    let answer = |nth: usize, _: &tests::receiver::Got| {
        (Duration::ZERO, plain(if (2..=51).contains(&nth) { 500 } else { 200 }, ""))
    };
    let receiver = Receiver::start(Arc::new(answer));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 120).await;
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;
    let recovery = ended(&world, &hook, &id).await;
    assert_eq!(counts(&recovery), ("COMPLETED", 120, 70, 50));
    for _ in 0..3 {
        world.clock.advance(LATER);
        world.index_caught_up().await;
        Box::pin(world.sweep()).await;
        while world.deliver().await {}
    }
    assert_eq!(receiver.ids().len(), 120);
    let left = world.admin(Call::get(format!("{hook}/deliveries?status=DELIVERED&limit=100"))).await.expect(200);
    assert!(left["nextCursor"].is_string());
    let left = world.admin(Call::get(format!("{hook}/deliveries?status=PENDING"))).await.expect(200);
    assert_eq!(left["data"], json!([]));
}

/// The SDK repeats a write whose response was lost, and the repeated one is refused, because the first has changed the item.
#[tokio::test]
async fn an_attempt_counts_although_the_response_to_its_record_is_lost() {
    let world = World::with_local_webhooks().await;
    let faults = world.faults.clone();
    let answer = move |nth: usize, _: &tests::receiver::Got| {
        if nth == 5 {
            faults.set(Fault::UpdateAnswerLost);
        }
        (Duration::ZERO, plain(if nth.is_multiple_of(2) { 500 } else { 200 }, ""))
    };
    let receiver = Receiver::start(Arc::new(answer));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 11).await;
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;
    world.deliver().await;
    while world.deliver_from(&world.account.patient_deliveries).await {}
    assert!(!world.faults.is_set());
    let recovery = shown(&world, &hook, &id).await;
    assert_eq!((counts(&recovery), receiver.count()), (("COMPLETED", 11, 6, 5), 11));
}

#[tokio::test]
async fn a_webhook_has_one_running_recovery() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 3).await;
    let body = json!({"since": SINCE});
    let both =
        futures_util::join!(world.send(recover(&world, &hook, &body)), world.send(recover(&world, &hook, &body)));
    let (begun, refused) = if both.0.status == 202 { both } else { (both.1, both.0) };
    let id = text(&begun.expect(202), "id");
    let message = text(&refused.refused(409, Some("webhookId"), None)["error"], "message");
    assert!(message.contains(&id), "{message}");
    assert_eq!(ended(&world, &hook, &id).await["status"], "COMPLETED");
    let other = begin(&world, &hook, &body).await;
    assert_eq!(counts(&ended(&world, &hook, &other).await), ("COMPLETED", 0, 0, 0));
    // A repeated request with an Idempotency-Key begins nothing, and gets the first response.
    let once = recover(&world, &hook, &body).header("idempotency-key", "again");
    let first = world.send(once.clone()).await.expect(202);
    assert_eq!(world.send(once).await.expect(202), first);
    let own = format!("/v1/webhooks/{}/recoveries/{}", id_of(&hook), text(&first, "id"));
    assert_eq!(world.send(Call::get(own).key(&world.org.test_app_key)).await.expect(200)["id"], first["id"]);
}

#[tokio::test]
async fn a_recovery_ends_with_its_webhook() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(410));
    let (gone, deleted) =
        (webhook(&world, &world.org, &receiver.url).await, webhook(&world, &world.org, &receiver.url).await);
    for hook in [&gone, &deleted] {
        store_failed(&world, hook, 3).await;
    }
    // The receiver wants no further events, so the webhook is disabled.
    let id = begin(&world, &gone, &json!({"since": SINCE})).await;
    let recovery = ended(&world, &gone, &id).await;
    assert_eq!(counts(&recovery), ("STOPPED", 1, 0, 1));
    assert!(text(&recovery, "reason").contains("disabled"), "{recovery}");
    world.send(recover(&world, &gone, &json!({"since": SINCE}))).await.refused(409, Some("webhookId"), None);
    let dry = begin(&world, &gone, &json!({"since": SINCE, "dryRun": true})).await;
    assert_eq!(counts(&ended(&world, &gone, &dry).await), ("COMPLETED", 3, 0, 0));
    let id = begin(&world, &deleted, &json!({"since": SINCE})).await;
    world.admin(Call::delete(&deleted)).await.expect(200);
    while world.deliver().await {}
    assert_eq!(receiver.count(), 1);
    let stored = world.account.store().of(&world.org.id.parse().unwrap());
    let stored = stored.recovery(&id_of(&deleted), &id.parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((stored.is_running(), stored.reason.as_deref()), (false, Some("The webhook was deleted.")));
    world.admin(Call::get(format!("{deleted}/recoveries/{id}"))).await.refused(404, Some("webhookId"), None);
}

/// An event that cannot be read, or not be sent, delays no other.
#[tokio::test]
async fn a_damaged_event_is_passed_over() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 6).await;
    let listed = world.admin(Call::get(format!("{hook}/deliveries"))).await.expect(200);
    let app: AppId = world.org.test_app.parse().unwrap();
    // The newest has no data, and the one before it data that are no JSON.
    for (nth, update) in [(0, "REMOVE #data"), (1, "SET #data = :broken")] {
        let event: EventId = text(&listed["data"][nth], "eventId").parse().unwrap();
        let outbox = domain::delivery::outbox_of_event(&event, &app);
        let key = AttributeValue::S(format!("EVT#{}#{outbox}", world.org.id));
        let call = world.account.dynamodb.update_item().table_name(TABLE).key("PK", key);
        let call = call.key("SK", AttributeValue::S("EVT".to_owned())).update_expression(update);
        let call = call.expression_attribute_names("#data", "data");
        let broken = (nth == 1).then(|| [(":broken".to_owned(), AttributeValue::S("{".to_owned()))].into());
        call.set_expression_attribute_values(broken).send().await.unwrap();
    }
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;
    assert_eq!(counts(&ended(&world, &hook, &id).await), ("COMPLETED", 6, 4, 2));
    assert_eq!(receiver.ids().len(), 4);
}

#[tokio::test]
async fn an_unreadable_delivery_is_passed_over() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 5).await;
    let listed = world.admin(Call::get(format!("{hook}/deliveries"))).await.expect(200);
    let id = text(&listed["data"][2], "id");
    let sort = id.strip_prefix("dlv_").expect("the id of a delivery");
    let (webhook, org) = (hook.rsplit('/').next().unwrap(), &world.org.id);
    let mut damaged = 0;
    for partition in 0..8 {
        let key = AttributeValue::S(format!("DLV#{org}#{webhook}#{partition}"));
        let call = world.account.dynamodb.update_item().table_name(TABLE).key("PK", key);
        let call = call.key("SK", AttributeValue::S(sort.to_owned()));
        let call = call.condition_expression("attribute_exists(PK)").update_expression("SET #status = :broken");
        let call = call.expression_attribute_names("#status", "status");
        let call = call.expression_attribute_values(":broken", AttributeValue::L(Vec::new()));
        damaged += usize::from(call.send().await.is_ok());
    }
    assert_eq!(damaged, 1);
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;
    assert_eq!(counts(&ended(&world, &hook, &id).await), ("COMPLETED", 4, 4, 0));
    assert_eq!(receiver.ids().len(), 4);
}

#[tokio::test]
async fn a_dry_run_counts_what_would_be_sent() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    let start = world.now();
    let (sms, read) = (EventName::MessagesSmsReceived, EventName::MessagesChatRead);
    store(&world, (&world.org, &hook), 40, |nth| match nth % 4 {
        0 => (sms, DeliveryStatus::Failed),
        1 => (read, DeliveryStatus::Failed),
        2 => (sms, DeliveryStatus::Skipped),
        _ => (sms, DeliveryStatus::Delivered),
    })
    .await;
    let at = |millis: u64| start.plus(Duration::from_millis(millis)).to_string();
    for (mut body, expected) in [
        (json!({}), 30),
        (json!({"statuses": ["FAILED"]}), 20),
        (json!({"statuses": ["DELIVERED", "SKIPPED"]}), 20),
        (json!({"eventTypes": ["messages.chat.read"]}), 10),
        (json!({"since": at(21)}), 15),
        (json!({"until": at(21)}), 15),
        (json!({"since": at(9), "until": at(13), "statuses": ["FAILED"], "eventTypes": ["messages.sms.received"]}), 1),
    ] {
        // At most three dry runs per hour.
        world.clock.advance(Duration::from_secs(1200));
        let fields = body.as_object_mut().unwrap();
        fields.entry("since").or_insert_with(|| json!(SINCE));
        fields.insert("dryRun".to_owned(), json!(true));
        let id = begin(&world, &hook, &body).await;
        let recovery = ended(&world, &hook, &id).await;
        assert_eq!((counts(&recovery), &recovery["dryRun"]), (("COMPLETED", expected, 0, 0), &json!(true)), "{body}");
    }
    assert_eq!(receiver.count(), 0);
    // Delivered ones are sent again on request, each once.
    let id = begin(&world, &hook, &json!({"since": SINCE, "statuses": ["DELIVERED"]})).await;
    assert_eq!(counts(&ended(&world, &hook, &id).await), ("COMPLETED", 10, 10, 0));
    assert_eq!((receiver.ids().len(), receiver.count()), (10, 10));
}

#[tokio::test]
async fn a_day_has_a_limit() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 30).await;
    let id = begin(&world, &hook, &json!({"since": SINCE, "dryRun": true})).await;
    ended(&world, &hook, &id).await;
    // 99,990 were recovered today. A dry run counts as many as a recovery would attempt, and uses up nothing.
    let key = AttributeValue::S(format!("RCV#{}#{}", world.org.id, id_of(&hook)));
    let update = world.account.dynamodb.update_item().table_name(TABLE).key("PK", key);
    let update = update.key("SK", AttributeValue::S("HEAD".to_owned())).update_expression("SET recoveredToday = :most");
    update.expression_attribute_values(":most", AttributeValue::N("99990".to_owned())).send().await.unwrap();
    let dry = begin(&world, &hook, &json!({"since": SINCE, "dryRun": true})).await;
    let dry = ended(&world, &hook, &dry).await;
    assert_eq!(counts(&dry), ("STOPPED", 10, 0, 0));
    assert!(text(&dry, "reason").contains("100000 deliveries"), "{dry}");
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;
    let recovery = ended(&world, &hook, &id).await;
    assert_eq!(counts(&recovery), ("STOPPED", 10, 10, 0));
    assert!(text(&recovery, "reason").contains("100000 deliveries"), "{recovery}");
    for dry_run in [false, true] {
        let refused = world.send(recover(&world, &hook, &json!({"since": SINCE, "dryRun": dry_run}))).await;
        assert!(refused.header("retry-after").is_some());
        refused.refused(429, None, Some("rate_limit_exceeded"));
    }
    // The next day has a limit of its own.
    world.clock.advance(Duration::from_secs(24 * 3600));
    let dry = begin(&world, &hook, &json!({"since": recovery["processedUntil"], "dryRun": true})).await;
    assert_eq!(counts(&ended(&world, &hook, &dry).await), ("COMPLETED", 20, 0, 0));
    let id = begin(&world, &hook, &json!({"since": recovery["processedUntil"]})).await;
    assert_eq!(counts(&ended(&world, &hook, &id).await), ("COMPLETED", 20, 20, 0));
    assert_eq!((receiver.ids().len(), receiver.count()), (30, 30));
}

#[tokio::test]
async fn a_webhook_has_three_dry_runs_per_hour() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    let other = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 2).await;
    // The hour is that of the clock.
    world.clock.advance(Duration::from_secs(3600 - world.now().seconds().unsigned_abs() % 3600));
    let dry = json!({"since": SINCE, "dryRun": true});
    for _ in 0..3 {
        let id = begin(&world, &hook, &dry).await;
        ended(&world, &hook, &id).await;
    }
    let before = world.account.items().await;
    let refused = world.send(recover(&world, &hook, &dry)).await;
    let after: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    let error = refused.refused(429, None, Some("rate_limit_exceeded"));
    assert!(text(&error["error"], "message").contains("3 dry runs per hour"), "{error}");
    assert!((1..=3600).contains(&after), "{after}");
    assert_eq!(world.account.items().await, before);
    // Another webhook and a recovery that is not a dry run have quotas of their own.
    begin(&world, &other, &dry).await;
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;
    assert_eq!(counts(&ended(&world, &hook, &id).await), ("COMPLETED", 2, 2, 0));
    world.clock.advance(Duration::from_secs(after));
    begin(&world, &hook, &dry).await;
}

/// Recoveries of one organization occupy a bounded number of invocations, each of which works on one of them.
#[tokio::test]
async fn recoveries_of_one_organization_leave_room_for_another() {
    let mut world = World::with_local_webhooks().await;
    world.deliverer.slow_invocations = 1;
    let other = world.organization("Other").await;
    let slow = Receiver::start(Arc::new(|_, _| (Duration::from_millis(1500), plain(200, ""))));
    let quick = Receiver::start(status(200));
    for _ in 0..4 {
        let hook = webhook(&world, &world.org, &slow.url).await;
        store_failed(&world, &hook, 2).await;
        begin(&world, &hook, &json!({"since": SINCE})).await;
    }
    let hook = webhook(&world, &other, &quick.url).await;
    let failed = |_: usize| (EventName::MessagesSmsReceived, DeliveryStatus::Failed);
    store(&world, (&other, &hook), 2, failed).await;
    let body = json!({"since": SINCE});
    world.send(Call::post(format!("{hook}/recover")).key(&other.admin).json(&body)).await.expect(202);
    while world.deliver_from(&world.account.deliveries).await {}
    // Five messages, and five invocations with one message each at the same time.
    let jobs = world.take(&world.account.patient_deliveries).await;
    assert_eq!(jobs.len(), 5);
    let invocations = jobs.iter().map(|job| {
        let record = json!({"messageId": "m", "receiptHandle": "r", "body": job, "attributes": {}});
        let event = serde_json::from_value(json!({"Records": [record]})).unwrap();
        Box::pin(world.deliverer.work(event))
    });
    futures_util::future::join_all(invocations).await;
    assert_eq!((quick.ids().len(), slow.ids().len()), (2, 2), "one recovery of the first organization had a slot");
    world.clock.advance(LATER);
    for _ in 0..4 {
        world.index_caught_up().await;
        Box::pin(world.sweep()).await;
        while world.deliver().await {}
        world.clock.advance(LATER * 4);
    }
    assert_eq!(slow.ids().len(), 8);
}

/// A recovery without a slot is no reason for the recovery of another organization in the same invocation to wait, and an
/// earlier message of a recovery does nothing.
#[tokio::test]
async fn a_recovery_without_a_slot_holds_up_no_other() {
    let mut world = World::with_local_webhooks().await;
    world.deliverer.slow_invocations = 1;
    let other = world.organization("Other").await;
    let slow = Receiver::start(Arc::new(|_, _| (Duration::from_secs(4), plain(200, ""))));
    let quick = Receiver::start(status(200));
    for _ in 0..2 {
        let hook = webhook(&world, &world.org, &slow.url).await;
        store_failed(&world, &hook, 1).await;
        begin(&world, &hook, &json!({"since": SINCE})).await;
    }
    while world.deliver_from(&world.account.deliveries).await {}
    let waiting = world.take(&world.account.patient_deliveries).await;
    let hook = webhook(&world, &other, &quick.url).await;
    store(&world, (&other, &hook), 1, |_| (EventName::MessagesSmsReceived, DeliveryStatus::Failed)).await;
    let body = json!({"since": SINCE});
    world.send(Call::post(format!("{hook}/recover")).key(&other.admin).json(&body)).await.expect(202);
    while world.deliver_from(&world.account.deliveries).await {}
    let others = world.take(&world.account.patient_deliveries).await;
    let invoke = |jobs: Vec<String>| {
        let record = |(nth, job): (usize, &String)| json!({"messageId": nth.to_string(), "receiptHandle": "r", "body": job, "attributes": {}});
        let records: Vec<Value> = jobs.iter().enumerate().map(record).collect();
        Box::pin(world.deliverer.work(serde_json::from_value(json!({"Records": records})).unwrap()))
    };
    let second = async {
        while slow.count() == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        invoke(vec![waiting[1].clone(), others[0].clone()]).await
    };
    futures_util::join!(invoke(vec![waiting[0].clone()]), second);
    assert_eq!((slow.ids().len(), quick.ids().len()), (1, 1));
    // One has ended, the other waits under a later revision, so these messages are outdated.
    invoke(waiting).await;
    assert_eq!(slow.ids().len(), 1);
}

#[tokio::test]
async fn a_recovery_costs_a_read_and_a_write_per_delivery() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, 101).await;
    begin(&world, &hook, &json!({"since": SINCE})).await;
    world.deliver_from(&world.account.deliveries).await;
    let round = world.deliver_from(&world.account.patient_deliveries);
    let (_, cost) = world.faults.meter.of(round).await;
    assert_eq!(receiver.ids().len(), 101);
    // Beginning, end, slot and three batches; each delivery is one event read and one delivery written.
    let (read, write) = (cost.read_units / 101.0, cost.write_units / 101.0);
    assert!(read <= 1.6, "{read} read units per delivery: {cost:?}");
    assert!(write <= 1.2, "{write} write units per delivery: {cost:?}");
}

#[tokio::test]
async fn bad_input_names_its_parameter() {
    let world = World::new().await;
    let hook = webhook(&world, &world.org, "https://example.com").await;
    for (body, param) in [
        (json!({}), "since"),
        (json!({"since": "yesterday"}), "since"),
        (json!({"since": SINCE, "until": SINCE}), "until"),
        (json!({"since": SINCE, "statuses": []}), "statuses"),
        (json!({"since": SINCE, "statuses": ["FAILED", "PENDING"]}), "statuses[1]"),
        (json!({"since": SINCE, "statuses": ["FAILED", "FAILED"]}), "statuses[1]"),
        (json!({"since": SINCE, "eventTypes": ["read"]}), "eventTypes[0]"),
        (json!({"since": SINCE, "dryRun": null}), "dryRun"),
    ] {
        world.send(recover(&world, &hook, &body)).await.refused(400, Some(param), None);
    }
    let missing = format!("{hook}/recoveries/rcv_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
    world.admin(Call::get(missing)).await.refused(404, Some("recoveryId"), None);
}
