//! Deletions that take several invocations, because they are large or interrupted.

use std::time::Duration;

use serde_json::json;
use tests::faults::Fault;
use tests::{Call, Service as _, World};

use super::{SETTLING, delete, finish, furnish, lasting, left, secret_exists};

#[tokio::test]
async fn a_deletion_is_finished_after_any_interruption() {
    let world = World::new().await;
    let other = world.organization("Other").await;
    furnish(&world, &other, "4304").await;
    let line = furnish(&world, &world.org, "4303").await;
    let untouched = lasting(&world, &other.id).await;

    let mut kills = 0;
    for step in (1..).step_by(7) {
        world.faults.set(Fault::StoppedAfter(step));
        let was_stopped = tokio::select! {
            _ = world.operate(delete(&world, "acme")) => false,
            () = world.faults.struck() => true,
        };
        world.faults.clear();
        if !was_stopped {
            break;
        }
        kills += 1;
        // The lease of a disconnection that was interrupted ends.
        world.clock.advance(Duration::from_secs(61));
    }
    assert!(kills > 5, "{kills} kills");

    world.clock.advance(SETTLING);
    // Clears what an interrupted deletion of an app has left.
    world.sweep().await;
    finish(&world).await;

    assert_eq!(left(&world).await, Vec::<String>::new());
    assert!(!secret_exists(&world, &line).await);
    assert_eq!(lasting(&world, &other.id).await, untouched);
}

/// However much there is, an invocation does a bounded part of it.
#[tokio::test]
async fn a_large_organization_takes_several_invocations() {
    let world = World::new().await;
    let apps = Call::post("/v1/organization/apps");
    for n in 0..45 {
        world.admin(apps.clone().json(&json!({"name": format!("App {n}")}))).await.expect(201);
    }

    world.faults.calls();
    let begun = world.operate(delete(&world, "acme")).await.unwrap();
    assert_eq!((&begun["status"], &begun["deleted"]["apps"]), (&json!("RUNNING"), &json!(47)));
    assert!(world.faults.calls().len() < 600);

    world.clock.advance(SETTLING);
    assert_eq!(finish(&world).await["status"], "DONE");
    assert_eq!(left(&world).await, Vec::<String>::new());
}
