//! Failures of the platform while the organization's accounts are disconnected.

use std::time::Duration;

use serde_json::json;
use tests::World;
use tests::standin::{Misbehave, error};

use super::{delete, endings, finish, furnish, left, secret_exists};

/// A failure of the platform delays the end of the deletion, and nothing but the account waits for it.
#[tokio::test]
async fn a_platform_that_fails_is_called_again() {
    let world = World::new().await;
    let line = furnish(&world, &world.org, "4305").await;
    take_down(&world, "4305", 1000);

    for minutes in [0, 1, 16] {
        world.clock.advance(Duration::from_secs(60 * minutes));
        let reply = world.operate(delete(&world, "acme")).await.unwrap();
        assert_eq!((&reply["status"], &reply["stillConnected"]), (&json!("RUNNING"), &json!(["4305"])), "{reply}");
    }

    let left = left(&world).await;
    let of_class = |class: &str| left.iter().filter(|key| key.starts_with(class)).count();
    assert!(of_class("WABA#") == 1 && of_class("WABP#") > 0 && of_class("DISC#") > 0, "{left:?}");
    for gone in ["MSG#", "SMS#", "APP#", "AKEY#", "MEDIA#", "GRP#"] {
        assert_eq!(of_class(gone), 0, "{gone}: {left:?}");
    }
    assert!(secret_exists(&world, &line).await);

    world.platform.state().misbehave.clear();
    let before = endings(&world, "4305").len();
    finish(&world).await;
    assert_eq!(endings(&world, "4305").len(), before + 1);
    assert_eq!(self::left(&world).await, Vec::<String>::new());
    assert!(!secret_exists(&world, &line).await);
}

#[tokio::test]
async fn a_platform_that_fails_for_a_day_does_not_keep_an_organization() {
    let world = World::new().await;
    let line = furnish(&world, &world.org, "4306").await;
    take_down(&world, "4306", 10_000);

    world.operate(delete(&world, "acme")).await.unwrap();

    world.clock.advance(Duration::from_secs(24 * 3600 - 60));
    let reply = world.operate(delete(&world, "acme")).await.unwrap();
    assert_eq!(reply["stillConnected"], json!(["4306"]));
    assert!(secret_exists(&world, &line).await);

    world.clock.advance(Duration::from_secs(120));
    let calls = endings(&world, "4306").len();
    let receipt = finish(&world).await;
    assert!(endings(&world, "4306").len() > calls && receipt.get("stillConnected").is_none(), "{receipt}");
    assert_eq!(left(&world).await, Vec::<String>::new());
    assert!(!secret_exists(&world, &line).await);
}

/// A token that the platform no longer accepts can end no subscription.
#[tokio::test]
async fn a_rejection_of_the_platform_delays_nothing() {
    let world = World::new().await;
    let line = furnish(&world, &world.org, "4307").await;
    let revoked = Misbehave::Status(400, error(190, "revoked").to_string());
    world.platform.misbehave("4307/subscribed_apps", revoked, 1000);

    let reply = world.operate(delete(&world, "acme")).await.unwrap();
    assert!(reply.get("stillConnected").is_none(), "{reply}");
    assert!(!secret_exists(&world, &line).await);

    finish(&world).await;
    assert_eq!(left(&world).await, Vec::<String>::new());
}

/// Lets the next requests about the subscription of the account fail.
fn take_down(world: &World, account: &str, times: u32) {
    let down = Misbehave::Status(500, error(2, "down").to_string());
    world.platform.misbehave(&format!("{account}/subscribed_apps"), down, times);
}
