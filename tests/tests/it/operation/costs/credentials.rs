//! What requests with forged and with deleted keys cost.

use std::time::Duration;

use domain::id::OrganizationId;
use ring::rand::SystemRandom;
use serde_json::json;
use tests::catalogue::{Case, cases};
use tests::faults::Fault;
use tests::request::text;
use tests::{Call, Service as _, World};

/// A forged key causes the same single read for every operation, whether its organization has everything or does not exist.
#[tokio::test]
async fn the_cost_of_a_forged_key_does_not_depend_on_stored_objects() {
    let world = World::new().await;
    let cases = cases(&world).await;
    let nobody = OrganizationId::mint(world.now(), &SystemRandom::new()).to_string();
    let forged = async |case: &Case, organization: &str| {
        let send = world.send_without_worker(case.call.clone().key(&case.forged_key(organization)));
        let (reply, cost) = world.faults.meter.of(send).await;
        reply.clone().unauthenticated("Invalid API key");
        (cost, reply.text)
    };

    for case in &cases {
        let much = forged(case, &world.org.id).await;
        assert_eq!(much, forged(case, &nobody).await, "{case:?}");
        let (cost, _) = much;
        assert_eq!((cost.calls, cost.depth), (vec!["GetItem".to_owned()], 1), "{case:?}");
        assert_eq!((cost.read_units, cost.items_read, cost.bytes_read), (1.0, 0, 0), "{case:?}");
    }

    // The response waits for this read alone: with this fault, a second call would never end.
    for case in &cases {
        world.faults.set(Fault::StoppedAfter(1));
        let reply = tokio::time::timeout(Duration::from_secs(10), forged(case, &world.org.id)).await;
        world.faults.clear();
        assert!(reply.is_ok(), "{case:?}");
    }
}

/// A key that was deleted is remembered for one more request at most.
#[tokio::test]
async fn a_revoked_key_costs_as_little_as_a_forged_one() {
    let world = World::new().await;
    let made = world.admin(Call::post("/v1/organization/admin-keys").json(&json!({"name": "short-lived"}))).await;
    let made = made.expect(201);
    let key = text(&made, "key");

    let read = async || {
        let get = world.send(Call::get("/v1/organization/settings").key(&key));
        let (reply, cost) = world.faults.meter.of(get).await;
        (reply.status.as_u16(), cost)
    };

    let (status, first) = read().await;
    assert_eq!((status, first.depth, first.calls.len()), (200, 2, 2), "unknown to the function");
    let (status, second) = read().await;
    assert_eq!((status, second.calls.len()), (200, 2));
    assert!(second.read_units <= first.read_units);

    let path = format!("/v1/organization/admin-keys/{}", text(&made, "id"));
    world.admin(Call::delete(path)).await.expect(200);
    let (status, _) = read().await;
    assert_eq!(status, 401);
    let (status, after) = read().await;
    assert_eq!((status, after.calls, after.read_units), (401, vec!["GetItem".to_owned()], 1.0));
}
