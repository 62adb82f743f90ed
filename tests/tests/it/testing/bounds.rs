//! Test mode is bounded: what its organizations store, what they post to webhooks, and what a request reads.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::catalogue::download;
use tests::chat::{connect, event_counts, events};
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::samples::PNG;
use tests::settings::TABLE;
use tests::{Call, Reply, Service as _, World};

const DAY: u64 = 24 * 3600;
const USER: &str = "+442079460123";

async fn upload(world: &World, key: &str) -> String {
    let call = Call::post("/v1/media").key(key).file("a.png", Some("image/png"), PNG);
    text(&world.send(call).await.expect(201), "id")
}

async fn own_number(world: &World) -> String {
    let listed = world.admin(Call::get("/v1/organization/chat/phone-numbers?limit=100")).await.expect(200);
    let numbers = listed["data"].as_array().unwrap();
    text(numbers.iter().find(|number| number["apps"][0]["appId"] == world.org.test_app.as_str()).unwrap(), "id")
}

async fn replay(world: &World, field: &str, value: &Value) -> Reply {
    let body = json!({"field": field, "value": value, "target": own_number(world).await});
    world.send(Call::post("/v1/playground/notifications").key(&world.org.test_app_key).json(&body)).await
}

/// Sets what is used of a quota today.
async fn spent(world: &World, scope: &str, attribute: &str, amount: u64) {
    let key = |text: String| AttributeValue::S(text);
    let today = world.now().seconds().unsigned_abs() / DAY;
    let call = world.account.dynamodb.put_item().table_name(TABLE);
    let call = call.item("PK", key(format!("RATE#{}#{scope}", world.org.id))).item("SK", key(format!("{today:010}")));
    call.item(attribute, AttributeValue::N(amount.to_string())).send().await.unwrap();
}

/// A user sends a medium. Returns the path of the message.
async fn receive_image(world: &World, medium: &str) -> String {
    let body = json!({"from": USER, "type": "image", "image": {"mediaId": medium}});
    let call = Call::post("/v1/playground/chat/inbound").key(&world.org.test_app_key).json(&body);
    let received = world.send(call).await.expect(201);
    format!("/v1/chat/messages/{}", text(&received, "id"))
}

/// The URLs of a message's medium in all that shows it: to the app, to an admin, and in the lists of both.
async fn urls(world: &World, path: &str) -> Vec<Option<String>> {
    let (key, id) = (&world.org.test_app_key, path.rsplit('/').next().unwrap());
    let of_number = format!("/v1/organization/chat/messages?chatPhoneNumberId={}", own_number(world).await);
    let mut shown = Vec::new();
    for call in [
        Call::get(path).key(key),
        Call::get(format!("/v1/organization/chat/messages/{id}")).key(&world.org.test_admin),
        Call::get("/v1/chat/messages").key(key),
        Call::get(of_number).key(&world.org.test_admin),
    ] {
        let read = world.send(call).await.expect(200);
        let message = match read["data"].as_array() {
            Some(listed) => listed.iter().find(|message| message["id"] == id).unwrap().clone(),
            None => read,
        };
        shown.push(message["mediaUrl"].as_str().map(str::to_owned));
    }
    shown
}

/// However many messages name an upload, its bytes are stored once.
#[tokio::test]
async fn an_inbound_medium_is_the_upload() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let medium = upload(&world, key).await;
    let mut paths = Vec::new();
    for _ in 0..3 {
        let path = receive_image(&world, &medium).await;
        let read = world.send(Call::get(&path).key(key)).await.expect(200);
        assert_eq!(read["mediaFileSize"], PNG.len());
        paths.push(path);
    }
    // There is nothing to fetch: the bytes are there at once.
    for url in urls(&world, &paths[0]).await {
        let (status, mime, _, bytes) = download(url.expect("a URL")).await;
        assert_eq!((status, mime.as_str(), bytes.as_slice()), (200, "image/png", PNG));
    }
    world.work_off().await;
    let objects = world.account.objects().await;
    assert_eq!(objects, [format!("media/{}/{medium}", world.org.id)]);

    // To erase the user concerns the messages, not what the app has uploaded.
    let erase = json!({"operation": "eraseContact", "organizationId": world.org.id, "contact": USER});
    world.operate(erase).await.unwrap();
    world.sweep().await;
    world.work_off().await;
    world.send(Call::get(&paths[0]).key(key)).await.expect(404);
    world.send(Call::get(format!("/v1/media/{medium}")).key(key)).await.expect(200);
    assert_eq!(world.account.objects().await, objects);
    assert_eq!(world.dead_letters().await, Vec::<String>::new());
}

