//! Enumeration values of a later version are returned and kept unchanged.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::types::AttributeValue::{L, M, S};
use serde_json::{Value, json};
use tests::catalogue::cases;
use tests::chat::connect;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

const LATER: &str = "OF_A_LATER_VERSION";
const APPS: &str = "/v1/organization/apps";

type Item = HashMap<String, AttributeValue>;

/// Item classes with the attribute that holds an enumeration value.
const KINDS: [(&str, &str); 8] = [
    ("HOOK", "events"),
    ("EVT", "type"),
    ("DLV", "eventType"),
    ("MSG", "type"),
    ("GRP", "joinApprovalMode"),
    ("MEDIA", "mediaType"),
    ("APP", "calling.recordingFormat"),
    ("APP", "calling.defaultAnswerBehavior"),
];
/// Item classes with the attribute that holds a state. Operations whose result depends on the state may reject the
/// request but must keep the value.
const STATES: [(&str, &str); 5] =
    [("DLV", "status"), ("MSG", "status"), ("SMS", "status"), ("GRP", "status"), ("MEDIA", "state")];
/// Operations that may replace the value, with the attribute.
const SAY_IT: [(&str, &str, &str); 6] = [
    ("PUT", "/v1/organization/apps/{appId}/calling", "calling.recordingFormat"),
    ("PUT", "/v1/organization/apps/{appId}/calling", "calling.defaultAnswerBehavior"),
    ("POST", "/v1/organization/apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", "status"),
    ("POST", "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", "status"),
    ("POST", "/v1/media/{mediaId}/complete", "state"),
    ("DELETE", "/v1/media/{mediaId}", "state"),
];

fn place<'a>(item: &'a mut Item, path: &str) -> Option<&'a mut AttributeValue> {
    match path.split_once('.') {
        None => item.get_mut(path),
        Some((outer, inner)) => match item.get_mut(outer)? {
            M(map) => map.get_mut(inner),
            _ => None,
        },
    }
}

/// Writes the value; a list keeps its other values.
fn write(value: &mut AttributeValue) {
    match value {
        L(list) => list.push(S(LATER.to_owned())),
        single => *single = S(LATER.to_owned()),
    }
}

fn holds(value: &AttributeValue) -> bool {
    match value {
        L(list) => list.contains(&S(LATER.to_owned())),
        single => *single == S(LATER.to_owned()),
    }
}

fn key(item: &Item) -> (String, String) {
    let text = |name: &str| item[name].as_s().unwrap().clone();
    (text("PK"), text("SK"))
}

