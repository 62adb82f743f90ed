//! Attempts whose outcome is not known yet, or never: nobody makes them again, and a late response or a status resolves them.

use serde_json::{Value, json};
use tests::chat::{Line, events};
use tests::standin::{Misbehave, error};

use super::scene::Scene;
use super::{DAY, UNRESOLVED, accepted, hello, seconds, unknown, valid_for};

#[tokio::test]
async fn the_sweep_leaves_a_message_alone_whose_attempt_is_under_way() {
    let scene = Scene::new("2607").await;
    let id = scene.stored(&valid_for(61)).await;

    let sweep = async {
        // Both the next queue message and the end would be due.
        scene.world.clock.advance(seconds(62));
        scene.world.sweep().await;
        assert!(!scene.world.send_queued().await, "it is not queued again");
        assert_eq!(scene.outcome(&id).await, "PENDING");
    };
    scene.during_attempt(&id, sweep).await;

    assert_eq!((scene.progress(&id).await, scene.requests()), (accepted(1), 1));
}

#[tokio::test]
async fn a_late_response_replaces_unknown() {
    let scene = Scene::new("2608").await;
    let id = scene.stored(&hello()).await;

    let sweep = async {
        scene.world.clock.advance(UNRESOLVED);
        scene.world.sweep().await;
        assert_eq!(scene.outcome(&id).await, "UNKNOWN");
    };
    scene.during_attempt(&id, sweep).await;

    assert_eq!((scene.progress(&id).await, scene.requests()), (accepted(1), 1));
}

#[tokio::test]
async fn an_unknown_outcome_is_never_tried_again() {
    let scene = Scene::new("2609").await;

    for how in [
        Misbehave::Status(500, "oops".to_owned()),
        Misbehave::Status(200, "{".to_owned()),
        Misbehave::Status(400, error(131_000, "something went wrong").to_string()),
        Misbehave::CutOff,
    ] {
        let id = scene.queued(&hello()).await;
        scene.world.platform.misbehave("/messages", how.clone(), 1);
        scene.work().await;
        assert_eq!(scene.outcome(&id).await, "UNKNOWN", "{how:?}");

        scene.later(UNRESOLVED).await;
        scene.later(DAY).await;
        assert_eq!(scene.progress(&id).await, unknown(1), "{how:?}");
    }
}

/// An update of the platform that says that the message was sent.
fn status(line: &Line, id: &str, platform_id: &str) -> Value {
    line.status(&json!({"id": platform_id, "status": "sent", "timestamp": "2000000000", "recipient_id": "16505551234",
        "biz_opaque_callback_data": format!("{}:{id}", line.org.id)}))
}

/// A status shows that the platform took the message, before or instead of the response.
#[tokio::test]
async fn a_status_resolves_an_attempt_before_and_after_its_outcome() {
    let scene = Scene::new("2652").await;

    // Before the response.
    let id = scene.stored(&hello()).await;
    let report = async {
        scene.world.notify(&status(&scene.line, &id, "wamid.sent.1")).await.expect(200);
        assert_eq!(scene.outcome(&id).await, "ACCEPTED");
    };
    scene.during_attempt(&id, report).await;
    assert_eq!(scene.progress(&id).await, accepted(1));

    // Instead of it.
    let id = scene.queued(&hello()).await;
    scene.world.platform.misbehave("/messages", Misbehave::CutOff, 1);
    scene.work().await;
    assert_eq!(scene.outcome(&id).await, "UNKNOWN");
    scene.world.notify(&status(&scene.line, &id, "wamid.other")).await.expect(200);
    assert_eq!(scene.progress(&id).await, accepted(1));

    assert_eq!(events(&scene.world, &scene.world.org, "messages.chat.sent").await.len(), 2);
    assert_eq!(scene.due().await, 0);
}

/// No attempt of a waiting message has begun, so a status that names it is not about it.
#[tokio::test]
async fn a_status_does_not_end_a_waiting_message() {
    let scene = Scene::new("2653").await;
    let id = scene.queued(&hello()).await;

    scene.world.notify(&status(&scene.line, &id, "wamid.forged")).await.expect(200);
    assert_eq!(scene.outcome(&id).await, "PENDING");

    scene.work().await;
    assert_eq!(scene.progress(&id).await, accepted(1));
}
