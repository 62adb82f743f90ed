//! No event is lost or late because functions stop, queues reject messages, a record is damaged, or a receiver hangs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use serde_json::json;
use tests::faults::Fault;
use tests::receiver::{Got, Receiver, plain, status};
use tests::settings::{TABLE, of_size};
use tests::{Call, Service as _, World};
use tokio::time::timeout;

use super::{subscribed, write};
use crate::events::log_of;

/// Lets time pass, and the sweep and the deliver function do what is due then.
async fn catch_up(world: &World, after: Duration) {
    world.clock.advance(after);
    world.sweep().await;
    while world.deliver().await {}
}

/// All events arrive, however often the dispatch and deliver functions stop and the receiver fails.
#[tokio::test]
async fn nothing_is_lost() {
    let answer = |count: usize, _: &Got| (Duration::ZERO, plain(if count.is_multiple_of(3) { 500 } else { 200 }, ""));
    let (world, receiver, path) = subscribed(Arc::new(answer)).await;

    let events = of_size(110, 1000);
    for _ in 0..events {
        write(&world).await;
    }

    let mut step = 0;
    for _ in 0..200 {
        // Stop both functions after a few calls.
        step = (step + 7) % 60;
        world.faults.set(Fault::StoppedAfter(step + 3));
        tokio::select! {
            () = async { world.dispatch().await; for _ in 0..5 { world.deliver().await; } } => {}
            () = world.faults.struck() => {}
        }
        world.faults.clear();

        catch_up(&world, Duration::from_secs(400)).await;

        let delivered =
            world.admin(Call::get(format!("{path}/deliveries?status=DELIVERED&limit=100"))).await.expect(200);
        if delivered["data"].as_array().unwrap().len() == 100 && receiver.ids().len() == events {
            break;
        }
    }

    assert_eq!(receiver.ids().len(), events);
    let bodies: BTreeSet<(String, Vec<u8>)> = receiver.got().into_iter().map(|got| (got.id(), got.body)).collect();
    assert_eq!(bodies.len(), events, "the same bytes with the same id");
    assert!(world.messages(&world.account.delivery_dead_letters).await.is_empty());
}

/// Overwrites the attribute of an event that says which apps receive it.
async fn set_audience(world: &World, partition: &str, audience: AttributeValue) {
    let call = world.account.dynamodb.update_item().table_name(TABLE);
    let call = call.key("PK", AttributeValue::S(partition.to_owned())).key("SK", AttributeValue::S("EVT".to_owned()));
    let call = call.update_expression("SET audience = :x").expression_attribute_values(":x", audience);
    call.send().await.unwrap();
}

/// All other events arrive although the stream stops for a while, a queue rejects messages, and one event is invalid.
#[tokio::test]
async fn missed_deliveries_are_made_later() {
    let (world, receiver, path) = subscribed(status(200)).await;

    // The stream's event source mapping was disabled.
    for _ in 0..10 {
        write(&world).await;
    }
    catch_up(&world, Duration::from_secs(301)).await;
    assert_eq!(receiver.ids().len(), 10);

    // SendMessageBatch succeeds, but rejects every entry.
    write(&world).await;
    world.faults.set(Fault::QueueTakesNothing);
    world.send_events().await;
    assert_eq!(receiver.ids().len(), 11);

    // A record that the dispatch function cannot read.
    write(&world).await;
    let broken = world.waiting_events().await.remove(0);
    set_audience(&world, &broken, AttributeValue::S("nonsense".to_owned())).await;

    for _ in 0..5 {
        write(&world).await;
    }
    world.send_events().await;
    assert_eq!(receiver.ids().len(), 16, "the others go on");

    for _ in 0..3 {
        world.clock.advance(Duration::from_secs(301));
        world.index_caught_up().await;
        assert_eq!(world.sweep_once().await.failed, 1);
    }
    assert_eq!(log_of(&world, &path).await.len(), 16);

    // The repaired event arrives.
    let app = AttributeValue::S(world.org.test_app.clone());
    set_audience(&world, &broken, AttributeValue::M([("app".to_owned(), app)].into())).await;
    catch_up(&world, Duration::from_secs(301)).await;
    assert_eq!(receiver.ids().len(), 17);
}

/// A hanging receiver does not delay the others: their events arrive while it still hangs. Prints the 95th percentile of
/// the time from the dispatch to the arrival at the healthy receivers, with twenty concurrent functions.
#[tokio::test]
async fn a_hanging_receiver_delays_no_other_deliveries() {
    const HOOKS: usize = 10;
    const HANGING: usize = 40 * HOOKS;
    const HEALTHY: usize = 10;
    const EACH: usize = 20;

    // Much longer than the test: an event behind a hanging receiver does not arrive in time, on whatever machine.
    let deadline = Duration::from_secs(3600);
    let in_time = deadline / 6;
    let mut world = World::with_patience(deadline).await;
    // Two hundred posts at once take a busy machine longer than the real limit.
    world.deliverer.prompt = delivery::PROMPT * 5;

    let hanging = Receiver::start(Arc::new(move |_, _| (deadline, plain(200, ""))));
    let (slow_app, slow_key) = world.app(&world.org.admin, &json!({"name": "Slow", "test": true})).await;
    let add = async |app: &str, url: &str| {
        let body = json!({"url": url, "events": ["messages.sms.received"]});
        world.admin(Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&body)).await.expect(201);
    };

    for _ in 0..HOOKS {
        add(&slow_app, &hanging.url).await;
    }

    let healthy: Vec<Receiver> = (0..HEALTHY).map(|_| Receiver::start(status(200))).collect();
    for receiver in &healthy {
        add(&world.org.test_app, &receiver.url).await;
    }

    let write = async |key: &str, count: usize| {
        let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
        let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
        for _ in 0..count {
            world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
        }
    };

    write(&slow_key, HANGING / HOOKS).await;
    write(&world.org.test_app_key, EACH).await;
    world.dispatch().await;

    let started = Instant::now();
    let pollers = join_all((0..20).map(|_| async {
        while healthy.iter().map(Receiver::count).sum::<usize>() < HEALTHY * EACH {
            world.deliver_from(&world.account.deliveries).await;
        }
    }));
    timeout(in_time, pollers).await.unwrap();

    assert!(healthy.iter().all(|receiver| receiver.ids().len() == EACH), "each event, at every receiver");

    let mut latencies: Vec<Duration> =
        healthy.iter().flat_map(Receiver::got).map(|got| got.at.duration_since(started)).collect();
    latencies.sort();
    let p95 = latencies[latencies.len() * 95 / 100];
    eprintln!("healthy p95 {p95:?} of {} beside {HANGING} to a receiver that hangs", latencies.len());
}
