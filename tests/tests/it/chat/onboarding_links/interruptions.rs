//! Signups with a link that stop: the same request completes them, and meanwhile the link stays what it is.

use std::time::Duration;

use serde_json::json;
use tests::catalogue::{begun_onboarding, fresh_account, onboarding_link};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{LINKS, complete, connected, shown, token_of, with};
use crate::chat::unless_stopped;

/// Stops a completion after so many of its AWS calls. Returns whether it was stopped; otherwise it has completed the link.
async fn stopped(world: &World, call: Call, calls: u32) -> bool {
    let reply = unless_stopped(world, calls, world.send(call)).await;
    // The turn and the lease of a stopped request end.
    world.clock.advance(Duration::from_secs(61));
    reply.map(|reply| assert_eq!(reply.expect(200)["status"], "COMPLETED")).is_none()
}

/// The process stops after each of its AWS calls in turn; the same request always completes the link.
#[tokio::test]
async fn a_stop_after_any_step_is_made_good_by_the_same_request() {
    let world = World::new().await;
    let mut stops = 0;

    for step in 0.. {
        let (id, token) = onboarding_link(&world).await;
        let (cookie, state) = begun_onboarding(&world, &token).await;
        let code = format!("code.{}", fresh_account());
        let call = || complete(&token, &cookie, &code, &state);
        if !stopped(&world, call(), step).await {
            break;
        }
        stops += 1;

        let done = world.send(call()).await.expect(200);
        assert_eq!(done["status"], "COMPLETED", "step {step}");
        assert_eq!(shown(&world, &id).await["status"], "COMPLETED", "step {step}");
        world.clock.advance(Duration::from_secs(3600));
    }

    assert!(stops > 10, "{stops} steps");
}

/// After a stop at any step, a link is cancelled only if nothing of the account is connected, and does not expire while the
/// account may be half connected. The link is completed in the transaction that connects the account.
#[tokio::test]
async fn a_link_that_connects_an_account_is_neither_cancelled_nor_expired() {
    let world = World::new().await;
    let (mut outcomes, mut step) = (Vec::new(), 0);

    loop {
        let account = format!("81{step:02}");
        world.platform.account(&account, &[(&format!("{account}1"), &format!("+1201555{account}"))]);
        let made = world.admin(with(&json!({"test": false, "expiresIn": 900}))).await.expect(201);
        let (id, token) = (text(&made, "id"), token_of(&made));
        let (cookie, state) = begun_onboarding(&world, &token).await;
        let call = || complete(&token, &cookie, &format!("code.{account}"), &state);
        if !stopped(&world, call(), step).await {
            break;
        }

        let by_admin = Call::delete(format!("{LINKS}/{id}"));
        let by_customer = Call::post("/v1/onboarding/cancel").key(&token);
        let reply = if step % 2 == 0 { world.admin(by_admin).await } else { world.send(by_customer).await };
        let profile = connected(&world, &account).await;
        let is_connected = profile.as_ref().is_some_and(|profile| profile["onboardingCompletedAt"].is_string());

        if reply.status == 409 {
            assert!(!is_connected, "step {step}");
            let another = Call::put("/v1/onboarding/signup").key(&token);
            world.send(another).await.refused(409, Some("onboardingLinkId"), None);

            // Past the expiry of the link, the same request still completes it.
            world.clock.advance(Duration::from_secs(86_400 - 200));
            assert_eq!(shown(&world, &id).await["status"], "PENDING", "step {step}");
            if step % 2 == 0 {
                assert_eq!(world.send(call()).await.expect(200)["status"], "COMPLETED", "step {step}");
            } else {
                world.clock.advance(Duration::from_secs(400));
                let link = shown(&world, &id).await;
                assert_eq!((&link["status"], &link["error"]["code"]), (&json!("FAILED"), &json!("signup_failed")));
            }
            outcomes.push("refused");
        } else if reply.expect(200)["status"] == "COMPLETED" {
            assert!(is_connected, "step {step}");
            outcomes.push("completed");
        } else {
            assert!(profile.is_none(), "step {step}");
            world.send(call()).await.refused(409, Some("onboardingLinkId"), None);
            outcomes.push("cancelled");
        }

        world.clock.advance(Duration::from_secs(3600));
        step += 1;
    }

    outcomes.dedup();
    assert_eq!(outcomes, ["cancelled", "refused", "completed"], "{step} steps");
}