/// A message's medium ends with the upload: when it is deleted, and when its retention is over.
#[tokio::test]
async fn an_inbound_medium_ends_with_the_upload() {
    let world = World::new().await;
    let key = &world.org.test_app_key;
    let (deleted, expired) = (upload(&world, key).await, upload(&world, key).await);
    let of_deleted = receive_image(&world, &deleted).await;
    world.clock.advance(Duration::from_secs(10 * DAY));
    let of_expired = receive_image(&world, &expired).await;
    assert!(urls(&world, &of_deleted).await.iter().chain(&urls(&world, &of_expired).await).all(Option::is_some));

    world.send(Call::delete(format!("/v1/media/{deleted}")).key(key)).await.expect(200);
    assert!(urls(&world, &of_deleted).await.iter().all(Option::is_none));
    assert!(urls(&world, &of_expired).await.iter().all(Option::is_some));

    // The upload is kept for 30 days. Its message is younger, and stays.
    world.clock.advance(Duration::from_secs(20 * DAY));
    assert!(urls(&world, &of_expired).await.iter().all(Option::is_none));
    world.sweep().await;
    assert!(urls(&world, &of_expired).await.iter().all(Option::is_none));
    assert_eq!(world.account.objects().await, Vec::<String>::new());
    let left = world.account.items().await;
    let is_due = |item: &&std::collections::BTreeMap<String, String>| {
        item["PK"].starts_with("MSG#") && item.contains_key("dueAt")
    };
    assert_eq!(left.iter().filter(is_due).count(), 0);
}

/// The test apps of an organization have one budget for the bytes that they store in a day: of their uploads and of the
/// notifications that they make up.
#[tokio::test]
async fn the_test_apps_of_an_organization_store_two_gigabytes_a_day() {
    let world = World::new().await;
    let announce = |key: &str, size: u64| {
        let body = json!({"fileName": "a.pdf", "mimeType": "application/pdf", "fileSize": size});
        Call::post("/v1/media/uploads").key(key).json(&body)
    };
    let (_, second) = world.app(&world.org.admin, &json!({"name": "T2", "test": true})).await;
    let (_, third) = world.app(&world.org.admin, &json!({"name": "T3", "test": true})).await;
    for key in [&world.org.test_app_key, &second] {
        for _ in 0..10 {
            world.send(announce(key, 100_000_000)).await.expect(201);
        }
    }
    for reply in [
        world.send(announce(&third, 10)).await,
        world.send(Call::post("/v1/media").key(&third).file("a.png", None, PNG)).await,
        replay(&world, "account_review_update", &json!({"decision": "REJECTED"})).await,
    ] {
        assert!(reply.header("retry-after").is_some());
        let refused = text(&reply.expect(429)["error"], "message");
        assert!(refused.contains("2000000000 bytes") && refused.contains("test apps"), "{refused}");
    }
    // Live apps have quotas of their own, and so has the next day.
    world.send(announce(&world.org.app_key, 100_000_000)).await.expect(201);
    world.clock.advance(Duration::from_secs(DAY));
    world.send(announce(&third, 10)).await.expect(201);
    replay(&world, "account_review_update", &json!({"decision": "REJECTED"})).await.expect(202);
}

