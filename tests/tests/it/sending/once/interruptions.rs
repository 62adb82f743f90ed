//! Functions that are stopped, and a table that fails, at any point.

use std::collections::BTreeMap;

use tests::chat::connect;
use tests::faults::Fault;
use tests::{Service as _, World};

use super::{UNRESOLVED, keyed, outcome_of, path, posts, send};

/// The function is stopped before each of its calls to AWS, and while the platform has the request.
#[tokio::test]
async fn a_stopped_function_sends_at_most_once_and_the_outcome_is_right() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2750").await;
    let mut outcomes = BTreeMap::<String, usize>::new();
    let (mut steps, mut stops) = (0, 0);

    loop {
        let posts_before = posts(&world, &line);
        let key = format!("stop-{steps}");
        let call = || send(&line).header("idempotency-key", &key);

        world.faults.set(Fault::StoppedAfter(steps));
        let stopped = tokio::select! {
            _ = world.send(call()) => false,
            () = world.faults.struck() => true,
        };
        world.faults.clear();
        if !stopped {
            break;
        }

        (steps, stops) = (steps + 1, stops + 1);

        // The caller repeats the request at once, and after the sweep.
        let at_once = world.send(call()).await;
        assert!(matches!(at_once.status.as_u16(), 200..=202), "{at_once:?}");
        world.clock.advance(UNRESOLVED);
        world.sweep().await;
        let later = world.send(call()).await;
        assert!(matches!(later.status.as_u16(), 200 | 202), "{later:?}");

        let sent = posts(&world, &line) - posts_before;
        assert!(sent <= 1, "step {steps}: {sent} requests");

        // Without a request there is no accepted message, and what was requested without an outcome is unknown.
        let outcome = outcome_of(&later);
        assert!(outcome == "UNKNOWN" || (outcome == "ACCEPTED" && sent == 1), "step {steps}: {outcome}");
        *outcomes.entry(outcome).or_default() += 1;
    }

    assert!(stops >= 5, "{stops}");
    assert!(outcomes.len() == 2, "{outcomes:?}");

    // Stopped while the platform has the request.
    let held = world.platform.hold(&path(&line));
    let before = posts(&world, &line);
    tokio::select! {
        _ = world.send(keyed(&line)) => panic!("it did not wait"),
        () = held.arrived() => held.end(),
    }

    assert_eq!(outcome_of(&world.send(keyed(&line)).await), "PENDING");

    world.clock.advance(UNRESOLVED);
    world.sweep().await;
    let unknown = world.send(keyed(&line)).await;
    assert_eq!((unknown.status.as_u16(), outcome_of(&unknown).as_str()), (202, "UNKNOWN"));
    assert_eq!(posts(&world, &line), before + 1);
}

/// The response of the table to the outcome is lost, or the table is down after the call: the caller is never told that
/// the message was not sent.
#[tokio::test]
async fn a_table_that_fails_after_the_call_makes_no_error() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "2760").await;
    world.send(send(&line)).await.expect(201);

    let held = world.platform.hold(&path(&line));
    let before = posts(&world, &line);
    let (reply, ()) = tokio::join!(world.send(keyed(&line)), async {
        held.arrived().await;
        world.faults.set(Fault::TimedOut);
        held.end();
    });
    world.faults.clear();

    assert_eq!((reply.status.as_u16(), outcome_of(&reply).as_str()), (202, "PENDING"), "{reply:?}");

    world.clock.advance(UNRESOLVED);
    world.sweep().await;
    assert_eq!(outcome_of(&world.send(keyed(&line)).await), "UNKNOWN");
    assert_eq!(posts(&world, &line), before + 1);
}
