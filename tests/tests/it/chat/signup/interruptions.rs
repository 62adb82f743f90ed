//! Signups that stop, that meet each other, or that take long: each account has one profile and one token in the end.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use http::StatusCode;
use serde_json::json;
use tests::catalogue::{PROFILES, SIGNUP};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{connected, describe_token, events, first_number, secret, signup};
use crate::chat::{assert_fields, grant_token, profile_secrets, unless_stopped};

/// Checks that every stored token belongs to an existing profile.
async fn every_secret_is_a_profiles(world: &World) {
    let listed = world.admin(Call::get(format!("{PROFILES}?limit=100"))).await.expect(200);
    let profiles: Vec<String> =
        listed["data"].as_array().unwrap().iter().map(|profile| format!("profiles/{}", text(profile, "id"))).collect();
    for secret in profile_secrets(world).await {
        assert!(profiles.contains(&secret), "{secret} is nobody's");
    }
}

/// The process stops after each of its AWS calls in turn. A retry of the request always completes with one profile, one token
/// and one event. Only the moment between the platform's response and the storing of the token cannot be covered.
#[tokio::test]
async fn a_stop_after_any_step_is_made_good_by_the_same_request() {
    let world = World::new().await;
    let mut stops = 0;

    for step in 0.. {
        let account = format!("6{step:03}");
        world.platform.account(&account, &[(&format!("{account}1"), &format!("+1201556{step:04}"))]);

        if let Some(reply) = unless_stopped(&world, step, world.admin(signup(&account))).await {
            assert_eq!(reply.status, StatusCode::CREATED);
            break;
        }
        stops += 1;

        // Wait for the stopped request's lease, and stay within the hourly limit of attempts.
        world.clock.advance(Duration::from_secs(601));
        let resumed = world.admin(signup(&account)).await;
        let was_exchanged =
            world.platform.seen("oauth").iter().filter(|seen| seen.query["code"] == format!("code.{account}")).count();
        if was_exchanged == 2 {
            resumed.refused(422, Some("code"), Some("platform_api_error"));
            continue;
        }

        assert!([200, 201].contains(&resumed.status.as_u16()), "step {step}: {resumed:?}");
        let profile = resumed.json();
        let id = text(&profile, "id");
        assert_eq!(profile["phoneNumbers"].as_array().unwrap().len(), 1, "step {step}");
        assert_eq!(first_number(&world, &profile).await["cloudApiRegistered"], true, "step {step}");
        assert_eq!(secret(&world, &id).await["accessToken"], format!("token-{account}"));
        let announced = events(&world, "chat.account.connected").await;
        assert_eq!(announced.iter().filter(|data| data["id"] == profile["id"]).count(), 1, "step {step}");
    }

    assert!(stops > 10, "{stops} steps");
    every_secret_is_a_profiles(&world).await;
}

/// The same for an account that is already connected: the token moves to its profile, and no other copy remains.
#[tokio::test]
async fn a_stop_after_any_step_of_a_reconnect_is_made_good() {
    let world = World::new().await;
    let id = text(&connected(&world, "520").await, "id");
    let pin = text(&secret(&world, &id).await, "pin");
    let valid = json!({"is_valid": true, "expires_at": 0, "scopes": ["whatsapp_business_management"]});

    for step in 0.. {
        // Each code has its own token.
        grant_token(&world, &format!("token-520-{step}"), 1);
        describe_token(&world, &valid, 1);
        let again = || Call::post(SIGNUP).json(&json!({"code": format!("another {step}"), "wabaId": "520"}));
        let first = unless_stopped(&world, step, world.admin(again())).await;
        let is_whole = first.is_some();

        world.clock.advance(Duration::from_secs(601));
        let reply = match first {
            Some(reply) => reply,
            None => {
                world.platform.state().misbehave.retain(|(path, _, left)| path != "oauth" || *left > 0);
                describe_token(&world, &valid, 1);
                world.admin(again()).await
            }
        };
        world.platform.state().misbehave.clear();
        if reply.status == 422 {
            // The code was exchanged, but its token was lost.
            continue;
        }

        assert_eq!(text(&reply.expect(200), "id"), id, "step {step}");
        let expected = json!({"accessToken": format!("token-520-{step}"), "pin": pin});
        assert_fields(&secret(&world, &id).await, &expected);
        every_secret_is_a_profiles(&world).await;
        if is_whole {
            break;
        }
    }
}

/// Four concurrent signups create one profile and store one secret.
#[tokio::test]
async fn two_signups_of_one_account_at_once_make_one_profile() {
    let world = World::new().await;
    world.platform.account("509", &[("5091", "+12015550109")]);
    grant_token(&world, "token-509", 4);

    let calls = (0..4).map(|n| world.admin(Call::post(SIGNUP).json(&json!({"code": format!("code number {n}")}))));
    let replies = join_all(calls).await;

    let ids: BTreeSet<String> = replies.iter().map(|reply| text(&reply.json(), "id")).collect();
    assert_eq!(ids.len(), 1, "{replies:?}");
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    assert_eq!(profile_secrets(&world).await.len(), 1);
}

#[tokio::test]
async fn a_signup_under_way_is_held_by_its_lease() {
    let world = World::new().await;
    world.platform.account("510", &[]);
    let held = world.platform.hold("510/subscribed_apps");

    let (first, second) = tokio::join!(world.admin(signup("510")), async {
        held.arrived().await;
        let second = world.admin(signup("510")).await;
        held.end();
        second
    });
    first.expect(201);
    assert!(second.header("retry-after").is_some());
    second.refused(409, Some("code"), None);
    world.admin(signup("510")).await.expect(200);
}

/// Stops a signup after its token is stored and its account is found, while it waits for the platform.
async fn stop_while_subscribing(world: &World, account: &str) {
    world.platform.account(account, &[]);
    let held = world.platform.hold(&format!("{account}/subscribed_apps"));
    tokio::select! {
        reply = world.admin(signup(account)) => panic!("{reply:?}"),
        () = held.arrived() => {}
    }
}

#[tokio::test]
async fn the_lease_of_a_signup_that_stopped_ends_after_a_minute() {
    let world = World::new().await;
    stop_while_subscribing(&world, "534").await;

    world.clock.advance(Duration::from_secs(59));
    let held = world.admin(signup("534")).await;
    assert!(held.header("retry-after").is_some());
    held.refused(409, Some("code"), None);

    world.clock.advance(Duration::from_secs(2));
    world.admin(signup("534")).await.expect(201);
}

/// Codes can be used once; a retry within a day does not need a new one.
#[tokio::test]
async fn the_progress_of_a_signup_is_kept_for_a_day() {
    const HOUR: Duration = Duration::from_secs(3600);
    let world = World::new().await;
    stop_while_subscribing(&world, "535").await;
    stop_while_subscribing(&world, "536").await;

    world.clock.advance(23 * HOUR);
    world.sweep().await;
    let profile = world.admin(signup("535")).await.expect(201);
    assert_eq!(world.platform.seen("oauth").len(), 2, "one exchange each");
    assert_eq!(profile_secrets(&world).await.len(), 2);

    world.clock.advance(2 * HOUR);
    world.sweep().await;
    assert_eq!(profile_secrets(&world).await, [format!("profiles/{}", text(&profile, "id"))]);
}

/// These limits let the service respond before the gateway's timeout of 30 s.
#[test]
fn a_signup_and_its_calls_end_before_the_gateway_gives_up() {
    assert_eq!(chat::SIGNUP_BUDGET, Duration::from_secs(25));
    assert_eq!(platform::TimeLimits::default().call, Duration::from_secs(8));
}
