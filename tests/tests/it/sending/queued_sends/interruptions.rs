//! Workers and requests that are stopped at any point.

use std::collections::BTreeMap;

use tests::Service as _;
use tests::request::text;

use super::scene::Scene;
use super::{DAY, Progress, QUEUED_AGAIN, UNRESOLVED, accepted, hello, unknown};

/// Whatever call a worker is stopped before: the message is sent once if the attempt had not begun, and is never sent
/// again if it had.
#[tokio::test]
async fn a_worker_that_is_stopped_anywhere_sends_once_at_most() {
    let scene = Scene::new("2605").await;
    let mut ends: BTreeMap<Progress, u32> = BTreeMap::new();

    for calls in 0.. {
        let id = scene.stored(&hello()).await;
        let is_whole = scene.stopped_after(calls, scene.perform([&id])).await.is_some();
        scene.later(QUEUED_AGAIN).await;
        scene.later(UNRESOLVED).await;

        let end = scene.progress(&id).await;
        *ends.entry(end.clone()).or_default() += 1;
        if is_whole {
            assert_eq!(end, accepted(1));
            break;
        }
    }

    let allowed = [accepted(1), unknown(0), unknown(1)];
    assert!(ends.keys().all(|end| allowed.contains(end)), "{ends:?}");
    assert!(ends[&accepted(1)] > 3 && ends[&unknown(1)] > 0, "{ends:?}");
    assert_eq!(scene.due().await, 0);
}

/// The same with a rate limit: the attempt is taken back in one write, so that no state in between can be left.
#[tokio::test]
async fn a_worker_that_is_stopped_anywhere_after_a_rate_limit_loses_nothing() {
    let scene = Scene::new("2606").await;
    let mut ends: BTreeMap<Progress, u32> = BTreeMap::new();

    for calls in 0.. {
        let id = scene.stored(&hello()).await;
        scene.refuse(130_429, 1);
        let is_whole = scene.stopped_after(calls, scene.perform([&id])).await.is_some();
        scene.world.platform.state().misbehave.clear();
        for _ in 0..3 {
            scene.later(UNRESOLVED).await;
        }

        *ends.entry(scene.progress(&id).await).or_default() += 1;
        if is_whole {
            break;
        }
        // The pause of the number is over and forgotten.
        scene.world.clock.advance(DAY);
    }

    // UNKNOWN: the worker was stopped between the platform's refusal and the write that takes the attempt back.
    let allowed = [accepted(1), accepted(2), unknown(0), unknown(1)];
    assert!(ends.keys().all(|end| allowed.contains(end)), "{ends:?}");
    assert!(ends[&accepted(2)] > 0 && ends[&unknown(1)] > 0, "{ends:?}");
}

/// Whatever call a request is stopped before: repeated with its key, it has queued one message, which is sent once.
#[tokio::test]
async fn a_request_that_is_stopped_anywhere_queues_one_message() {
    let scene = Scene::new("2650").await;
    let mut stored_before_stop = 0;

    for calls in 0.. {
        let request = scene.request(&hello()).header("idempotency-key", &format!("key-{calls}"));
        let before = scene.line.messages(&scene.world).await.len();
        let reply = scene.stopped_after(calls, scene.world.send(request.clone())).await;
        let is_whole = reply.is_some_and(|reply| reply.expect(202).is_object());

        let is_stored = scene.line.messages(&scene.world).await.len() > before;
        stored_before_stop += usize::from(!is_whole && is_stored);
        scene.later(QUEUED_AGAIN).await;

        let status = if is_stored { 200 } else { 202 };
        let repeated = scene.world.send(request.clone()).await.expect(status);
        scene.work().await;
        let id = text(&repeated, "id");
        assert_eq!(scene.world.send(request).await.expect(200)["id"], id.as_str());
        assert_eq!(scene.line.messages(&scene.world).await.len(), before + 1, "after {calls} calls");
        assert_eq!(scene.progress(&id).await, accepted(1), "after {calls} calls");
        if is_whole {
            break;
        }
    }

    assert!(stored_before_stop > 0, "a request was stopped between its transaction and its queue message");
}
