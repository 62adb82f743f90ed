//! Queue messages that are lost or come twice, and workers that run at the same time: one attempt is made.

use domain::id::ChatMessageId;
use serde_json::json;
use tests::chat::{connect, events};
use tests::faults::Fault;

use super::scene::Scene;
use super::{DAY, TO, accepted, fields, hello, job, pending, seconds};

#[tokio::test]
async fn a_queued_message_is_sent_once() {
    let scene = Scene::new("2601").await;
    let id = scene.queued(&hello()).await;
    assert_eq!((scene.progress(&id).await, scene.requests()), (pending(0), 0));

    scene.work().await;

    let sent = scene.line.details(&scene.world, &id).await;
    assert_eq!(
        fields(&sent, ["outcome", "providerMessageId"]),
        json!({"outcome": "ACCEPTED", "providerMessageId": "wamid.sent.1"})
    );
    let seen = scene.world.platform.seen("/messages");
    assert_eq!(seen.len(), 1);
    assert_eq!(
        fields(&seen[0].json(), ["to", "text", "biz_opaque_callback_data"]),
        json!({
            "to": TO, "text": {"body": "Hello"},
            "biz_opaque_callback_data": format!("{}:{id}", scene.line.org.id),
        })
    );
    assert_eq!(scene.due().await, 0);

    scene.later(DAY).await;
    assert_eq!(scene.requests(), 1);
    assert!(events(&scene.world, &scene.world.org, "messages.chat.failed").await.is_empty());
}

#[tokio::test]
async fn the_sweep_queues_a_message_whose_queue_message_was_lost() {
    let scene = Scene::new("2602").await;
    let id = scene.stored(&hello()).await;

    scene.later(seconds(58)).await;
    assert_eq!(scene.requests(), 0, "not before its time");

    scene.later(seconds(3)).await;
    assert_eq!((scene.progress(&id).await, scene.requests()), (accepted(1), 1));
}

/// SQS may deliver a message twice, and the sweep may queue one that waits in the queue.
#[tokio::test]
async fn a_queue_message_that_finds_an_attempt_changes_nothing() {
    let scene = Scene::new("2603").await;

    let id = scene.stored(&hello()).await;
    scene.perform([&id]).await;
    let before = scene.items().await;
    assert_eq!(scene.perform([&id, &id]).await, 0);
    assert_eq!(scene.items().await, before);

    // The same while the first attempt is under way.
    let id = scene.stored(&hello()).await;
    let second = async {
        assert_eq!(scene.requests_for(&id), 1, "the attempt is under way");
        let before = scene.items().await;
        assert_eq!(scene.perform([&id]).await, 0);
        assert_eq!(scene.items().await, before);
    };
    scene.during_attempt(&id, second).await;
    assert_eq!(scene.progress(&id).await, accepted(1));
}

#[tokio::test]
async fn of_concurrent_workers_one_makes_the_attempt() {
    let scene = Scene::new("2604").await;

    for _ in 0..5 {
        let id = scene.stored(&hello()).await;
        assert_eq!(scene.perform([&id; 8]).await, 0);
        assert_eq!(scene.progress(&id).await, accepted(1));
    }
}

/// A job that names another number than its message would take that number's slots. It can never be right.
#[tokio::test]
async fn a_job_names_the_number_of_its_message() {
    let scene = Scene::new("2633").await;
    let other = connect(&scene.world, &scene.world.org, "2634").await;
    let id = scene.stored(&hello()).await;

    let before = scene.items().await;
    scene.perform_jobs(&[job(&other, &id)]).await;
    assert_eq!((scene.requests_for(&id), scene.items().await), (0, before));
    let dead = scene.world.dead_letters().await;
    assert!(dead.len() == 1 && dead[0].contains(&id), "{dead:?}");

    scene.perform([&id]).await;
    assert_eq!(scene.progress(&id).await, accepted(1));
}

/// The SDK repeats a write whose response was lost. The repetition finds the attempt that it has written itself.
#[tokio::test]
async fn an_attempt_whose_record_was_confirmed_late_is_made() {
    let scene = Scene::new("2641").await;
    let id = scene.stored(&hello()).await;
    let org = scene.world.account.store().of(&scene.line.org.id.parse().unwrap());
    let message = org.message(&id.parse::<ChatMessageId>().unwrap()).await.unwrap().unwrap();

    scene.world.faults.set(Fault::UpdateAnswerLost);
    let begun = org.begin_attempt(&message, "a1".to_owned(), scene.world.now()).await.unwrap();

    assert_eq!(begun.unwrap().kept.attempt_id.as_deref(), Some("a1"));
    assert!(org.begin_attempt(&message, "a2".to_owned(), scene.world.now()).await.unwrap().is_none());
}
