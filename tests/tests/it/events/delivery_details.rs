//! What helps to find out why an event did not arrive: details of deliveries and events, the filters of the log, and the
//! mark on test deliveries.

use std::time::Duration;

use domain::events::delivery::{event_of_app, outbox_of_event};
use domain::id::{AppId, EventId};
use serde_json::{Value, json};
use tests::chat::connect;
use tests::receiver::{Receiver, status};
use tests::request::{altered, text};
use tests::{Call, Service as _, World};

const HIDDEN: &str = "••••••••";

/// Creates a webhook of the test app. Returns its path.
async fn webhook(world: &World, url: &str) -> String {
    let body = json!({"url": url, "events": ["messages.sms.received"], "headers": {"X-Team": "blue-team-secret"}});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let made = world.admin(Call::post(&path).json(&body)).await.expect(201);
    format!("{path}/{}", text(&made, "id"))
}

/// Emits an event and delivers it. Returns the delivery.
async fn delivered(world: &World, hook: &str) -> Value {
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await;
    let sms = json!({"from": "+442079460111", "to": system.expect(200)["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(&world.org.test_app_key).json(&sms)).await.expect(201);
    world.send_events().await;
    listed(world, hook, "").await.remove(0)
}

async fn listed(world: &World, hook: &str, query: &str) -> Vec<Value> {
    let page = world.admin(Call::get(format!("{hook}/deliveries?{query}"))).await.expect(200);
    page["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_delivery_shows_what_was_sent_and_what_came_back() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(500));
    let hook = webhook(&world, &receiver.url).await;
    let delivery = delivered(&world, &hook).await;
    let id = text(&delivery, "id");
    let path = format!("{hook}/deliveries/{id}");
    let details = world.admin(Call::get(&path)).await.expect(200);
    let got = &receiver.got()[0];
    assert_eq!(details["payload"], got.json());
    let attempt = &details["attempts"][0];
    assert_eq!((&attempt["statusCode"], &attempt["responseBody"]), (&json!(500), &json!("said")));
    assert!(attempt["durationMs"].is_u64());
    let header = |name: &str| got.headers[name].to_str().unwrap();
    let expected = json!({
        "content-type": "application/json", "webhook-id": header("webhook-id"),
        "webhook-timestamp": header("webhook-timestamp"), "webhook-signature": HIDDEN, "x-team": HIDDEN,
    });
    assert_eq!(attempt["headers"], expected);
    assert!(!details.to_string().contains("blue-team-secret") && !details.to_string().contains("v1,"));
    assert!(delivery["attempts"][0].get("headers").is_none());
    let own = format!("/v1/webhooks/{}/deliveries/{id}", hook.rsplit('/').next().unwrap());
    assert_eq!(world.send(Call::get(&own).key(&world.org.test_app_key)).await.expect(200), details);
    let missing = Call::get(format!("{hook}/deliveries/{}", altered(&id)));
    world.admin(missing).await.refused(404, Some("deliveryId"), None);
}

#[tokio::test]
async fn an_event_is_found_by_the_id_that_its_receivers_get() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (first, second) = (webhook(&world, &receiver.url).await, webhook(&world, &receiver.url).await);
    delivered(&world, &first).await;
    let id = receiver.got()[0].id();
    let path = format!("/v1/organization/events/{id}");
    let found = world.admin(Call::get(&path)).await.expect(200);
    assert_eq!(found["event"], receiver.got()[0].json());
    let mut expected = [listed(&world, &first, "").await.remove(0), listed(&world, &second, "").await.remove(0)];
    expected.sort_by_key(|delivery| text(delivery, "id"));
    assert_eq!(found["deliveries"], json!(expected));
    world.send(Call::get(&path).key(&world.org.test_admin)).await.expect(200);
    world.admin(Call::get(format!("/v1/organization/events/{}", altered(&id)))).await.refused(
        404,
        Some("eventId"),
        None,
    );
    let stranger = world.organization("Other").await;
    world.send(Call::get(&path).key(&stranger.admin)).await.refused(404, Some("eventId"), None);
}

/// The id that another app would get for the event that `app` gets as `id`. Anybody can compute it.
fn as_if_for(other: &str, id: &str, app: &str) -> String {
    let (other, app): (AppId, AppId) = (other.parse().unwrap(), app.parse().unwrap());
    event_of_app(&outbox_of_event(&id.parse::<EventId>().unwrap(), &app), &other).to_string()
}

#[tokio::test]
async fn a_forged_id_leads_to_no_event_of_another_mode_or_app() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let live = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    let body = json!({"url": receiver.url, "events": ["messages.chat.received", "templates.chat.connected"]});
    let hook = text(&world.admin(Call::post(&live).json(&body)).await.expect(201), "id");
    let (other, _) = world.app(&world.org.admin, &json!({"name": "Other"})).await;
    let line = connect(&world, &world.org, "5901").await;
    let hello = json!({"id": "wamid.secret", "type": "text", "text": {"body": "confidential"}});
    world.notify(&line.message(&hello)).await.expect(200);
    world.send_events().await;
    let id = receiver.got()[0].id();
    let found = |key: &str, id: &str| world.send(Call::get(format!("/v1/organization/events/{id}")).key(key));
    let shown = found(&world.org.admin, &id).await.expect(200);
    assert_eq!(shown["event"], receiver.got()[0].json());
    // A test key does not see a live event, whatever app its id is computed for.
    found(&world.org.test_admin, &id).await.refused(404, Some("eventId"), None);
    let forged = as_if_for(&world.org.test_app, &id, &world.org.app);
    for key in [&world.org.test_admin, &world.org.admin] {
        found(key, &forged).await.refused(404, Some("eventId"), None);
    }
    // Nor is an event shown as that of an app that did not get it.
    let forged = as_if_for(&other, &id, &world.org.app);
    found(&world.org.admin, &forged).await.refused(404, Some("eventId"), None);
    let test = world.admin(Call::post(format!("{live}/{hook}/test"))).await.expect(202);
    let id = text(&test, "eventId");
    found(&world.org.admin, &id).await.expect(200);
    found(&world.org.admin, &as_if_for(&other, &id, &world.org.app)).await.refused(404, Some("eventId"), None);
    // A number that moves to another app leaves its past events with the app that got them.
    let number = format!("phone-numbers/{}", line.number);
    let apps = "/v1/organization/apps";
    world.admin(Call::delete(format!("{apps}/{}/{number}", world.org.app))).await.expect(200);
    world.admin(Call::put(format!("{apps}/{other}/{number}"))).await.expect(200);
    assert_eq!(found(&world.org.admin, &receiver.got()[0].id()).await.expect(200), shown);
}

#[tokio::test]
async fn a_test_delivery_says_so() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &receiver.url).await;
    let made = world.admin(Call::post(format!("{hook}/test"))).await.expect(202);
    while world.deliver().await {}
    delivered(&world, &hook).await;
    let marks = |at: usize| {
        let got = &receiver.got()[at];
        (
            got.json().get("test").cloned(),
            got.headers.get("webhook-test").map(|value| value.to_str().unwrap().to_owned()),
        )
    };
    assert_eq!(marks(0), (Some(json!(true)), Some("true".to_owned())));
    assert_eq!(marks(1), (None, None));
    let details = world.admin(Call::get(format!("{hook}/deliveries/{}", text(&made, "id")))).await.expect(200);
    assert_eq!(
        (&details["payload"]["test"], &details["attempts"][0]["headers"]["webhook-test"]),
        (&json!(true), &json!("true"))
    );
    // Samples are not events of the app.
    let feed = world.send(Call::get("/v1/events?after=oldest").key(&world.org.test_app_key)).await.expect(200);
    assert_eq!(feed["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_log_is_filtered_by_event_status_and_time() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hook = webhook(&world, &receiver.url).await;
    let start = world.now();
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(text(&delivered(&world, &hook).await, "id"));
        world.clock.advance(Duration::from_secs(60));
    }
    let sample = json!({"event": "messages.chat.read"});
    let test = world.admin(Call::post(format!("{hook}/test")).json(&sample)).await.expect(202);
    ids.push(text(&test, "id"));
    let at = |seconds: u64| start.plus(Duration::from_secs(seconds)).to_string();
    for (query, expected) in [
        (format!("since={}", at(30)), vec![3, 2, 1]),
        (format!("until={}", at(90)), vec![1, 0]),
        (format!("since={}&until={}", at(30), at(90)), vec![1]),
        (format!("since={}&until={}&status=FAILED", at(30), at(90)), vec![]),
        ("eventType=messages.chat.read".to_owned(), vec![3]),
        ("eventType=messages.sms.received&limit=2".to_owned(), vec![2, 1]),
        ("status=PENDING".to_owned(), vec![3]),
    ] {
        let shown: Vec<String> = listed(&world, &hook, &query).await.iter().map(|one| text(one, "id")).collect();
        let expected: Vec<String> = expected.into_iter().map(|nth: usize| ids[nth].clone()).collect();
        assert_eq!(shown, expected, "{query}");
    }
    // A cursor belongs to the filters of its list.
    let page =
        world.admin(Call::get(format!("{hook}/deliveries?eventType=messages.sms.received&limit=1"))).await.expect(200);
    let cursor = text(&page, "nextCursor");
    let other = Call::get(format!("{hook}/deliveries?eventType=messages.chat.read&cursor={cursor}"));
    world.admin(other).await.refused(400, Some("cursor"), None);
    for (query, param) in [("eventType=read", "eventType"), ("since=yesterday", "since"), ("status=DONE", "status")] {
        world.admin(Call::get(format!("{hook}/deliveries?{query}"))).await.refused(400, Some(param), None);
    }
    let empty = format!("since={}&until={}", at(90), at(30));
    world.admin(Call::get(format!("{hook}/deliveries?{empty}"))).await.refused(400, Some("until"), None);
}
