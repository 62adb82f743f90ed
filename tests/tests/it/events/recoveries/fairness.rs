//! Recoveries of one organization do not hold up those of another.

use std::sync::Arc;
use std::time::Duration;

use domain::events::delivery::DeliveryStatus;
use domain::events::event::EventName;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::receiver::{Receiver, plain, status};
use tests::{Call, Service as _, World};

use super::{LATER, SINCE, begin, store, store_failed, webhook};

/// Invokes the deliver function with these messages as one batch.
async fn invoke(world: &World, jobs: &[String]) {
    let record = |(nth, job): (usize, &String)| json!({"messageId": nth.to_string(), "receiptHandle": "r", "body": job, "attributes": {}});
    let records: Vec<Value> = jobs.iter().enumerate().map(record).collect();
    let event = serde_json::from_value(json!({"Records": records})).unwrap();
    Box::pin(world.deliverer.work(event)).await;
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
    store(&world, &other, &hook, 2, failed).await;
    let body = json!({"since": SINCE});
    world.send(Call::post(format!("{hook}/recover")).key(&other.admin).json(&body)).await.expect(202);

    while world.deliver_from(&world.account.deliveries).await {}
    // Five messages, and five invocations with one message each at the same time.
    let jobs = world.take(&world.account.patient_deliveries).await;
    assert_eq!(jobs.len(), 5);

    join_all(jobs.chunks(1).map(|job| invoke(&world, job))).await;
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
    store(&world, &other, &hook, 1, |_| (EventName::MessagesSmsReceived, DeliveryStatus::Failed)).await;
    let body = json!({"since": SINCE});
    world.send(Call::post(format!("{hook}/recover")).key(&other.admin).json(&body)).await.expect(202);
    while world.deliver_from(&world.account.deliveries).await {}
    let others = world.take(&world.account.patient_deliveries).await;

    let second = async {
        while slow.count() == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        invoke(&world, &[waiting[1].clone(), others[0].clone()]).await
    };
    futures_util::join!(invoke(&world, &waiting[..1]), second);
    assert_eq!((slow.ids().len(), quick.ids().len()), (1, 1));

    // One has ended, the other waits under a later revision, so these messages are outdated.
    invoke(&world, &waiting).await;
    assert_eq!(slow.ids().len(), 1);
}
