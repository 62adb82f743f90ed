//! What remains counted when messages go, and what does not when their organization goes.

use std::time::Duration;

use serde_json::json;
use tests::chat::connect;
use tests::{Call, Service as _, World};

use super::{rows, send, usage};

/// An erasure takes the messages of a person away, and nothing from the counters.
#[tokio::test]
async fn erased_messages_remain_counted() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5251").await;
    for to in ["+16505551234", "+4915112345678"] {
        world.send(send(&line, to)).await.expect(201);
    }
    world.count().await;
    let before = usage(&world, "groupBy=country").await;
    let erase = json!({"operation": "eraseContact", "organizationId": world.org.id, "contact": "+16505551234"});
    world.operate(erase).await.unwrap();
    world.sweep().await;
    world.work_off().await;
    world.count().await;
    assert_eq!(line.messages(&world).await.len(), 1, "the message is gone");
    assert_eq!(rows(&usage(&world, "groupBy=country").await), rows(&before));
}

/// Late records of a deleted organization create no counters.
#[tokio::test]
async fn a_deleted_organization_is_not_counted() {
    let world = World::with_stream().await;
    let other = world.organization("Other").await;
    let line = connect(&world, &other, "5252").await;
    let own = connect(&world, &world.org, "5253").await;
    world.send(send(&line, "+16505551234")).await.expect(201);
    world.send(send(&own, "+16505551234")).await.expect(201);
    let card = json!({"currency": "EUR", "prices": []});
    world.send(Call::put("/v1/organization/rate-card").key(&other.admin).json(&card)).await.expect(200);
    world.count().await;
    assert!(has_counters(&world, &other.id).await);
    world.send(send(&line, "+16505551234")).await.expect(201);
    let late = world.stream_records();

    delete(&world, &other.id).await;
    assert!(!has_counters(&world, &other.id).await);
    world.send(send(&own, "+16505551234")).await.expect(201);
    world.meter(&late).await.unwrap();
    world.count().await;
    assert!(!has_counters(&world, &other.id).await);
    assert_eq!(rows(&usage(&world, "").await)[0]["messages"], 2);
}

/// Deletes the organization "Other", as the operator's program does.
async fn delete(world: &World, organization: &str) {
    let request = json!({"operation": "deleteOrganization", "organizationId": organization, "confirm": "other"});
    for _ in 0..60 {
        if world.operate(request.clone()).await.unwrap()["status"] == "DONE" {
            return;
        }
        world.sweep().await;
        world.work_off().await;
        world.clock.advance(Duration::from_secs(60));
    }
    panic!("the deletion does not end");
}

async fn has_counters(world: &World, organization: &str) -> bool {
    let items = world.account.items().await;
    let of = ["USAGE", "RATECARD"].map(|class| format!("{class}#{organization}"));
    items.iter().any(|item| of.iter().any(|prefix| item["PK"].starts_with(prefix)))
}
