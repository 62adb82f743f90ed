//! Disconnections that stop, that wait for the platform, or that meet each other.

use std::time::Duration;

use serde_json::json;
use tests::catalogue::PROFILES;
use tests::chat::connect;
use tests::standin::{Misbehave, error};
use tests::{Call, Service as _, World};

use super::{claims, disconnect, events_of, grant, profile, send, signup};
use crate::chat::{profile_secrets, unless_stopped};

/// The process stops after each of its AWS calls in turn. Meanwhile no other organization can connect the account; the same
/// request, or the sweep and its job, completes the disconnection.
#[tokio::test]
async fn a_stop_after_any_step_is_made_good_by_the_same_request_or_a_job() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    let mut stops = 0;

    for step in 0.. {
        let account = format!("73{step:03}");
        let line = connect(&world, &world.org, &account).await;
        let first = unless_stopped(&world, step, world.admin(disconnect(&line.profile))).await;
        let is_whole = first.is_some();

        if let Some(reply) = first {
            reply.expect(200);
        } else {
            stops += 1;
            let began = !events_of(&world, &line).await.is_empty();
            let is_released = claims(&world).await.iter().all(|(key, _)| !key.starts_with(&format!("WABA#{account}")));
            // Stay within the hourly limit of attempts to connect, and wait for the lease of the stopped request.
            world.clock.advance(Duration::from_secs(3601));
            if !is_released {
                grant(&world, &account);
                let taken = world.send(signup(&format!("taken.{account}"), &account).key(&other.admin)).await;
                taken.refused(409, Some("wabaId"), Some("resource_already_exists"));
            }
            if began && step % 2 == 0 {
                world.sweep().await;
                world.work_off().await;
            } else {
                world.admin(disconnect(&line.profile)).await.expect(200);
            }
        }

        assert!(claims(&world).await.iter().all(|(_, organization)| *organization == other.id), "step {step}");
        assert!(!profile_secrets(&world).await.contains(&format!("profiles/{}", line.profile)), "step {step}");
        assert_eq!(events_of(&world, &line).await.len(), 1, "step {step}");
        let ended = world.platform.seen(&format!("{account}/subscribed_apps"));
        assert!(ended.iter().any(|seen| seen.method == "DELETE"), "step {step}");
        assert!(world.account.items().await.iter().all(|item| item["SK"] != "DISC"), "step {step}");
        assert!(profile(&world, &line.profile).await["disconnectedAt"].is_string());

        world.clock.advance(Duration::from_secs(601));
        grant(&world, &account);
        let theirs = world.send(signup(&format!("theirs.{account}"), &account).key(&other.admin)).await.expect(201);
        assert_eq!(theirs["phoneNumbers"].as_array().unwrap().len(), 1, "step {step}");
        if is_whole {
            break;
        }
    }

    assert!(stops > 8, "{stops} steps");
}

/// The same for connecting an account again: it never has two owners, and always one token.
#[tokio::test]
async fn a_stop_after_any_step_of_connecting_again_is_made_good() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7205").await;
    let again = || Call::post(PROFILES).json(&json!({"accessToken": "token-7205", "wabaId": "7205"}));

    for step in 0.. {
        world.clock.advance(Duration::from_secs(601));
        world.admin(disconnect(&line.profile)).await.expect(200);

        let first = unless_stopped(&world, step, world.admin(again())).await;
        let is_whole = first.is_some();
        world.clock.advance(Duration::from_secs(601));
        let reply = match first {
            Some(reply) => reply,
            None => world.admin(again()).await,
        };

        let again = reply.expect(200);
        assert_eq!(again["id"], line.profile, "step {step}");
        assert_eq!(again["phoneNumbers"][0]["id"], line.number, "step {step}");
        assert_eq!(again["phoneNumbers"].as_array().unwrap().len(), 1, "step {step}");
        assert_eq!((claims(&world).await.len(), profile_secrets(&world).await.len()), (2, 1), "step {step}");
        world.send(send(&line)).await.expect(201);
        if is_whole {
            break;
        }
    }
}

/// A platform that fails stops the disconnection before anything is released; one that no longer accepts the token does not.
#[tokio::test]
async fn a_failing_platform_is_waited_for_and_a_dead_token_is_not() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7206").await;

    for (sent, fault, status) in [
        (500, error(2, "temporary"), 503),
        (500, error(1, "unknown"), 502),
        (500, error(80_007, "too many"), 429),
        // A rate limit whose code has no entry.
        (429, error(100, "too many"), 429),
    ] {
        world.platform.misbehave("7206/subscribed_apps", Misbehave::Status(sent, fault.to_string()), 1);
        let failed = world.admin(disconnect(&line.profile)).await;
        assert_eq!(failed.status, status, "{failed:?}");
        assert_eq!((claims(&world).await.len(), profile_secrets(&world).await.len()), (2, 1));
        world.send(send(&line)).await.refused(404, None, Some("chat_not_configured"));
    }

    // The account cannot be connected meanwhile, and the request says so.
    grant(&world, "7206");
    let early = world.admin(signup("early", "7206")).await;
    assert_eq!(early.header("retry-after"), Some("30"));
    early.refused(409, Some("wabaId"), None);

    world.clock.advance(Duration::from_secs(6 * 60));
    world.sweep().await;
    world.work_off().await;
    assert!(claims(&world).await.is_empty());
    let early = world.admin(signup("early", "7206")).await.expect(200);
    assert_eq!(early["id"], line.profile);

    let dead = error(190, "The token was revoked").to_string();
    world.platform.misbehave("7206/subscribed_apps", Misbehave::Status(401, dead), 1);
    world.admin(disconnect(&line.profile)).await.expect(200);
    assert!(claims(&world).await.is_empty());
}

/// A run that is late must not undo what came after it.
#[tokio::test]
async fn two_disconnections_at_once_wait_for_each_other() {
    let world = World::new().await;
    let line = connect(&world, &world.org, "7207").await;
    let held = world.platform.hold("7207/subscribed_apps");

    let (first, second) = tokio::join!(world.admin(disconnect(&line.profile)), async {
        held.arrived().await;
        let second = world.admin(disconnect(&line.profile)).await;
        held.end();
        second
    });

    first.expect(200);
    assert!(second.header("retry-after").is_some());
    second.refused(409, None, None);
    assert_eq!(world.platform.seen("7207/subscribed_apps").len(), 2);
}
