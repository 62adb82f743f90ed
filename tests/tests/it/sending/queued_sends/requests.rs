//! Requests that queue a message: what a repeated one returns, and a reply to another message.

use serde_json::{Value, json};
use tests::Service as _;
use tests::request::text;

use super::scene::Scene;
use super::{hello, seconds, valid_for};

/// A repeated request queues nothing, and returns what became of the message.
#[tokio::test]
async fn a_repeated_request_changes_nothing() {
    let scene = Scene::new("2651").await;
    let world = &scene.world;
    let keyed = |key: &str, message: &Value| scene.request(message).header("idempotency-key", key);

    // While it waits.
    let call = keyed("accepted", &hello());
    let id = text(&world.send(call.clone()).await.expect(202), "id");
    assert_eq!(world.send(call.clone()).await.expect(202)["id"], id.as_str());
    assert_eq!(world.take(&world.account.sends).await.len(), 1, "the first request's own");

    // While its attempt is under way.
    let repeat = async {
        assert_eq!(world.send(call.clone()).await.expect(202)["id"], id.as_str());
        assert_eq!(scene.requests(), 1);
    };
    scene.during_attempt(&id, repeat).await;

    // After each of its outcomes.
    assert_eq!(world.send(call).await.expect(200)["outcome"], "ACCEPTED");
    assert!(!world.send_queued().await);

    let call = keyed("expired", &valid_for(30));
    world.send(call.clone()).await.expect(202);
    scene.later(seconds(31)).await;
    assert_eq!(world.send(call).await.expect(200)["outcome"], "EXPIRED");

    let call = keyed("refused", &hello());
    let id = text(&world.send(call.clone()).await.expect(202), "id");
    scene.refuse(131_047, 1);
    scene.work().await;
    let refused = world.send(call).await;
    assert_eq!(refused.headers["x-message-id"], id.as_str());
    refused.refused(422, None, Some("conversation_window_expired"));
    assert_eq!(scene.requests(), 2);
}

/// A reply names a message by our id; at its turn it gets the platform's.
#[tokio::test]
async fn a_queued_reply_names_its_message_at_its_turn() {
    let scene = Scene::new("2790").await;
    let inbound = json!({"id": "wamid.in.1", "type": "text", "text": {"body": "Hi"}});
    scene.world.notify(&scene.line.message(&inbound)).await.expect(200);
    let original = text(&scene.line.messages(&scene.world).await[0], "id");
    let mut reply = hello();
    reply["replyTo"] = json!(original);

    let id = scene.stored(&reply).await;
    assert_eq!(scene.perform([&id]).await, 0);

    assert_eq!(scene.outcome(&id).await, "ACCEPTED");
    let seen = scene.world.platform.seen(&format!("{}/messages", scene.line.platform_number));
    assert_eq!(seen[0].json()["context"]["message_id"], "wamid.in.1");
}
