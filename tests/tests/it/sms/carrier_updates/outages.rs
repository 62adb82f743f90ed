//! Updates that arrive during an outage are applied afterwards.

use std::time::Duration;

use aws_sdk_sqs::types::QueueAttributeName;
use runtime::Metric;
use tests::World;
use tests::faults::{Fault, Outage};
use tests::topics::{Topic, inbound};

use super::{Line, OWN, RECIPIENT, counted, events, hear_all, receipt};

/// Neither an outage nor throttling uses up the tries of an update: its copy is in the carrier's queue.
#[tokio::test]
async fn an_outage_puts_updates_back() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, OWN).await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    let message = line.attempted(&world).await;
    topic.publish(&receipt(&line, &message, "DELIVERED", 1)).await;
    topic.publish(&inbound(RECIPIENT, &line.own, "Hello", "in-1")).await;

    world.faults.set(Fault::TableDown(Outage::Throttling));
    // More than the five tries of a message.
    for _ in 0..14 {
        while !world.hear_carrier().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    world.faults.clear();

    assert!(counted(&world, Metric::PutBackMessages) >= 14);
    assert!(!world.work().await, "nothing went to the queue of the jobs");
    hear_all(&world).await;
    assert!(line.read(&world, &message).await.message.delivered_at.is_some());
    assert_eq!(events(&world, &line.org).await["messages.sms.received"], 1);
    assert!(world.messages(&world.account.carrier_dead_letters).await.is_empty());
}

/// While SQS takes no copy either, an update stays in the carrier's queue.
#[tokio::test]
async fn an_update_that_cannot_be_put_back_stays_in_its_queue() {
    let world = World::new().await;
    let line = Line::linked(&world, &world.org, OWN).await;
    let topic = Topic::leading_to(&world.account.carrier).await;
    topic.publish(&inbound(RECIPIENT, &line.own, "Hello", "in-1")).await;

    world.faults.set(Fault::Throttled);
    assert!(world.hear_carrier().await);
    world.faults.clear();

    assert_eq!(counted(&world, Metric::PutBackMessages), 0);
    let call = world.account.sqs.get_queue_attributes().queue_url(&world.account.carrier);
    let call = call.attribute_names(QueueAttributeName::All).send().await.unwrap();
    let name = QueueAttributeName::ApproximateNumberOfMessagesNotVisible;
    assert_eq!(call.attributes.unwrap()[&name], "1");
    assert!(world.messages(&world.account.carrier_dead_letters).await.is_empty());
}
