//! Messages of earlier releases, and what a restore has left uncounted.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use store::maintenance::Maintenance;
use tests::Service as _;
use tests::chat::connect;
use tests::request::text;
use tests::settings::TABLE;
use tests::{Reply, World};

use super::{rows, send, status, usage};

fn maintenance(world: &World) -> Maintenance {
    Maintenance::new(world.account.dynamodb.clone(), TABLE)
}

/// A message of an earlier release counts once it is marked, with everything that has happened to it, and only once.
#[tokio::test]
async fn messages_of_earlier_releases_are_counted_once_they_are_marked() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5271").await;
    let mut platform_ids = Vec::new();
    for _ in 0..3 {
        let sent = world.send(send(&line, "+16505551234")).await.expect(201);
        platform_ids.push(text(&sent, "providerMessageId"));
        unmark(&world, &text(&sent, "id")).await;
    }
    let tell = async |name: &str| {
        for id in &platform_ids {
            world.notify(&status(&line, id, name, &json!({}))).await.expect(200);
        }
        world.count().await;
    };
    tell("delivered").await;
    assert_eq!(rows(&usage(&world, "").await).len(), 0, "not counted");

    assert_eq!(maintenance(&world).mark_for_counting().await.unwrap(), 3);
    world.count().await;
    let row = rows(&usage(&world, "").await)[0].clone();
    assert_eq!([&row["messages"], &row["delivered"], &row["read"]], [3, 3, 0], "{row}");

    assert_eq!(maintenance(&world).mark_for_counting().await.unwrap(), 0, "nothing is left to mark");
    tell("read").await;
    let row = rows(&usage(&world, "").await)[0].clone();
    assert_eq!([&row["messages"], &row["delivered"], &row["read"]], [3, 3, 3], "{row}");
}

/// What WhatsApp said of a price is stored with the conversation by earlier releases.
#[tokio::test]
async fn messages_of_earlier_releases_have_their_prices() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5273").await;
    let sent = world.send(send(&line, "+16505551234")).await.expect(201);
    let pricing = json!({"pricing": {"billable": true, "pricing_model": "PMP", "category": "marketing"}});
    world.notify(&status(&line, &text(&sent, "providerMessageId"), "sent", &pricing)).await.expect(200);
    unmark(&world, &text(&sent, "id")).await;
    assert_eq!(maintenance(&world).mark_for_counting().await.unwrap(), 1);
    world.count().await;
    let row = rows(&usage(&world, "groupBy=category").await)[0].clone();
    assert_eq!((&row["category"], &row["billable"]), (&json!("marketing"), &json!(1)), "{row}");
}

/// While the table has no stream, messages are stored as those of earlier releases: what happens to them does not count as a
/// difference, and they count once they are marked.
#[tokio::test]
async fn messages_of_a_time_without_a_stream_are_counted_later() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5274").await;
    let request = send(&line, "+16505551234").request();
    let reply = Reply::of(world.sending_without_meter().respond(request).await).await;
    let sent = reply.expect(201);
    world.notify(&status(&line, &text(&sent, "providerMessageId"), "delivered", &json!({}))).await.expect(200);
    world.count().await;
    assert_eq!(rows(&usage(&world, "").await).len(), 0, "not counted");

    assert_eq!(maintenance(&world).mark_for_counting().await.unwrap(), 1);
    world.count().await;
    let row = rows(&usage(&world, "").await)[0].clone();
    assert_eq!([&row["messages"], &row["delivered"], &row["pending"]], [1, 1, 0], "{row}");
}

/// Makes a message one of a release that did not mark messages.
async fn unmark(world: &World, id: &str) {
    let key = AttributeValue::S(format!("MSG#{}#{id}", world.org.id));
    let update = world.account.dynamodb.update_item().table_name(TABLE).key("PK", key);
    let update = update
        .key("SK", AttributeValue::S("MSG".to_owned()))
        .update_expression("REMOVE metered, pricingCategory, isBillable");
    update.send().await.unwrap();
}

/// After a restore, usage names the time whose changes may be missing, as long as it is asked for.
#[tokio::test]
async fn a_restore_leaves_a_gap_that_usage_names() {
    let world = World::with_stream().await;
    let line = connect(&world, &world.org, "5272").await;
    assert_eq!(maintenance(&world).usage_gap(world.now()).await.unwrap(), None, "nothing was counted yet");
    world.send(send(&line, "+16505551234")).await.expect(201);
    world.count().await;
    let counted = text(&usage(&world, "").await, "countedUntil");
    world.clock.advance(Duration::from_secs(600));
    let gap = maintenance(&world).usage_gap(world.now()).await.unwrap().expect("a gap");
    maintenance(&world).note_usage_gap(gap).await.unwrap();

    let page = usage(&world, "").await;
    assert_eq!(page["gaps"], json!([{"since": counted, "until": world.now()}]), "{page}");
    assert!(page["countedUntil"].is_null(), "the positions in the old stream are forgotten: {page}");
    assert_eq!(rows(&page)[0]["messages"], 1);
    let later = world.now().plus_days(2);
    let page = usage(&world, &format!("since={later}&until={}", later.plus_days(1))).await;
    assert_eq!(page["gaps"], json!([]));
}
