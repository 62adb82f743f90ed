//! Receivers that fail: when they are tried again, and when their webhook is disabled.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use messaging_client::types::WebhookDeliveryStatus;
use serde_json::json;
use tests::receiver::{Got, plain, status};
use tests::request::text;
use tests::{Call, Service as _};

use super::{advance_to, attempt, stored, subscribed, write};
use crate::events::log_of;

#[tokio::test]
async fn a_dead_receiver_gets_ten_attempts_at_their_offsets() {
    let (world, receiver, path) = subscribed(status(503)).await;
    write(&world).await;
    world.dispatch().await;

    let offsets = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    let mut last = world.now();
    for (n, offset) in offsets.into_iter().enumerate() {
        let delivery = stored(&world, &path).await;
        let at = delivery.next_attempt_at.unwrap();
        let waited = (at.millis() - last.millis()) as f64 / 1000.0;
        assert!((offset as f64..=offset as f64 * 1.2 + 0.001).contains(&waited), "attempt {n} after {waited} s");

        advance_to(&world, at);
        last = world.now();
        attempt(&world, &delivery).await;

        // A duplicate message does not cause another attempt.
        attempt(&world, &delivery).await;
        assert_eq!(receiver.got().len(), n + 1);
    }

    let log = log_of(&world, &path).await;
    assert_eq!((&log[0].status, log[0].attempts.len()), (&WebhookDeliveryStatus::Failed, 10));
    assert_eq!(log[0].attempts[9].response_body.as_deref(), Some("said"));
    assert_eq!(receiver.ids().len(), 1);
    assert!(world.messages(&world.account.delivery_dead_letters).await.is_empty());

    // A redelivery starts the schedule again, with the same id.
    let again = format!("{path}/deliveries/{}/redeliver", log[0].id);
    assert_eq!(world.admin(Call::post(&again)).await.expect(202)["status"], "PENDING");
    world.admin(Call::post(&again)).await.expect(202);
    attempt(&world, &stored(&world, &path).await).await;
    assert_eq!((receiver.got().len(), receiver.ids().len()), (11, 1));
}

/// A receiver may request a longer delay than the schedule has.
#[tokio::test]
async fn a_receiver_says_when_it_can_be_asked_again() {
    let busy = b"HTTP/1.1 503 Busy\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n".to_vec();
    let answer = Arc::new(move |_: usize, _: &Got| (Duration::ZERO, busy.clone()));
    let (world, _receiver, path) = subscribed(answer).await;

    write(&world).await;
    world.send_events().await;

    let asked = world.now().plus(Duration::from_secs(60));
    assert_eq!(stored(&world, &path).await.next_attempt_at, Some(asked));
}

#[tokio::test]
async fn a_gone_receiver_is_disabled_and_its_deliveries_skipped() {
    let (world, receiver, path) = subscribed(status(410)).await;
    write(&world).await;
    world.send_events().await;

    let shown = world.admin(Call::get(&path)).await.expect(200);
    assert_eq!(shown["disabledReason"], "The receiver responded with 410 Gone.");
    let disabled = world.attention().await;
    assert_eq!((disabled.len(), &disabled[0]["kind"]), (1, &json!("WEBHOOK_DISABLED")));
    assert_eq!((&disabled[0]["message"], &disabled[0]["since"]), (&shown["disabledReason"], &shown["disabledAt"]));

    write(&world).await;
    world.send_events().await;
    let statuses: BTreeSet<_> = log_of(&world, &path).await.into_iter().map(|shown| shown.status).collect();
    assert_eq!(statuses, [WebhookDeliveryStatus::Failed, WebhookDeliveryStatus::Skipped].into());
    assert_eq!(receiver.got().len(), 1);

    let skipped = world.admin(Call::get(format!("{path}/deliveries?status=SKIPPED"))).await.expect(200);
    let id = text(&skipped["data"][0], "id");
    world.admin(Call::post(format!("{path}/deliveries/{id}/redeliver"))).await.refused(409, Some("webhookId"), None);

    // Any change enables the webhook again, and skipped deliveries can be redelivered.
    world.admin(Call::put(&path).json(&json!({"headers": {}}))).await.expect(200);
    assert_eq!(world.needs().await, []);
    world.admin(Call::post(format!("{path}/deliveries/{id}/redeliver"))).await.expect(202);
    while world.deliver().await {}
    assert_eq!(receiver.got().len(), 2);

    world.admin(Call::get(format!("{path}/deliveries?status=NEVER"))).await.refused(400, Some("status"), None);
}

/// After five consecutive failures, one delivery per minute is attempted and the others wait until an attempt succeeds.
#[tokio::test]
async fn new_deliveries_wait_for_a_receiver_that_is_down() {
    let is_up = Arc::new(AtomicBool::new(false));
    let up = is_up.clone();
    let answer =
        move |_: usize, _: &Got| (Duration::ZERO, plain(if up.load(Ordering::SeqCst) { 200 } else { 500 }, ""));
    let (world, receiver, path) = subscribed(Arc::new(answer)).await;

    let began = world.now();
    for _ in 0..5 {
        assert_eq!(world.needs().await, []);
        write(&world).await;
        world.dispatch().await;
        world.deliver().await;
    }
    assert_eq!(receiver.got().len(), 5);
    let failing = world.attention().await;
    assert_eq!((&failing[0]["kind"], &failing[0]["since"]), (&json!("WEBHOOK_FAILING"), &json!(began)));
    world.expect_complete_attention().await;

    for _ in 0..20 {
        write(&world).await;
    }
    world.dispatch().await;
    for _ in 0..4 {
        world.deliver().await;
    }
    assert_eq!(receiver.got().len(), 6, "one of twenty has tried");

    is_up.store(true, Ordering::SeqCst);
    for _ in 0..40 {
        world.clock.advance(Duration::from_secs(400));
        world.sweep().await;
        while world.deliver().await {}
        let log = log_of(&world, &path).await;
        if log.iter().all(|shown| shown.status == WebhookDeliveryStatus::Delivered) {
            assert_eq!(receiver.ids().len(), 25);
            assert_eq!(world.needs().await, []);
            return;
        }
    }

    panic!("not all were delivered: {:?}", log_of(&world, &path).await);
}

#[tokio::test]
async fn a_receiver_that_is_down_is_tried_once_a_minute() {
    let (world, receiver, path) = subscribed(status(500)).await;

    // Attempt only the newest delivery; retries of the older ones are not counted here.
    let heard_after = async |seconds: u64| {
        world.clock.advance(Duration::from_secs(seconds));
        write(&world).await;
        world.dispatch().await;
        attempt(&world, &stored(&world, &path).await).await;
        receiver.got().len()
    };

    for n in 1..=6 {
        assert_eq!(heard_after(1).await, n);
    }

    for (seconds, heard) in [(1, 6), (58, 6), (1, 7), (59, 7), (1, 8)] {
        assert_eq!(heard_after(seconds).await, heard);
    }
}

#[tokio::test]
async fn a_hopeless_receiver_is_disabled() {
    let (world, _receiver, path) = subscribed(status(500)).await;

    for n in 0..20 {
        let test = world.admin(Call::post(format!("{path}/test"))).await.expect(202);
        assert_eq!(test["eventType"], "messages.sms.received");

        if n == 18 {
            world.clock.advance(Duration::from_secs(5 * 86_400));
        }
        world.clock.advance(Duration::from_secs(61));
        attempt(&world, &stored(&world, &path).await).await;

        let shown = world.admin(Call::get(&path)).await.expect(200);
        assert_eq!(shown.get("disabledAt").is_some(), n == 19, "after {} failures", n + 1);
    }
}
