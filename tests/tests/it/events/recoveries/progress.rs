//! Each delivery is attempted, a bounded number at a time, although rounds are killed and the receiver fails again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::events::delivery::DeliveryStatus;
use domain::events::event::EventName;
use messaging_client::types::WebhookRecoveryStatus;
use serde_json::json;
use tests::faults::Fault;
use tests::receiver::{Got, Receiver, plain, status};
use tests::request::text;
use tests::settings::of_size;
use tests::{Call, Service as _, World};

use super::{
    LATER, SINCE, begin, counts, ended, recover, recovered, shown, store, store_failed, sweep_after, webhook,
    with_failed,
};

/// How long the receiver of `counting` takes.
const WORK: Duration = Duration::from_millis(60);

/// Starts a receiver that counts how many requests it works on at the same time. The second number is the highest one so far.
fn counting() -> (Receiver, Arc<AtomicUsize>) {
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = most.clone();
    let answer = move |_: usize, _: &Got| {
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
    store(&world, &world.org, &hook, count, |nth| {
        let status = if nth % 4 == 0 { DeliveryStatus::Skipped } else { DeliveryStatus::Failed };
        (EventName::MessagesSmsReceived, status)
    })
    .await;

    let recovery = recovered(&world, &hook, &json!({"since": SINCE})).await;

    assert_eq!(counts(&recovery), ("COMPLETED", count as i64, count as i64, 0));
    assert!(recovery.ended_at.is_some() && recovery.reason.is_none());
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
    let count = 230;
    let (world, receiver, hook) = with_failed(status(200), count).await;

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
        if recovery.status != WebhookRecoveryStatus::Running {
            break recovery;
        }
        sweep_after(&world, LATER).await;
    };

    assert!(kills >= 5, "{kills}");
    assert_eq!(counts(&recovery), ("COMPLETED", count as i64, count as i64, 0));
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
    let (world, receiver, hook) = with_failed(status(503), 60).await;
    let id = begin(&world, &hook, &json!({"since": SINCE})).await;

    for probes in 1..=4 {
        // Only the round's message: retries of the probed deliveries come later.
        world.deliver().await;
        while world.deliver_from(&world.account.patient_deliveries).await {}
        assert_eq!(receiver.ids().len(), probes);

        let recovery = shown(&world, &hook, &id).await;
        let expected = if probes < 4 { "RUNNING" } else { "STOPPED" };
        assert_eq!(counts(&recovery), (expected, probes as i64, 0, probes as i64));

        sweep_after(&world, Duration::from_secs(1000)).await;
    }

    let recovery = shown(&world, &hook, &id).await;
    assert!(recovery.reason.as_deref().unwrap().contains("4 times in a row"), "{recovery:?}");

    // The probed ones follow the schedule of retries, and the others are as they were.
    let left = world.admin(Call::get(format!("{hook}/deliveries?status=FAILED&limit=100"))).await.expect(200);
    assert_eq!(left["data"].as_array().unwrap().len(), 56);
    let next = world.send(recover(&world, &hook, &json!({"since": recovery.processed_until}))).await.expect(202);
    assert_eq!(next["status"], "RUNNING");
}

#[tokio::test]
async fn a_receiver_that_fails_in_between_gets_everything() {
    // The first fifty after the probe fail.
    let answer = |nth: usize, _: &Got| (Duration::ZERO, plain(if (2..=51).contains(&nth) { 500 } else { 200 }, ""));
    let (world, receiver, hook) = with_failed(Arc::new(answer), 120).await;

    let recovery = recovered(&world, &hook, &json!({"since": SINCE})).await;
    assert_eq!(counts(&recovery), ("COMPLETED", 120, 70, 50));

    for _ in 0..3 {
        sweep_after(&world, LATER).await;
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
    let answer = move |nth: usize, _: &Got| {
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