/// Changes every item of those classes to a value of a later version. Returns the changed items and attributes.
async fn write_as_a_later_version(
    world: &World,
    places: &[(&str, &'static str)],
) -> Vec<((String, String), &'static str)> {
    let mut written = Vec::new();
    for (class, path) in places {
        let before = written.len();
        for mut item in world.account.stored_items().await {
            let key = key(&item);
            let is_of_class = key.0.split('#').next() == Some(class);
            if let Some(value) = Some(&mut item).filter(|_| is_of_class).and_then(|item| place(item, path)) {
                write(value);
                world.account.store_item(item).await;
                written.push((key, *path));
            }
        }
        assert!(written.len() > before, "nothing of class {class} has {path}");
    }
    written
}

/// The items that still exist but lost the value.
async fn dropped(world: &World, written: &[((String, String), &'static str)]) -> Vec<((String, String), &'static str)> {
    let mut items: BTreeMap<_, _> =
        world.account.stored_items().await.into_iter().map(|item| (key(&item), item)).collect();
    let mut is_dropped = |key: &(String, String), path: &str| {
        items.get_mut(key).is_some_and(|item| !place(item, path).is_some_and(|value| holds(value)))
    };
    written.iter().filter(|(key, path)| is_dropped(key, path)).cloned().collect()
}

async fn simulate_sms(world: &World) {
    let key = &world.org.test_app_key;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let sms = json!({"from": "+442079460123", "to": system["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
}

/// Works until the messages that were sent have their last receipt. One that came later would replace what a later version
/// wrote.
async fn until_sms_are_delivered(world: &World) {
    let is_underway = |item: &Item| {
        let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map(String::as_str);
        let is_sms = text("PK").is_some_and(|key| key.starts_with("SMS#")) && text("SK") == Some("SMS");
        is_sms && text("outcome") == Some("ACCEPTED") && text("status") != Some("DELIVERED")
    };
    for _ in 0..200 {
        world.work_off().await;
        if !world.account.stored_items().await.iter().any(is_underway) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a message was not delivered");
}

fn status_of_message(status: &str) -> Value {
    json!({"id": "wamid.1", "status": status, "timestamp": "1700000000", "recipient_id": "15551234567"})
}

async fn every_operation_keeps(places: &[(&str, &'static str)], is_answered_as_ever: bool) {
    let world = World::new().await;
    let cases = cases(&world).await;
    simulate_sms(&world).await;
    until_sms_are_delivered(&world).await;
    let calling = format!("{APPS}/{}/calling", world.org.app);
    world.admin(Call::put(calling).json(&json!({}))).await.expect(200);
    let line = connect(&world, &world.org, "1501").await;
    world.notify(&line.status(&status_of_message("delivered"))).await.expect(200);
    let mut written = write_as_a_later_version(&world, places).await;
    world.notify(&line.status(&status_of_message("read"))).await.expect(200);
    for case in cases {
        let call = case.call.clone().key(case.right_key(&world.org));
        let reply = world.with_worker(world.send_undocumented(call)).await;
        let name = format!("{} {}", case.method(), case.template);
        assert!(!reply.status.is_server_error(), "{name}: {}", reply.status);
        assert!(!is_answered_as_ever || reply.status.as_u16() == case.status, "{name}: {}", reply.status);
        let may_say = |path: &str| SAY_IT.contains(&(case.method().as_str(), case.template, path));
        let gone = dropped(&world, &written).await;
        assert!(gone.iter().all(|(_, path)| may_say(path)), "{name} dropped {gone:?}");
        written.retain(|place| !gone.contains(place));
    }
    world.send_events().await;
    for hours in [1, 24] {
        world.clock.advance(Duration::from_secs(hours * 3600));
        world.sweep().await;
        world.work_off().await;
    }
    assert_eq!(dropped(&world, &written).await, []);
}

#[tokio::test]
async fn kinds_are_kept_by_every_operation() {
    every_operation_keeps(&KINDS, true).await;
}

#[tokio::test]
async fn states_are_kept_by_every_operation() {
    every_operation_keeps(&STATES, false).await;
}

/// This version also delivers events of a later version to webhooks that subscribe to them.
#[tokio::test]
async fn an_event_of_a_later_version_arrives() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let hooks = format!("{APPS}/{}/webhooks", world.org.test_app);
    let hook = json!({"url": receiver.url, "events": ["messages.sms.received"]});
    let hook = text(&world.admin(Call::post(&hooks).json(&hook)).await.expect(201), "id");
    write_as_a_later_version(&world, &[("HOOK", "events")]).await;
    simulate_sms(&world).await;
    write_as_a_later_version(&world, &[("EVT", "type")]).await;
    world.send_events().await;
    assert_eq!(receiver.got_undocumented()[0].json()["type"], LATER);
    let deliveries = format!("{hooks}/{hook}/deliveries");
    let shown = world.send_undocumented(Call::get(deliveries).key(&world.org.admin)).await;
    assert_eq!(shown.json()["data"][0]["eventType"], LATER);
}

/// An event of a later version has no sample here.
#[tokio::test]
async fn a_webhook_for_events_of_a_later_version_is_tested_with_one_that_is_known() {
    let world = World::new().await;
    let hooks = format!("{APPS}/{}/webhooks", world.org.app);
    let hook = json!({"url": "https://example.com", "events": ["messages.sms.received"]});
    let hook = text(&world.admin(Call::post(&hooks).json(&hook)).await.expect(201), "id");
    for mut item in world.account.stored_items().await {
        if let Some(events) = place(&mut item, "events").filter(|value| value.is_l()) {
            *events = L(vec![S(LATER.to_owned())]);
            world.account.store_item(item).await;
        }
    }
    let test = || Call::post(format!("{hooks}/{hook}/test"));
    world.admin(test()).await.refused(400, Some("event"), None);
    world.admin(test().json(&json!({"event": "messages.sms.received"}))).await.expect(202);
}
