//! What the dispatch function writes to feeds, and what that costs.

use domain::Mode;
use domain::events::event::{Audience, EventName};
use serde_json::json;
use tests::{Call, Service as _, World};

use super::{commit, dispatch, emit, emit_live, event_of, page, sequences};

#[tokio::test]
async fn a_batch_is_written_once_per_app_and_nothing_for_apps_without_a_feed() {
    let world = World::new().await;
    let mut partitions = Vec::new();
    for _ in 0..5 {
        partitions.push(emit(&world, EventName::MessagesSmsSent).await);
        partitions.push(emit_live(&world).await);
    }

    world.faults.calls();
    dispatch(&world, &partitions).await;

    let calls = world.faults.calls();
    assert_eq!(calls.iter().filter(|call| *call == "TransactWriteItems").count(), 1, "{calls:?}");
    let items = world.account.items().await;
    let of = |prefix: &str| items.iter().filter(|item| item["PK"].starts_with(prefix)).count();
    assert_eq!((of("FEED#"), of("FEEDREF#")), (6, 5), "the head, and each event of the test app");
    assert!(!items.iter().any(|item| item["PK"].starts_with("FEED#") && item["PK"].contains(&world.org.app)));

    let off = world.send(Call::get("/v1/events").key(&world.org.app_key)).await;
    off.refused(409, None, None);
}

/// What a feed adds to the dispatch of events: 4 units per event, and 2 per batch. docs/events.md states it.
#[tokio::test]
async fn a_feed_costs_what_the_documentation_says() {
    let world = World::new().await;
    for count in [1_u16, 49] {
        let mut written = Vec::new();
        for (app, mode) in [(&world.org.app, Mode::Live), (&world.org.test_app, Mode::Test)] {
            let mut partitions = Vec::new();
            for _ in 0..count {
                let audience = Audience::App(app.clone());
                partitions.push(commit(&world, &event_of(&world, audience, mode, EventName::MessagesSmsSent)).await);
            }

            let ((), cost) = world.faults.meter.of(dispatch(&world, &partitions)).await;
            written.push(cost.write_units);
        }

        let added = written[1] - written[0];
        assert!((added - f64::from(4 * count + 2)).abs() < 0.01, "{count}: {written:?}");
    }
}

#[tokio::test]
async fn a_repeated_batch_adds_nothing_and_spoils_nothing() {
    let world = World::new().await;
    let mut partitions = vec![emit(&world, EventName::MessagesSmsSent).await];
    dispatch(&world, &partitions).await;

    partitions.push(emit(&world, EventName::MessagesSmsDelivered).await);
    for _ in 0..3 {
        dispatch(&world, &partitions).await;
    }

    partitions.push(emit(&world, EventName::MessagesSmsFailed).await);
    dispatch(&world, &partitions).await;

    let read = page(&world, "after=oldest").await;
    assert_eq!(sequences(&read), [1, 2, 3]);
    let kinds: Vec<&str> =
        read["data"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["messages.sms.sent", "messages.sms.delivered", "messages.sms.failed"]);
    assert!(world.waiting_events().await.is_empty());
}

#[tokio::test]
async fn events_of_the_organization_are_in_the_feeds_of_all_apps_of_the_mode() {
    let world = World::new().await;
    let (other, other_key) = world.app(&world.org.admin, &json!({"name": "Other", "test": true})).await;
    let (_, deaf_key) = world.app(&world.org.admin, &json!({"name": "Deaf", "test": true, "eventFeed": false})).await;

    let account = event_of(&world, Audience::AllApps, Mode::Test, EventName::ChatAccountConnected);
    commit(&world, &account).await;
    world.dispatch().await;

    for key in [&world.org.test_app_key, &other_key] {
        let read = world.send(Call::get("/v1/events?after=oldest").key(key)).await.expect(200);
        assert_eq!(sequences(&read), [1], "{other}");
    }
    world.send(Call::get("/v1/events").key(&deaf_key)).await.refused(409, None, None);
}
