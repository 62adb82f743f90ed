//! What a page shows, and what it reads.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::events::event::EventName;
use serde_json::json;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{dispatch, emit, emit_and_dispatch, page, refused, remove, sequences};

#[tokio::test]
async fn an_event_is_read_as_it_is_delivered() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let body = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    let hooks = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    world.admin(Call::post(hooks).json(&body)).await.expect(201);

    let begin = page(&world, "").await;
    assert_eq!(begin["data"], json!([]));

    emit(&world, EventName::MessagesSmsReceived).await;
    emit(&world, EventName::MessagesChatReceived).await;
    world.send_events().await;

    let read = page(&world, &format!("after={}", text(&begin, "nextAfter"))).await;
    let events = read["data"].as_array().unwrap();
    assert_eq!(sequences(&read), [1, 2]);
    let mut delivered = receiver.got()[0].json();
    let same = events.iter().find(|event| event["id"] == delivered["id"]).unwrap();
    delivered["sequence"] = same["sequence"].clone();
    assert_eq!(*same, delivered);

    // Also what no webhook listens to.
    assert!(events.iter().any(|event| event["type"] == "messages.chat.received"));

    let path = format!("/v1/organization/apps/{}/events?after=oldest", world.org.test_app);
    assert_eq!(world.admin(Call::get(&path)).await.expect(200), read);
    assert_eq!(page(&world, &format!("after={}", text(&read, "nextAfter"))).await["data"], json!([]));
}

/// The cost of a poll without news: the credential and the head of the feed. docs/events.md states it.
#[tokio::test]
async fn a_poll_without_news_reads_the_head() {
    let world = World::new().await;
    emit_and_dispatch(&world, 3).await;
    let end = text(&page(&world, "after=oldest").await, "nextAfter");

    world.faults.calls();
    page(&world, &format!("after={end}")).await;
    assert_eq!(world.faults.calls(), ["GetItem", "GetItem"]);

    emit_and_dispatch(&world, 1).await;
    world.faults.calls();
    assert_eq!(sequences(&page(&world, &format!("after={end}")).await), [4]);
    assert_eq!(world.faults.calls(), ["GetItem", "GetItem", "Query", "BatchGetItem"]);
}

#[tokio::test]
async fn a_filtered_page_says_how_far_it_read() {
    let world = World::new().await;
    let mut partitions = Vec::new();
    for kind in [EventName::MessagesSmsSent, EventName::MessagesSmsFailed, EventName::MessagesSmsSent] {
        partitions.push(emit(&world, kind).await);
        world.clock.advance(Duration::from_millis(1));
    }
    dispatch(&world, &partitions).await;

    let failed = page(&world, "after=oldest&types=messages.sms.failed,messages.chat.failed").await;
    assert_eq!(sequences(&failed), [2]);

    let one = page(&world, "after=oldest&types=messages.sms.sent&limit=1").await;
    assert_eq!(sequences(&one), [1]);

    // Covers the second event too, which the filter leaves out.
    let next = page(&world, &format!("after={}&limit=1", text(&one, "nextAfter"))).await;
    assert_eq!(sequences(&next), [3]);

    let none = page(&world, "after=oldest&types=messages.chat.read").await;
    assert_eq!((sequences(&none), text(&none, "nextAfter")), (vec![], text(&failed, "nextAfter")));

    for (query, param) in [
        ("types=messages.sms", "types"),
        ("types=", "types"),
        ("after=x", "after"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("cursor=x", "cursor"),
        ("since=x", "since"),
    ] {
        refused(&world, query, 400).await.refused(400, Some(param), None);
    }

    let other = world.app(&world.org.admin, &json!({"name": "Other", "test": true})).await.1;
    let foreign = Call::get(format!("/v1/events?after={}", text(&one, "nextAfter"))).key(&other);
    world.send(foreign).await.refused(400, Some("after"), None);
}

/// A query may see a transaction before an earlier one.
#[tokio::test]
async fn a_page_ends_before_a_gap() {
    let world = World::new().await;
    let mut hidden = None;

    for sequence in 1..=3 {
        emit_and_dispatch(&world, 1).await;
        if sequence == 2 {
            let items = world.account.stored_items().await;
            let second = AttributeValue::S(format!("{sequence:020}"));
            hidden = items.into_iter().find(|item| item["SK"] == second);
            remove(&world, hidden.as_ref().unwrap()["PK"].as_s().unwrap(), second.as_s().unwrap()).await;
        }
    }

    let first = page(&world, "after=oldest").await;
    assert_eq!(sequences(&first), [1]);

    let after = format!("after={}", text(&first, "nextAfter"));
    let nothing = page(&world, &after).await;
    assert_eq!((sequences(&nothing), &nothing["nextAfter"]), (vec![], &first["nextAfter"]));

    world.account.store_item(hidden.unwrap()).await;
    assert_eq!(sequences(&page(&world, &after).await), [2, 3]);
}
