//! Refusals for now: the number, the recipient or the message waits, and the message is sent afterwards.

use std::collections::BTreeMap;

use serde_json::json;
use tests::chat::events;
use tests::faults::Fault;

use super::scene::Scene;
use super::{ELSEWHERE, accepted, hello, pending, seconds, to};

/// Three limits pause the number: nobody sends from it until the pause is over.
#[tokio::test]
async fn a_rate_limit_of_the_number_pauses_it() {
    for (account, code, pause) in [("2610", 130_429, 10), ("2611", 4, 60), ("2612", 80_007, 60)] {
        let scene = Scene::new(account).await;
        scene.refuse(code, 1);
        let first = scene.stored(&hello()).await;
        scene.perform([&first]).await;
        let waits = scene.line.details(&scene.world, &first).await;
        assert_eq!((&waits["outcome"], waits.get("errorCode")), (&json!("PENDING"), None), "{code}");

        let second = scene.stored(&to(ELSEWHERE)).await;
        scene.world.clock.advance(seconds(pause - 2));
        scene.perform([&first, &second]).await;
        assert_eq!(scene.requests(), 1, "{code}: the number pauses");

        scene.later(seconds(2 + 2 * 60 + 10)).await;
        assert_eq!(scene.progress(&first).await, accepted(2), "{code}");
        assert_eq!(scene.progress(&second).await, accepted(1), "{code}");
        assert!(events(&scene.world, &scene.world.org, "messages.chat.failed").await.is_empty());
    }
}

#[tokio::test]
async fn a_limit_of_the_pair_delays_that_recipient_only() {
    let scene = Scene::new("2613").await;
    scene.refuse(131_056, 2);
    let first = scene.stored(&hello()).await;
    scene.perform([&first]).await;

    let (same, other) = (scene.stored(&hello()).await, scene.stored(&to(ELSEWHERE)).await);
    scene.world.clock.advance(seconds(4));
    let pace = pace_of(&scene).await;
    scene.perform([&same, &first]).await;
    assert_eq!((scene.requests_for(&first), scene.requests_for(&same)), (1, 0), "the recipient waits six seconds");
    assert_eq!(pace_of(&scene).await, pace, "a message that cannot be sent takes no slot");

    // Another recipient does not wait. Its attempt gets the second refusal, which delays it, and nobody else.
    scene.perform([&other]).await;
    assert_eq!(scene.requests_for(&other), 1);

    scene.world.clock.advance(seconds(8));
    scene.refuse(131_056, 1);
    scene.perform([&first]).await;
    assert_eq!(scene.requests_for(&first), 2);

    scene.world.clock.advance(seconds(22));
    scene.perform([&same, &first]).await;
    assert_eq!((scene.requests_for(&first), scene.requests_for(&same)), (2, 0), "now four times as long");

    scene.later(seconds(90)).await;
    scene.later(seconds(90)).await;
    for id in [first, same, other] {
        assert_eq!(scene.outcome(&id).await, "ACCEPTED");
    }
}

/// The items that count the slots of numbers.
async fn pace_of(scene: &Scene) -> Vec<BTreeMap<String, String>> {
    let items = scene.items().await.into_iter();
    items.filter(|item| item["PK"].starts_with("PACE#") && item.contains_key("taken")).collect()
}

/// The platform did certainly not take the message, and may take it later.
#[tokio::test]
async fn an_unavailable_platform_makes_messages_wait() {
    let scene = Scene::new("2614").await;

    for code in [131_057, 133_004] {
        scene.refuse(code, 1);
        let id = scene.queued(&hello()).await;
        scene.work().await;
        assert_eq!(scene.progress(&id).await, pending(1), "{code}");

        scene.later(seconds(80)).await;
        assert_eq!(scene.progress(&id).await, accepted(2), "{code}");
    }
}

/// Whatever call of its turn fails, a message that the platform refused for now waits, and is sent afterwards.
#[tokio::test]
async fn a_rate_limit_outlasts_a_failing_call() {
    let scene = Scene::new("2691").await;

    for calls in 0.. {
        let id = scene.stored(&to(&format!("+1650556{calls:04}"))).await;
        scene.refuse(131_056, 1);
        scene.world.faults.set(Fault::FailsAfter(calls));
        scene.perform([&id]).await;
        let is_over = scene.world.faults.is_set();
        scene.world.faults.clear();
        assert_eq!(scene.outcome(&id).await, "PENDING", "after {calls} calls");

        for _ in 0..3 {
            scene.later(seconds(90)).await;
        }
        assert_eq!(scene.progress(&id).await, accepted(2), "after {calls} calls");
        if is_over {
            assert!(calls > 8, "{calls} calls");
            return;
        }
    }
}
