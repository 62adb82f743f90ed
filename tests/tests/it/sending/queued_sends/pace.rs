//! How many messages a number sends a second, and the appointments of those that find no slot.

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_sqs::types::QueueAttributeName;
use serde_json::json;

use super::scene::Scene;
use super::{ELSEWHERE, hello, seconds, to};

/// Makes the business keep using its app. Then the number's pace is 20 messages a second.
async fn set_coexistence(scene: &Scene) {
    scene.change_profile("isCoexistence", AttributeValue::Bool(true)).await;
}

#[tokio::test]
async fn a_number_sends_as_many_messages_a_second_as_the_platform_accepts() {
    let scene = Scene::new("2630").await;
    let ids = scene.stored_for_each("+1650555", 82).await;

    scene.perform(&ids).await;

    assert_eq!(scene.requests(), 80);
}

/// Messages that found no slot come back at their appointments, before those that arrive later.
#[tokio::test]
async fn messages_with_an_appointment_come_before_new_ones() {
    let scene = Scene::new("2631").await;
    set_coexistence(&scene).await;
    let mut ids = scene.stored_for_each("+1650555", 51).await;
    let new = ids.pop().unwrap();

    scene.perform(&ids).await;
    assert_eq!(scene.requests(), 20);

    // The others have appointments in the next two seconds. The new message gets one after them, although there are slots.
    scene.world.clock.advance(seconds(1));
    scene.perform([&new]).await;
    assert_eq!(scene.requests(), 20);

    scene.world.clock.advance(seconds(3));
    ids.push(new);
    scene.perform(&ids).await;
    assert_eq!(scene.requests(), 40, "all appointments have come, and a second has 20 slots");

    // The rest comes back by its queue messages, whose delays are those of the queue.
    scene.world.clock.advance(seconds(3));
    tokio::time::sleep(seconds(3)).await;
    scene.work().await;
    assert_eq!(scene.requests(), 51);

    scene.later(seconds(200)).await;
    assert_eq!(scene.requests(), 51);
}

/// SQS may deliver a queue message twice, and the sweep may queue a message that waits in the queue: neither gives the
/// message another appointment.
#[tokio::test]
async fn a_message_with_an_appointment_gets_no_second_one() {
    let scene = Scene::new("2632").await;
    scene.refuse(130_429, 1);
    let first = scene.stored(&hello()).await;
    scene.perform([&first]).await;
    let second = scene.stored(&to(ELSEWHERE)).await;
    scene.perform([&second]).await;

    let before = scene.items().await;
    for _ in 0..3 {
        assert_eq!(scene.perform([&first, &second]).await, 0);
    }
    assert_eq!(scene.items().await, before);

    // Of concurrent first turns, one makes the appointment and queues the message.
    let third = scene.stored(&to("+16505551236")).await;
    scene.perform([&third; 4]).await;
    let delayed = scene.queue_attribute(QueueAttributeName::ApproximateNumberOfMessagesDelayed).await;
    assert_eq!(delayed, "3", "one queue message for each");

    scene.world.clock.advance(seconds(20));
    scene.perform([&first, &second, &third]).await;
    assert_eq!([&first, &second, &third].map(|id| scene.requests_for(id)), [2, 1, 1]);
}

/// What the number receives counts, too, and a number in the business app may send fewer messages.
#[tokio::test]
async fn received_messages_leave_fewer_slots_to_a_number() {
    let scene = Scene::new("2654").await;
    for n in 0..40 {
        let message = json!({"id": format!("wamid.in.{n}"), "type": "text", "text": {"body": "Hi"}});
        scene.world.notify(&scene.line.message(&message)).await.expect(200);
    }

    let ids = scene.stored_for_each("+1650555", 70).await;
    scene.world.clock.advance(seconds(1));
    scene.perform(&ids).await;
    // Forty messages in two seconds are twenty a second.
    assert_eq!(scene.requests(), 60);

    set_coexistence(&scene).await;
    scene.world.clock.advance(seconds(60));
    let ids = scene.stored_for_each("+1650556", 25).await;
    scene.perform(&ids).await;
    assert_eq!(scene.requests(), 80);
}
