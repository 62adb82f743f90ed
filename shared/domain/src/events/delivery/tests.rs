//! Tests of deliveries: the derived ids, the retry schedule and the records of attempts.

use super::*;

fn delivery() -> Delivery {
    let outbox = "evt_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    let app = "app_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    let webhook = "whk_0ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    Delivery::new(&outbox, EventName::MessagesSmsSent.into(), &app, &webhook, Timestamp::from_millis(0))
        .expect("a delivery")
}

fn failed(at: Timestamp, status: u16) -> Attempt {
    Attempt {
        attempted_at: at,
        status_code: Some(status),
        error: None,
        duration_ms: 1,
        response_body: None,
        header_names: Vec::new(),
        to_queue: false,
    }
}

#[test]
fn ids_depend_on_event_app_and_webhook_alone() {
    assert_eq!(delivery(), delivery());
    assert_ne!(delivery().event_id, delivery().outbox_id);
    let other = "whk_1ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    let same = delivery();
    let elsewhere = Delivery::new(&same.outbox_id, same.event_type.clone(), &same.app_id, &other, same.created_at);
    let elsewhere = elsewhere.expect("a delivery");
    assert_eq!(elsewhere.event_id, same.event_id);
    assert_ne!(elsewhere.id, same.id);
}

#[test]
fn an_event_is_found_by_the_id_that_an_app_sees() {
    let delivery = delivery();
    let (seen, app) = (&delivery.event_id, &delivery.app_id);
    assert_eq!(outbox_of_event(seen, app), delivery.outbox_id);
    assert_eq!(delivery_of_event(seen, &delivery.webhook_id), Some(delivery.id.clone()));
    let other = "app_1ujtsYcgvSTl8PAuAdqWYSMnLOv".parse().expect("an id");
    assert_ne!(event_of_app(&delivery.outbox_id, &other), *seen);
    assert_ne!(outbox_of_event(seen, &other), delivery.outbox_id);
}

#[test]
fn the_names_of_headers_are_bounded() {
    let names: Vec<String> = (0..20).map(|n| format!("{n:0100}")).collect();
    let attempt = failed(Timestamp::from_millis(0), 500).with_headers(&names);
    assert_eq!(attempt.header_names, names[..5]);
}

#[test]
fn ten_attempts_at_their_offsets_and_no_more() {
    for (jitter, factor) in [(0, 100), (500, 110), (1000, 120)] {
        let mut delivery = delivery();
        let mut now = delivery.created_at;
        let mut offsets = Vec::new();
        while let Some(at) = delivery.next_attempt_at {
            offsets.push((at.millis() - now.millis()) / 1000);
            now = at;
            delivery.note(failed(now, 500), None, jitter, now);
        }
        let minutes = |n: i64| n * 60;
        let plain = [
            0,
            5,
            minutes(5),
            minutes(30),
            minutes(120),
            minutes(300),
            minutes(600),
            minutes(840),
            minutes(1200),
            minutes(1440),
        ];
        let expected: Vec<i64> = plain.iter().map(|seconds| seconds * factor / 100).collect();
        assert_eq!((offsets, delivery.status), (expected, DeliveryStatus::Failed.into()));
        assert_eq!(delivery.attempts.len(), ATTEMPTS);
    }
}

#[test]
fn a_stopped_attempt_is_kept_and_does_not_count() {
    let mut delivery = delivery();
    let (now, revision) = (Timestamp::from_millis(9000), delivery.revision);
    let stopped = Attempt { status_code: None, error: Some("slow".to_owned()), ..failed(now, 0) };
    delivery.note_stopped(stopped.clone(), now);
    assert_eq!((delivery.round, delivery.revision, delivery.next_attempt_at), (0, revision + 1, Some(now)));
    assert_eq!((delivery.attempts.as_slice(), delivery.status), ([stopped].as_slice(), DeliveryStatus::Pending.into()));
}

#[test]
fn a_receiver_may_ask_for_more_time_but_not_for_less() {
    let now = Timestamp::from_millis(0);
    for (asked, expected) in [(1, 5), (60, 60), (10_000_000, 86_400)] {
        let mut delivery = delivery();
        delivery.note(failed(now, 503), Some(Duration::from_secs(asked)), 0, now);
        assert_eq!(delivery.next_attempt_at.map(|at| at.seconds()), Some(expected));
    }
    let mut gone = delivery();
    gone.note(failed(now, 410), None, 0, now);
    assert_eq!((gone.status.clone(), gone.next_attempt_at), (DeliveryStatus::Failed.into(), None));
    let mut redelivered = gone;
    redelivered.again(now);
    redelivered.note(failed(now, 204), None, 0, now);
    assert_eq!((redelivered.status, redelivered.attempts.len()), (DeliveryStatus::Delivered.into(), 2));
}
