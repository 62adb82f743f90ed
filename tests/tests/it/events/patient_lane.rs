//! Slow receivers: what is remembered and logged of them, and that those of one organization do not delay those of another.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use domain::job::{DeliveryJob, Lane};
use messaging_client::types::WebhookDeliveryStatus;
use serde_json::json;
use tests::receiver::{Receiver, plain};
use tests::request::text;
use tests::world::Organization;
use tests::{Call, Service as _, World};

use super::log_of;

const DAY: Duration = Duration::from_secs(86_400);
/// As many deliver functions as the local machine can run. On AWS, the patient queue's `MaximumConcurrency` limits
/// them.
const INVOCATIONS: usize = 8;

async fn webhook(world: &World, org: &Organization, url: &str) -> String {
    let hook = json!({"url": url, "events": ["messages.sms.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", org.test_app);
    let made = world.send(Call::post(&path).key(&org.admin).json(&hook)).await.expect(201);
    format!("{path}/{}", text(&made, "id"))
}

async fn write(world: &World, org: &Organization) {
    let key = &org.test_app_key;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
}

/// A receiver that takes longer than two seconds gets the event a second time, and has the full deadline from then on, for a
/// week. Each POST that began is an attempt in the log.
#[tokio::test]
async fn a_slow_receiver_is_given_its_time() {
    let world = World::with_patience(delivery::DEADLINE).await;
    let receiver = Receiver::start(Arc::new(|_, _| (Duration::from_millis(2500), plain(200, ""))));
    let path = webhook(&world, &world.org, &receiver.url).await;
    // Events so far, and how often each was sent.
    for (wait, sent) in [
        (Duration::ZERO, vec![2]),
        (Duration::from_secs(2), vec![2, 1]),
        (DAY * 7 - Duration::from_secs(60), vec![2, 1, 1]),
        (DAY * 7 + Duration::from_secs(60), vec![2, 1, 1, 2]),
    ] {
        world.clock.advance(wait);
        write(&world, &world.org).await;
        world.send_events().await;
        let mut log = log_of(&world, &path).await;
        log.reverse();
        let attempts: Vec<usize> = log.iter().map(|shown| shown.attempts.len()).collect();
        assert_eq!((&attempts, receiver.got().len()), (&sent, sent.iter().sum()));
        assert!(log.iter().all(|shown| shown.status == WebhookDeliveryStatus::Delivered));
        let [stopped, repeated] = &log[0].attempts[..] else { panic!("{log:?}") };
        assert!(stopped.error.as_deref().unwrap().contains("within 2 seconds"), "{stopped:?}");
        assert!(stopped.status_code.is_none() && stopped.duration_ms >= 2000, "{stopped:?}");
        assert_eq!(repeated.status_code, Some(200));
    }
}

/// 300 deliveries of one organization whose receivers respond after 14 s, and then 10 of another: the emulator's queue
/// returns them in this order, unlike the fair queues of AWS. So this shows the effect of the limit on invocations
/// without fair queues.
#[tokio::test]
async fn slow_receivers_of_one_organization_leave_room_for_another() {
    const HOOKS: usize = 10;
    const MANY: usize = 30 * HOOKS;
    const FEW: usize = 10;
    let slow = Duration::from_secs(14);
    let mut world = World::with_patience(delivery::DEADLINE * 4).await;
    let bound = std::env::var("SLOW_INVOCATIONS").ok().and_then(|bound| bound.parse().ok());
    world.deliverer.slow_invocations = bound.unwrap_or(INVOCATIONS / 2);
    let other = world.organization("Other").await;
    // Counts the posts that wait for an answer at the same time.
    let (waiting, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (seen_waiting, seen_most) = (waiting.clone(), most.clone());
    let busy = Receiver::start(Arc::new(move |_, _| {
        seen_most.fetch_max(seen_waiting.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let waiting = seen_waiting.clone();
        std::thread::spawn(move || {
            std::thread::sleep(slow);
            waiting.fetch_sub(1, Ordering::SeqCst);
        });
        (slow, plain(200, ""))
    }));
    let quiet = Receiver::start(Arc::new(|_, _| (Duration::ZERO, plain(200, ""))));
    for _ in 0..HOOKS {
        webhook(&world, &world.org, &busy.url).await;
    }
    webhook(&world, &other, &quiet.url).await;
    for (org, events, deliveries) in [(world.org.clone(), MANY / HOOKS, MANY), (other, FEW, FEW)] {
        for _ in 0..events {
            write(&world, &org).await;
        }
        world.dispatch().await;
        move_to_the_patient_lane(&world, deliveries).await;
    }
    let started = Instant::now();
    let invocations = futures_util::future::join_all((0..INVOCATIONS).map(|_| async {
        while quiet.count() < FEW {
            world.deliver_from(&world.account.patient_deliveries).await;
        }
    }));
    // The last invocations wait for their slow posts, so what matters is when the others' events arrived.
    tokio::time::timeout(slow * 20, invocations).await.unwrap();
    let mut waits: Vec<Duration> = quiet.got_undocumented().iter().map(|got| got.at.duration_since(started)).collect();
    waits.sort();
    let (median, last, most) = (waits[waits.len() / 2], waits[waits.len() - 1], most.load(Ordering::SeqCst));
    eprintln!("{FEW} beside {MANY}: median {median:?}, last {last:?}; at most {most} slow posts at once");
    // Behind the others, they would wait until all of those are posted.
    let before = busy.got_undocumented().iter().filter(|got| got.at.duration_since(started) <= last).count();
    assert!(before <= MANY * 3 / 4, "{before} before the last of {FEW}, after {last:?}");
    assert!(most <= INVOCATIONS / 2 * 10, "{most}");
}

/// Sends the waiting deliveries to the patient queue, as the deliver function does for receivers that are known to be slow.
async fn move_to_the_patient_lane(world: &World, count: usize) {
    let mut moved = 0;
    while moved < count {
        let bodies = world.take(&world.account.deliveries).await;
        let jobs = bodies.iter().map(|body| serde_json::from_str::<DeliveryJob>(body).unwrap());
        let jobs: Vec<DeliveryJob> = jobs.map(|job| DeliveryJob { lane: Lane::Patient, ..job }).collect();
        moved += jobs.len();
        world.deliverer.patient.send(&jobs).await.unwrap();
    }
}
