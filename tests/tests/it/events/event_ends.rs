//! Events end after thirty days, with their deliveries and their entries in feeds: to the second, whenever the table
//! removes their items.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

const DAY: Duration = Duration::from_secs(24 * 3600);
const MOMENT: Duration = Duration::from_secs(1);

/// Creates a webhook of the test app. Returns its path.
async fn webhook(world: &World, url: &str) -> String {
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let body = json!({"url": url, "events": ["messages.sms.received"]});
    format!("{path}/{}", text(&world.admin(Call::post(&path).json(&body)).await.expect(201), "id"))
}

/// Emits an event and delivers it.
async fn emit(world: &World) {
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await;
    let sms = json!({"from": "+442079460111", "to": system.expect(200)["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(&world.org.test_app_key).json(&sms)).await.expect(201);
    world.send_events().await;
}

/// Returns the deliveries of all pages.
async fn listed(world: &World, hook: &str, query: &str) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.admin(Call::get(format!("{hook}/deliveries?{query}{cursor}"))).await.expect(200);
        all.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["nextCursor"].as_str() else { return all };
        cursor = format!("&cursor={next}");
    }
}

async fn feed(world: &World, after: &str) -> tests::Reply {
    world.send(Call::get(format!("/v1/events?after={after}")).key(&world.org.test_app_key)).await
}

#[tokio::test]
async fn events_and_deliveries_are_hidden_after_thirty_days_to_the_second() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(500));
    let hook = webhook(&world, &receiver.url).await;
    emit(&world).await;
    world.clock.advance(DAY);
    emit(&world).await;
    let [newer, older] = &listed(&world, &hook, "").await[..] else { panic!("two deliveries") };
    let (older, newer) = (text(older, "id"), text(newer, "id"));
    let event = format!("/v1/organization/events/{}", receiver.got()[0].id());
    let details = format!("{hook}/deliveries/{older}");
    let own = format!("/v1/webhooks/{}/deliveries/{older}", hook.rsplit('/').next().unwrap());
    let begin = text(&feed(&world, "oldest").await.expect(200), "nextAfter");
    assert_eq!(feed(&world, "oldest").await.expect(200)["data"].as_array().unwrap().len(), 2);

    world.clock.advance(29 * DAY - MOMENT);
    assert_eq!(listed(&world, &hook, "").await.len(), 2);
    assert!(world.admin(Call::get(&details)).await.expect(200)["payload"].is_object());
    world.admin(Call::get(&event)).await.expect(200);
    world.admin(Call::post(format!("{details}/redeliver"))).await.expect(202);
    assert_eq!(feed(&world, "oldest").await.expect(200)["data"].as_array().unwrap().len(), 2);

    world.clock.advance(MOMENT);
    for query in ["", "limit=1", "status=PENDING", "eventType=messages.sms.received", "since=2020-01-01T00:00:00Z"] {
        let shown: Vec<String> = listed(&world, &hook, query).await.iter().map(|found| text(found, "id")).collect();
        assert!(shown.iter().all(|id| *id == newer), "{query}: {shown:?}");
        assert_eq!(shown.len(), usize::from(query != "status=PENDING" || !shown.is_empty()), "{query}");
    }
    world.admin(Call::get(&details)).await.refused(404, Some("deliveryId"), None);
    world.send(Call::get(&own).key(&world.org.test_app_key)).await.refused(404, Some("deliveryId"), None);
    let again = Call::post(format!("{details}/redeliver"));
    world.admin(again).await.refused(404, Some("deliveryId"), None);
    let again = Call::post(format!("{own}/redeliver")).key(&world.org.test_app_key);
    world.send(again).await.refused(404, Some("deliveryId"), None);
    world.admin(Call::get(&event)).await.refused(404, Some("eventId"), None);
    let data = feed(&world, "oldest").await.expect(200)["data"].clone();
    assert_eq!(data.as_array().unwrap().len(), 1, "{data}");
    assert!(feed(&world, &begin).await.expect(200)["data"].as_array().unwrap().is_empty());

    // Nothing of an event that has ended is attempted, recovered or counted.
    let ended = receiver.got()[0].id();
    let attempts = || receiver.got().iter().filter(|got| got.id() == ended).count();
    let before = attempts();
    while world.deliver().await {}
    assert_eq!(attempts(), before, "the redelivery came too late");
    let body = json!({"since": "2020-01-01T00:00:00Z", "statuses": ["SKIPPED", "FAILED", "DELIVERED"], "dryRun": true});
    let recovery = world.admin(Call::post(format!("{hook}/recover")).json(&body)).await.expect(202);
    let path = format!("{hook}/recoveries/{}", text(&recovery, "id"));
    while world.deliver().await {}
    assert_eq!(world.admin(Call::get(path)).await.expect(200)["matched"], 0, "the other delivery is pending");
}

/// The table removes the items of an event at the same time.
#[tokio::test]
async fn the_items_of_an_event_end_with_it() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    webhook(&world, &receiver.url).await;
    let begin = world.now().seconds();
    emit(&world).await;
    let end = world.now().seconds();
    let mut classes = std::collections::BTreeSet::new();
    for item in world.account.stored_items().await {
        let (Ok(partition), sort) = (item["PK"].as_s(), item["SK"].as_s().cloned().unwrap_or_default()) else {
            continue;
        };
        let class = partition.split('#').next().unwrap().to_owned();
        if !["EVT", "DLV", "FEED", "FEEDREF"].contains(&class.as_str()) || sort == "HEAD" {
            continue;
        }
        let ttl: i64 = match &item["ttl"] {
            AttributeValue::N(ttl) => ttl.parse().unwrap(),
            other => panic!("{other:?}"),
        };
        let days = 30 * 86_400;
        assert!((begin + days..=end + days).contains(&ttl), "{class}: {}", (ttl - begin) / 86_400);
        classes.insert(class);
    }
    assert_eq!(classes, ["DLV", "EVT", "FEED", "FEEDREF"].map(str::to_owned).into());
}

/// An event that was dispatched late leaves the feed before its entry does. Readers are told, and begin behind it.
#[tokio::test]
async fn a_feed_begins_behind_an_event_that_has_ended_before_its_entry() {
    let world = World::with_local_webhooks().await;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await;
    let sms = json!({"from": "+442079460111", "to": system.expect(200)["numbers"][0], "text": "Hello"});
    let receive = || Call::post("/v1/playground/sms/inbound").key(&world.org.test_app_key).json(&sms);
    world.send(receive()).await.expect(201);
    let begin = text(&feed(&world, "oldest").await.expect(200), "nextAfter");
    world.clock.advance(2 * DAY);
    world.send(receive()).await.expect(201);
    world.send_events().await;
    assert_eq!(feed(&world, "oldest").await.expect(200)["data"].as_array().unwrap().len(), 2);
    world.clock.advance(29 * DAY);
    let oldest = feed(&world, "oldest").await.expect(200);
    assert_eq!(oldest["data"].as_array().unwrap().len(), 1, "{oldest}");
    let gone = feed(&world, &begin).await.refused(410, Some("after"), None);
    let position = gone["error"]["additional_info"][0].as_str().unwrap().to_owned();
    assert_eq!(feed(&world, &position).await.expect(200)["data"], oldest["data"]);
}
