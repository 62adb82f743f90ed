//! Queued messages.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tests::carrier::Sent;
use tests::faults::Fault;
use tests::request::text;
use tests::sms::linked_number;
use tests::{Call, Service as _, World};

use super::{NUMBER, TO, denied, refuse, send, sent_count, stored};

#[tokio::test]
async fn a_queued_message_is_sent_at_its_turn_or_ends() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let queue = |to: &str| json!({"from": id, "to": to, "text": "Hello", "queue": true, "validForSeconds": 60});

    let first = world.send(send(&world, &queue(TO))).await.expect(202);
    assert_eq!((&first["outcome"], &first["status"]), (&json!("PENDING"), &json!("QUEUED")));
    assert_eq!(sent_count(&world), 0);

    while world.send_queued().await {}
    let shown = async |id: &Value| stored(&world, id.as_str().unwrap()).await;
    assert_eq!(shown(&first["id"]).await["outcome"], "ACCEPTED");
    assert_eq!(sent_count(&world), 1);

    // One message a second: the second one gets an appointment, and expires before the sweep looks at it again.
    let second = world.send(send(&world, &queue(TO))).await.expect(202);
    while world.send_queued().await {}
    assert_eq!(shown(&second["id"]).await["outcome"], "PENDING");
    world.clock.advance(Duration::from_secs(61));
    world.sweep().await;
    assert_eq!(shown(&second["id"]).await["outcome"], "EXPIRED");

    // What was checked when it was queued no longer holds at its turn.
    let third = world.send(send(&world, &queue(TO))).await.expect(202);
    let path = format!("/v1/organization/apps/{}/phone-numbers/{id}", world.org.app);
    world.admin(Call::delete(path)).await.expect(200);
    while world.send_queued().await {}

    let refused = shown(&third["id"]).await;
    assert_eq!((&refused["outcome"], &refused["errorCode"]), (&json!("REFUSED"), &json!("phone_number_not_assigned")));
    assert_eq!(sent_count(&world), 1);
}

/// What certainly was not sent waits: after a rate limit, without credentials, and without a carrier.
#[tokio::test]
async fn a_queued_message_waits_while_the_carrier_takes_none() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let body = json!({"from": id, "to": TO, "text": "Hello", "queue": true});

    for (case, fault) in [("throttled", refuse("ThrottlingException", "")), ("denied", denied())] {
        world.clock.advance(Duration::from_secs(600));
        world.carrier_account.state().sends.clear();
        world.carrier_account.state().faults = vec![fault];

        let message = text(&world.send(send(&world, &body)).await.expect(202), "id");
        let outcome = async || text(&stored(&world, &message).await, "outcome");
        while world.send_queued().await {}
        assert_eq!((outcome().await.as_str(), sent_count(&world)), ("PENDING", 1), "{case}");

        world.clock.advance(Duration::from_secs(600));
        world.sweep().await;
        while world.send_queued().await {}
        assert_eq!((outcome().await.as_str(), sent_count(&world)), ("ACCEPTED", 2), "{case}");
    }
}

/// Whatever call a worker is stopped before: the message is sent once if its attempt had not begun, and is never sent
/// again if it had.
#[tokio::test]
async fn a_worker_that_is_stopped_anywhere_sends_once_at_most() {
    let world = World::new().await;
    let id = linked_number(&world, NUMBER).await;
    let body = json!({"from": id, "to": TO, "text": "Hello", "queue": true});
    let mut ends: BTreeMap<(String, usize), u32> = BTreeMap::new();

    for step in 0.. {
        let message = text(&world.send(send(&world, &body)).await.expect(202), "id");
        world.faults.set(Fault::StoppedAfter(step));
        let is_whole = tokio::select! {
            _ = world.send_queued() => true,
            () = world.faults.struck() => false,
        };
        world.faults.clear();

        // The sweep queues what it finds due, and gives up an attempt without an outcome.
        for _ in 0..2 {
            world.clock.advance(Duration::from_secs(121));
            world.sweep().await;
            while world.send_queued().await {}
        }

        let shown = stored(&world, &message).await;
        let is_of_message = |sent: &&Sent| sent.input["Context"]["message"] == message.as_str();
        let sends = world.carrier_account.state().sends.iter().filter(is_of_message).count();
        let end = (text(&shown, "outcome"), sends);
        *ends.entry(end.clone()).or_default() += 1;
        if is_whole {
            assert_eq!(end, ("ACCEPTED".to_owned(), 1));
            break;
        }
    }

    let allowed = [("ACCEPTED", 1), ("UNKNOWN", 0), ("UNKNOWN", 1)];
    assert!(ends.keys().all(|(outcome, sends)| allowed.contains(&(outcome.as_str(), *sends))), "{ends:?}");
    assert!(ends[&("ACCEPTED".to_owned(), 1)] > 3 && ends[&("UNKNOWN".to_owned(), 1)] > 0, "{ends:?}");
}