/// Made-up statuses do not make a message and its events large.
#[tokio::test]
async fn made_up_statuses_keep_a_message_small() {
    let world = World::new().await;
    let time = world.now().seconds().to_string();
    let status = |id: &str, fields: Value| {
        let mut status =
            json!({"id": id, "status": "sent", "timestamp": time, "recipient_id": "G-1", "recipient_type": "group"});
        status.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        status
    };
    let member = |n: usize| status("wamid.g.1", json!({"recipient_participant_id": format!("1650555{n:04}")}));
    let (mut applied, mut ignored) = (0, Vec::new());
    for members in (0..75).map(member).collect::<Vec<_>>().chunks(25) {
        let replayed = replay(&world, "messages", &json!({"statuses": members})).await.expect(202);
        applied += replayed["applied"].as_u64().unwrap();
        ignored.extend(replayed["ignored"].as_array().unwrap().iter().map(|one| text(one, "reason")));
    }
    assert_eq!((applied, ignored.len()), (32, 43));
    assert!(ignored.iter().all(|reason| reason.contains("at most 32 recipients")), "{ignored:?}");
    // One that is known goes on.
    let read = json!({"recipient_participant_id": "16505550007", "status": "read"});
    let replayed = replay(&world, "messages", &json!({"statuses": [status("wamid.g.1", read)]})).await.expect(202);
    assert_eq!(replayed, json!({"applied": 1, "ignored": []}));

    // Nor do long errors, nor what no field holds.
    let long = "x".repeat(100_000);
    for fields in [
        json!({"status": "failed", "errors": [{"code": 131_026, "title": long, "error_data": {"details": long}}]}),
        json!({"status": "invented", "more": long}),
        json!({"more": long}),
    ] {
        let value = json!({"statuses": [status("wamid.g.2", fields)]});
        let replayed = replay(&world, "messages", &value).await.expect(202);
        assert_eq!(replayed["applied"], 0, "{replayed}");
        let reason = text(&replayed["ignored"][0], "reason");
        assert!(reason.contains("65536 bytes"), "{reason}");
    }
    let largest =
        events(&world, &world.org, "messages.chat.sent").await.iter().map(|data| data.to_string().len()).max();
    assert!(largest.is_some_and(|bytes| bytes < 20_000), "{largest:?}");
    // The platform decides what a live message has.
    let line = connect(&world, &world.org, "995").await;
    for members in (0..50).map(member).collect::<Vec<_>>().chunks(25) {
        world.notify(&line.about("messages", &json!({"statuses": members}))).await.expect(200);
    }
    world.work_off().await;
    assert_eq!(line.only_message(&world).await["recipients"].as_array().unwrap().len(), 50);
}

async fn webhook(world: &World, app: &str, url: &str) -> String {
    let body = json!({"url": url, "events": ["messages.chat.received"]});
    let path = format!("/v1/organization/apps/{app}/webhooks");
    format!("{path}/{}", text(&world.admin(Call::post(&path).json(&body)).await.expect(201), "id"))
}

/// A user writes a long text.
async fn write(world: &World) {
    let long = "x".repeat(100_000);
    let message = json!({"id": "wamid.1", "from": &USER[1..], "type": "text", "text": {"body": long}});
    replay(world, "messages", &json!({"messages": [message]})).await.expect(202);
}

async fn only_delivery(world: &World, webhook: &str) -> Value {
    let listed = world.admin(Call::get(format!("{webhook}/deliveries"))).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1, "{listed}");
    listed["data"][0].clone()
}

/// What an organization posts in test mode is bounded per day. What exceeds it is skipped with the reason, and can be
/// delivered again.
#[tokio::test]
async fn the_bytes_posted_in_test_mode_are_bounded() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let hook = webhook(&world, &world.org.test_app, &receiver.url).await;
    write(&world).await;
    spent(&world, "testPosts", "postedBytes", 999_000_000).await;
    world.send_events().await;
    assert_eq!(receiver.count(), 1);
    let first = only_delivery(&world, &hook).await;
    assert_eq!(first["status"], "DELIVERED");

    let size = receiver.got()[0].body.len() as u64;
    spent(&world, "testPosts", "postedBytes", 1_000_000_000 - size + 1).await;
    let again = format!("{hook}/deliveries/{}/redeliver", text(&first, "id"));
    world.admin(Call::post(&again)).await.expect(202);
    world.send_events().await;
    assert_eq!(receiver.got().len(), 1);
    let skipped = only_delivery(&world, &hook).await;
    assert_eq!((&skipped["status"], skipped.get("nextAttemptAt")), (&json!("SKIPPED"), None));
    let attempt = skipped["attempts"].as_array().unwrap().last().unwrap();
    let reason = text(attempt, "error");
    assert!(reason.contains("1000000000 bytes") && reason.contains("not sent"), "{reason}");
    assert_eq!((attempt.get("statusCode"), &attempt["durationMs"]), (None, &json!(0)));
    // It says nothing of the receiver.
    let shown = world.admin(Call::get(&hook)).await.expect(200);
    assert_eq!(shown.get("disabledAt"), None);
    assert!(!world.account.items().await.iter().any(|item| item["PK"].starts_with("HEALTH#")));

    // A recovery ends at once, with the reason.
    world.clock.advance(Duration::from_secs(1));
    let since = world.now().minus(Duration::from_secs(3600)).to_string();
    let recover = Call::post(format!("{hook}/recover")).json(&json!({"since": since}));
    let begun = world.admin(recover).await.expect(202);
    while world.deliver().await {}
    let over = world.admin(Call::get(format!("{hook}/recoveries/{}", text(&begun, "id")))).await.expect(200);
    assert_eq!((&over["status"], &over["delivered"]), (&json!("STOPPED"), &json!(0)), "{over}");
    assert!(text(&over, "reason").contains("1000000000 bytes"), "{over}");
    assert_eq!(receiver.got().len(), 1);

    world.clock.advance(Duration::from_secs(DAY));
    world.admin(Call::post(&again)).await.expect(202);
    world.send_events().await;
    assert_eq!((receiver.got().len(), &only_delivery(&world, &hook).await["status"]), (2, &json!("DELIVERED")));
}

