//! What is left of test apps and of uploads is cleared by the sweep.

use std::time::Duration;

use serde_json::json;
use tests::catalogue::uploaded;
use tests::faults::Fault;
use tests::{Call, Service as _, World};

use super::APPS;

/// The number of items whose partition begins like this.
async fn count(world: &World, class: &str) -> usize {
    world.account.items().await.iter().filter(|item| item["PK"].starts_with(class)).count()
}

/// Whether no app has any of the chat numbers.
async fn numbers_have_no_apps(world: &World) -> bool {
    let numbers = world.admin(Call::get("/v1/organization/chat/phone-numbers")).await.expect(200);
    numbers["data"].as_array().unwrap().iter().all(|number| number["apps"] == json!([]))
}

#[tokio::test]
async fn a_deleted_test_app_takes_its_numbers_with_it() {
    let world = World::new().await;
    world.admin(Call::delete(format!("{APPS}/{}", world.org.test_app))).await.expect(200);
    assert!(numbers_have_no_apps(&world).await);
    assert_eq!(count(&world, "WAPN#").await, 0);
    assert_eq!(count(&world, "PGNUM#").await, 3, "no number is given out again");
}

/// The sweep cleans up after an interrupted deletion, and retries if it fails.
#[tokio::test]
async fn the_remains_of_a_test_app_are_cleared_in_the_end() {
    let world = World::new().await;
    let app = format!("{APPS}/{}", world.org.test_app);
    let hook = json!({"url": "https://example.com", "events": ["chat.account.connected"]});
    world.admin(Call::post(format!("{app}/webhooks")).json(&hook)).await.expect(201);

    for step in 3.. {
        world.faults.set(Fault::StoppedAfter(step));
        tokio::select! {
            reply = world.admin(Call::delete(&app)) => panic!("{reply:?} before it was stopped"),
            () = world.faults.struck() => {}
        }
        world.faults.clear();
        if count(&world, "GONE#").await == 1 {
            break;
        }
    }

    world.clock.advance(Duration::from_secs(60));
    world.faults.set(Fault::Conflicting);
    world.index_caught_up().await;
    assert_eq!(world.sweep_once().await.failed, 1);
    world.faults.clear();

    world.clock.advance(Duration::from_secs(301));
    assert_eq!(world.sweep().await.failed, 0);
    assert_eq!(count(&world, "GONE#").await, 0);
    assert!(numbers_have_no_apps(&world).await);
}

#[tokio::test]
async fn media_stay_due_while_the_bucket_is_silent() {
    let world = World::new().await;
    uploaded(&world).await;

    world.clock.advance(Duration::from_secs(21 * 60));
    world.faults.set(Fault::BucketSilent);
    world.index_caught_up().await;
    assert_eq!(world.sweep_once().await.failed, 1);

    world.faults.clear();
    world.clock.advance(Duration::from_secs(301));
    assert_eq!(world.sweep().await.failed, 0);
    assert_eq!((count(&world, "MEDIA#").await, world.account.objects().await.len()), (0, 0));
}
