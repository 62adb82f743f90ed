//! A table or a queue that is down: what cannot be queued or read is not lost, because the message is due in the table.

use aws_sdk_sqs::types::QueueAttributeName;
use runtime::Metric;
use tests::faults::{Fault, Outage};

use super::scene::Scene;
use super::{QUEUED_AGAIN, accepted, hello, pending, seconds};

#[tokio::test]
async fn an_outage_delays_messages_and_loses_none() {
    let scene = Scene::new("2640").await;
    let faults = &scene.world.faults;

    for outage in [Outage::Throttling, Outage::Failing] {
        let id = scene.queued(&hello()).await;
        faults.set(Fault::TableDown(outage));
        scene.world.send_queued().await;
        faults.clear();
        assert_eq!(scene.progress(&id).await, pending(0));

        scene.later(QUEUED_AGAIN).await;
        assert_eq!(scene.progress(&id).await, accepted(1));
    }

    // The queue takes nothing: neither the first message of a request nor the one with which a message comes back.
    faults.set(Fault::BucketSilent);
    let id = scene.queued(&hello()).await;
    faults.clear();
    assert!(!scene.world.send_queued().await, "nothing is in the queue");
    scene.later(QUEUED_AGAIN).await;
    assert_eq!(scene.progress(&id).await, accepted(1));

    scene.refuse(131_056, 1);
    let id = scene.stored(&hello()).await;
    faults.set(Fault::BucketSilent);
    assert_eq!(scene.perform([&id]).await, 0, "the sweep queues it");
    faults.clear();
    scene.later(seconds(90)).await;
    assert_eq!(scene.progress(&id).await, accepted(2));
}

/// While SQS takes no copy either, a queue message stays in its queue, and its message is due in the table.
#[tokio::test]
async fn a_queue_message_that_cannot_be_put_back_stays_in_its_queue() {
    let scene = Scene::new("2642").await;
    let id = scene.queued(&hello()).await;

    scene.world.faults.set(Fault::Throttled);
    assert!(scene.world.send_queued().await);
    scene.world.faults.clear();

    assert!(scene.world.metrics.json().iter().all(|line| line.get(Metric::PutBackMessages.name()).is_none()));
    assert_eq!(scene.queue_attribute(QueueAttributeName::ApproximateNumberOfMessagesNotVisible).await, "1");

    scene.later(QUEUED_AGAIN).await;
    assert_eq!(scene.progress(&id).await, accepted(1));
}