/// Live deliveries are neither bounded nor counted.
#[tokio::test]
async fn live_deliveries_cost_nothing_more() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let line = connect(&world, &world.org, "996").await;
    let body = json!({"url": receiver.url, "events": ["messages.chat.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.app);
    world.admin(Call::post(&path).json(&body)).await.expect(201);
    spent(&world, "testPosts", "postedBytes", 1_000_000_000).await;
    world.notify(&line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}}))).await.expect(200);
    world.dispatch().await;
    world.faults.calls();
    world.deliver().await;
    assert_eq!(world.faults.calls(), ["BatchGetItem", "UpdateItem"]);
    assert_eq!(receiver.got().len(), 1);
}

/// A simulation's deliveries are read by at most 100 keys, however many webhooks have heard of it.
#[tokio::test]
async fn a_simulation_reads_at_most_100_keys() {
    let world = World::new().await;
    let number = own_number(&world).await;
    let names = ["messages.chat.sent", "messages.chat.delivered", "messages.chat.read"];
    let hooks = async |app: &str, count: usize, events: &[&str]| {
        let path = format!("/v1/organization/apps/{app}/webhooks");
        for _ in 0..count {
            let body = json!({"url": "https://example.com/a", "events": events});
            world.admin(Call::post(&path).json(&body)).await.expect(201);
        }
    };
    hooks(&world.org.test_app, 20, &names).await;
    for name in ["T2", "T3"] {
        let (app, _) = world.app(&world.org.admin, &json!({"name": name, "test": true})).await;
        world.admin(Call::put(format!("/v1/organization/apps/{app}/phone-numbers/{number}"))).await.expect(200);
        hooks(&app, 20, if name == "T2" { &names } else { &["messages.sms.sent"] }).await;
    }
    world.clock.advance(Duration::from_secs(1));
    let begun = Call::post("/v1/playground/simulations").key(&world.org.test_app_key);
    let begun = world.send(begun.json(&json!({"scenario": "message_read", "target": number}))).await.expect(201);
    let id = text(&begun, "id");
    for _ in 0..3 {
        world.clock.advance(Duration::from_secs(1));
        let (org, id) = (world.org.id.parse().unwrap(), id.parse().unwrap());
        Box::pin(world.worker.inbox.simulate(&org, &id)).await.unwrap();
    }
    world.dispatch().await;
    let read = async |key: &str| {
        let call = Call::get(format!("/v1/playground/simulations/{id}")).key(key);
        let (reply, cost) = world.faults.meter.of(world.send(call)).await;
        let keys = cost.calls.iter().filter_map(|call| call.strip_prefix("BatchGetItem ")?.parse::<usize>().ok());
        let simulation = reply.expect(200);
        let steps = simulation["steps"].as_array().unwrap();
        let deliveries = steps.iter().map(|step| step["deliveries"].as_array().unwrap().len()).sum::<usize>();
        (keys.sum::<usize>(), deliveries, simulation["isTruncated"].clone())
    };
    assert_eq!(event_counts(&world, &world.org).await["messages.chat.read"], 1);
    assert_eq!(read(&world.org.test_app_key).await, (60, 60, Value::Null));
    let (keys, deliveries, is_truncated) = read(&world.org.test_admin).await;
    assert!(keys <= 100, "{keys}");
    assert_eq!((deliveries, is_truncated), (100, json!(true)));
}
