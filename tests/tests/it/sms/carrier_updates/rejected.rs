//! Updates that are dropped because they are about nothing here, and updates that cannot be read.

use std::collections::HashMap;

use aws_sdk_sqs::types::MessageAttributeValue;
use domain::Mode;
use inbound::Reporter;
use runtime::Metric;
use serde_json::{Value, json};
use store::{MessageKind as _, StoredSms};
use tests::World;
use tests::topics::{Topic, inbound};

use super::{CARRIER_ID, Line, OWN, apply, counted, hear_all, receipt};

/// The update with other values of these fields.
fn with(mut whole: Value, changes: &Value) -> Value {
    whole.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    whole
}

/// A receipt counts only for the message that it is about, whoever has set its context.
#[tokio::test]
async fn receipts_of_others_are_dropped() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let line = Line::linked(&world, &world.org, OWN).await;
    let second = Line::linked(&world, &world.org, "+12065550151").await;
    let foreign = Line::linked(&world, &other, "+12065550152").await;
    let simulated = Line::new(&world, &world.org, "+12065550153", Mode::Test).await;
    let message = line.attempted(&world).await;
    line.respond(&world, &message, |message| message.accept(CARRIER_ID, world.now())).await;
    let (waiting, test) = (line.waiting(&world).await, simulated.attempted(&world).await);

    let right = receipt(&line, &message, "DELIVERED", 1);
    let context = |organization: &str, message: &StoredSms| json!({"context": {"organization": organization, "message": message.message.id}});
    let own = Reporter::Simulated(line.organization.clone());
    let others = Reporter::Simulated(foreign.organization.clone());

    let cases = [
        ("another organization", &Reporter::Live, with(right.clone(), &context(&other.id, &message))),
        (
            "an unknown organization",
            &Reporter::Live,
            with(right.clone(), &context("org_0ujtsYcgvSTl8PAuAdqWYSMnLOv", &message)),
        ),
        ("another sender", &Reporter::Live, with(right.clone(), &json!({"originationPhoneNumber": second.own}))),
        ("no sender's number", &Reporter::Live, with(right.clone(), &json!({"originationPhoneNumber": "MYSENDER"}))),
        ("another recipient", &Reporter::Live, with(right.clone(), &json!({"destinationPhoneNumber": "+12065550172"}))),
        ("another id", &Reporter::Live, with(right.clone(), &json!({"messageId": "carrier-2"}))),
        ("no context", &Reporter::Live, with(right.clone(), &json!({"context": {}}))),
        ("a context of others", &Reporter::Live, with(right.clone(), &json!({"context": {"message": "7"}}))),
        ("not sent yet", &Reporter::Live, receipt(&line, &waiting, "DELIVERED", 1)),
        ("a live message, simulated", &own, right.clone()),
        ("a test message, live", &Reporter::Live, receipt(&simulated, &test, "DELIVERED", 1)),
        ("a test message of others", &others, receipt(&simulated, &test, "DELIVERED", 1)),
    ];

    let before = world.account.items().await;
    let mut dropped = 0;
    for (why, reporter, update) in &cases {
        apply(&world, reporter, std::slice::from_ref(update)).await;
        // What a simulated carrier reports is no matter for the operator.
        dropped += u64::from(**reporter == Reporter::Live);
        assert_eq!(counted(&world, Metric::DroppedCarrierUpdates), dropped, "{why}");
        assert!(world.account.items().await == before, "{why}");
    }

    // The same receipts do count for what they are about.
    apply(&world, &Reporter::Live, &[right]).await;
    apply(&world, &own, &[receipt(&simulated, &test, "DELIVERED", 1)]).await;
    for (line, message) in [(&line, &message), (&simulated, &test)] {
        assert!(line.read(&world, message).await.message.delivered_at.is_some());
    }
    assert_eq!((counted(&world, Metric::DroppedCarrierUpdates), cases.len()), (dropped, 12));
}

/// Why each message is in this dead-letter queue.
async fn reasons(world: &World, queue: &str) -> Vec<String> {
    let call = world.account.sqs.receive_message().queue_url(queue).max_number_of_messages(10);
    let letters = call.message_attribute_names("All").send().await.unwrap().messages.unwrap_or_default();
    let reason =
        |attributes: &HashMap<String, MessageAttributeValue>| attributes["Reason"].string_value.clone().unwrap();
    letters.iter().map(|letter| reason(letter.message_attributes.as_ref().unwrap())).collect()
}

/// What can never be applied goes to the dead letters of the queue that it came from, at once and with the reason. The
/// others of the batch are applied.
#[tokio::test]
async fn an_unreadable_update_becomes_a_dead_letter_of_its_own_queue() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, OWN).await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    let message = line.attempted(&world).await;

    topic.publish_text("no JSON").await;
    topic.publish(&json!({"Type": "something else"})).await;
    topic.publish(&receipt(&line, &message, "DELIVERED", 1)).await;
    topic.publish(&inbound("12345", &line.own, "Your code", "in-1")).await;
    hear_all(&world).await;

    assert!(line.read(&world, &message).await.message.delivered_at.is_some());
    let mut reasons = reasons(&world, &world.account.carrier_dead_letters).await;
    reasons.sort();
    assert_eq!(
        reasons,
        [
            "a received SMS has no E.164 numbers",
            "an update of the carrier is neither a receipt nor a received message",
            "an update of the carrier is not JSON",
        ]
    );
    assert!(world.dead_letters().await.is_empty());

    // The same for the other queues: the source decides, not the kind of a job, which a malformed one does not have.
    let queues =
        [(&world.account.sends, &world.account.send_dead_letters), (&world.account.queue, &world.account.dead_letters)];
    for (queue, dead_letters) in queues {
        world.account.sqs.send_message().queue_url(queue).message_body("{}").send().await.unwrap();
        while world.work().await || world.send_queued().await {}
        assert_eq!(world.messages(dead_letters).await, ["{}"]);
    }
}
