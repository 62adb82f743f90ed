//! Requests about the registration and the PIN of a number that stop after any of their AWS calls. The same request,
//! sent again, completes the work, and the PIN that the number has is stored at every moment.

use std::time::Duration;

use serde_json::json;
use tests::chat::connect;
use tests::{Service as _, World};

use super::number_life::{DAYS, change_pin, kept, post, register, unverified, verify, with_two_step};
use super::unless_stopped;

/// After this time, the hold of a request that stopped has ended.
const HELD: Duration = Duration::from_secs(61);

#[tokio::test]
async fn a_change_of_the_pin_that_stops_is_completed_by_the_same_request() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4601").await;
    with_two_step(&world, &line);
    let at_platform = || world.platform.state().pins[&line.platform_number].clone();
    let mut stops = 0;

    for step in 0.. {
        let pin = format!("{:06}", 200_000 + step);
        let whole = unless_stopped(&world, step, world.admin(change_pin(&line.number, &pin))).await;
        let stored = kept(&world, &line).await;
        assert!(stored.contains(&at_platform()), "step {step}: {stored:?}");
        if let Some(reply) = whole {
            reply.expect(200);
            break;
        }
        stops += 1;

        world.clock.advance(HELD);
        world.admin(change_pin(&line.number, &pin)).await.expect(200);
        assert_eq!((kept(&world, &line).await, at_platform()), (vec![pin.clone()], pin), "step {step}");
    }
    assert!(stops > 5, "{stops} steps");
}

/// The owner of the number changes its PIN in the platform's tools, and tells it with each registration.
#[tokio::test]
async fn a_registration_that_stops_is_completed_by_the_same_request() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4602").await;
    let mut stops = 0;

    for step in 0.. {
        world.clock.advance(DAYS);
        let pin = format!("{:06}", 300_000 + step);
        world.platform.state().pins.insert(line.platform_number.clone(), pin.clone());
        let whole = unless_stopped(&world, step, world.admin(register(&line.number, &pin))).await;
        if let Some(reply) = whole {
            assert_eq!(reply.expect(200)["cloudApiRegistered"], true);
            break;
        }
        stops += 1;

        world.clock.advance(HELD);
        let registered = world.admin(register(&line.number, &pin)).await.expect(200);
        assert_eq!(registered["cloudApiRegistered"], true, "step {step}");
        assert_eq!(kept(&world, &line).await, [pin], "step {step}");
    }
    assert!(stops > 5, "{stops} steps");
}

/// A deregistration that has taken effect is not attempted again.
#[tokio::test]
async fn a_deregistration_that_stops_is_completed_by_the_same_request() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "4603").await;
    let mut stops = 0;

    for step in 0.. {
        world.clock.advance(DAYS);
        world.admin(post(&line.number, "register")).await.expect(200);
        let before = world.platform.seen("deregister").len();
        let whole = unless_stopped(&world, step, world.admin(post(&line.number, "deregister"))).await;
        let is_whole = whole.is_some();
        let reply = match whole {
            Some(reply) => reply,
            None => {
                world.clock.advance(HELD);
                world.admin(post(&line.number, "deregister")).await
            }
        };
        assert_eq!(reply.expect(200)["cloudApiRegistered"], false, "step {step}");
        assert_eq!(world.platform.seen("deregister").len() - before, 1, "step {step}");
        if is_whole {
            break;
        }
        stops += 1;
    }
    assert!(stops > 4, "{stops} steps");
}

/// A code can be used once. If it has verified the number, the same request succeeds nevertheless.
#[tokio::test]
async fn a_verification_that_stops_is_completed_by_the_same_request() {
    let world = World::new().await;
    let mut stops = 0;

    for step in 0.. {
        let (number, _) = unverified(&world, &format!("47{step:02}")).await;
        let code = json!({"codeMethod": "SMS", "language": "en_US"});
        world.admin(post(&number, "request-code").json(&code)).await.expect(200);
        let whole = unless_stopped(&world, step, world.admin(verify(&number, "123830"))).await;
        let is_whole = whole.is_some();
        let reply = match whole {
            Some(reply) => reply,
            None => world.admin(verify(&number, "123830")).await,
        };
        assert_eq!(reply.expect(200)["verified"], true, "step {step}");
        if is_whole {
            break;
        }
        stops += 1;
    }
    assert!(stops > 2, "{stops} steps");
}
