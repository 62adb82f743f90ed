//! Dispatch and delivery of events to webhooks.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use aws::queue::DeliveryJob;
use domain::Timestamp;
use domain::delivery::Delivery;
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tests::catalogue::{fresh_account, simulated_profile};
use tests::chat::connect;
use tests::receiver::{Got, Receiver, plain, status};
use tests::request::text;
use tests::settings::of_size;
use tests::{Call, Service as _, World};

const SMS: [&str; 4] = ["messages.sms.received", "messages.sms.sent", "messages.sms.delivered", "messages.sms.failed"];

/// Creates a webhook of the test app. Returns its path and secret.
async fn webhook(world: &World, url: &str, events: &[&str]) -> (String, String) {
    let body = json!({"url": url, "events": events, "headers": {"X-Team": "blue-team-secret"}});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let made = world.admin(Call::post(&path).json(&body)).await.expect(201);
    (format!("{path}/{}", text(&made, "id")), text(&made, "secret"))
}

/// Simulates an inbound SMS message, which emits one event.
async fn write(world: &World) {
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await;
    let sms = json!({"from": "+442079460111", "to": system.expect(200)["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(&world.org.test_app_key).json(&sms)).await.expect(201);
}

async fn deliveries(world: &World, path: &str) -> Vec<Value> {
    world.admin(Call::get(format!("{path}/deliveries?limit=100"))).await.expect(200)["data"].as_array().unwrap().clone()
}

/// The stored delivery.
async fn stored(world: &World, path: &str) -> Delivery {
    let shown = deliveries(world, path).await;
    let (o, webhook) = (world.org.id.parse().unwrap(), path.rsplit('/').next().unwrap().parse().unwrap());
    let id = text(&shown[0], "id").parse().unwrap();
    world.account.store().of(&o).delivery(&webhook, &id).await.unwrap().unwrap()
}

/// Passes the delivery's queue message to the deliver function, as SQS does when the message's delay is over.
async fn attempt(world: &World, delivery: &Delivery) {
    let job = DeliveryJob::of(&world.org.id.parse().unwrap(), delivery);
    let record =
        json!({"messageId": "1", "receiptHandle": "1", "body": serde_json::to_string(&job).unwrap(), "attributes": {}});
    let event = serde_json::from_value(json!({"Records": [record]})).unwrap();
    let outcome = serde_json::to_value(world.deliverer.work(event).await).unwrap();
    assert_eq!(outcome, json!({"batchItemFailures": []}));
}

fn advance_to(world: &World, at: Timestamp) {
    let by = at.millis() - world.now().millis();
    world.clock.advance(Duration::from_millis(u64::try_from(by).unwrap_or(0)));
}

#[tokio::test]
async fn an_event_arrives_signed_with_its_headers() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(204));
    let (path, secret) = webhook(&world, &receiver.url, &SMS).await;
    write(&world).await;
    world.send_events().await;
    let got = receiver.got();
    assert_eq!(got.len(), 1);
    Webhook::new(&secret).unwrap().verify(&got[0].body, &got[0].headers).unwrap();
    assert_eq!(got[0].head, "POST /hooks?a=b");
    assert_eq!(got[0].headers["x-team"], "blue-team-secret");
    assert_eq!(got[0].headers["content-type"], "application/json");
    assert!(got[0].headers["user-agent"].to_str().unwrap().starts_with("messaging-api/"));
    let body = got[0].json();
    assert_eq!((&body["id"], &body["type"]), (&json!(got[0].id()), &json!("messages.sms.received")));
    assert_eq!((&body["organizationId"], &body["appId"]), (&json!(world.org.id), &json!(world.org.test_app)));
    assert_eq!((&body["mode"], &body["data"]["text"]), (&json!("test"), &json!("Hello")));
    assert!(!String::from_utf8_lossy(&got[0].body).contains("secret"));
    let log = deliveries(&world, &path).await;
    assert_eq!((log.len(), &log[0]["status"], &log[0]["eventId"]), (1, &json!("DELIVERED"), &body["id"]));
    assert_eq!(log[0]["attempts"][0]["statusCode"], 204);
    assert!(log[0].get("nextAttemptAt").is_none());
    assert!(world.waiting_events().await.is_empty());
}

/// The AWS calls match docs/events.md, "What it costs".
#[tokio::test]
async fn an_event_costs_what_the_documentation_says() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    webhook(&world, &receiver.url, &SMS).await;
    write(&world).await;
    world.faults.calls();
    world.dispatch().await;
    let of_the_feed = ["GetItem", "TransactWriteItems"];
    let expected =
        [&["GetItem", "GetItem", "Query", "PutItem", "SendMessageBatch"][..], &of_the_feed, &["UpdateItem"]].concat();
    assert_eq!(world.faults.calls(), expected);
    world.deliver().await;
    assert_eq!(world.faults.calls(), ["BatchGetItem", "UpdateItem"]);
    assert_eq!(receiver.got().len(), 1);
}

#[tokio::test]
async fn both_secrets_sign_while_one_replaces_the_other() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (path, old) = webhook(&world, &receiver.url, &SMS).await;
    let rotate = |grace: i64| Call::post(format!("{path}/rotate-secret")).json(&json!({"gracePeriodSeconds": grace}));
    for wrong in [-1, 604_801] {
        world.admin(rotate(wrong)).await.refused(400, Some("gracePeriodSeconds"), None);
    }
    let new = text(&world.admin(rotate(3600)).await.expect(200), "secret");
    let is_signed_by = |secret: &str, at: usize| {
        let got = &receiver.got()[at];
        Webhook::new(secret).unwrap().verify(&got.body, &got.headers).is_ok()
    };
    write(&world).await;
    world.send_events().await;
    assert!(is_signed_by(&old, 0) && is_signed_by(&new, 0));
    // A leaked secret can be replaced immediately.
    let newest = text(&world.admin(rotate(0)).await.expect(200), "secret");
    write(&world).await;
    world.send_events().await;
    assert!(is_signed_by(&newest, 1) && !is_signed_by(&new, 1) && !is_signed_by(&old, 1));
    let shown = world.admin(Call::get(&path)).await.expect(200);
    assert!(shown.get("secret").is_none());
}

/// The secrets that a delivery is signed with. The verifying library uses the system clock.
fn signers(got: &Got, secrets: &[&str]) -> Vec<bool> {
    let header = |name: &str| got.headers[name].to_str().unwrap();
    let sent: BTreeSet<&str> = header("webhook-signature").split(' ').collect();
    let at = header("webhook-timestamp").parse().unwrap();
    let expected = secrets.iter().map(|secret| Webhook::new(secret).unwrap().sign(&got.id(), at, &got.body).unwrap());
    let signers: Vec<bool> = expected.map(|signature| sent.contains(signature.as_str())).collect();
    assert_eq!(sent.len(), signers.iter().filter(|signed| **signed).count(), "{sent:?}");
    signers
}

#[tokio::test]
async fn a_replaced_secret_signs_for_a_day_and_no_longer() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (path, old) = webhook(&world, &receiver.url, &SMS).await;
    let rotated = world.admin(Call::post(format!("{path}/rotate-secret"))).await.expect(200);
    let new = text(&rotated, "secret");
    for (wait, expected) in [(86_399, [true, true]), (2, [false, true])] {
        world.clock.advance(Duration::from_secs(wait));
        write(&world).await;
        world.send_events().await;
        assert_eq!(signers(receiver.got().last().unwrap(), &[&old, &new]), expected, "{wait}");
    }
    assert_eq!(receiver.got().len(), 2);
}

/// Dispatching the same stream batch five times creates one delivery per subscribed webhook.
#[tokio::test]
async fn a_repeated_batch_makes_nothing_new() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (first, _) = webhook(&world, &receiver.url, &SMS).await;
    let (second, _) = webhook(&world, &receiver.url, &["messages.sms.received"]).await;
    let (deaf, _) = webhook(&world, &receiver.url, &["contacts.chat.created"]).await;
    write(&world).await;
    let partitions = world.waiting_events().await;
    for _ in 0..5 {
        world.clock.advance(Duration::from_millis(1));
        let record =
            json!({"eventName": "INSERT", "dynamodb": {"Keys": {"PK": {"S": partitions[0]}, "SK": {"S": "EVT"}}}});
        let event = serde_json::from_value(json!({"Records": [record]})).unwrap();
        world.dispatcher.work(event).await;
    }
    while world.deliver().await {}
    assert_eq!(receiver.ids().into_values().collect::<Vec<_>>(), [2], "one id for the app's two webhooks");
    for (path, count) in [(&first, 1), (&second, 1), (&deaf, 0)] {
        assert_eq!(deliveries(&world, path).await.len(), count);
    }
}

#[tokio::test]
async fn a_dead_receiver_gets_ten_attempts_at_their_offsets() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(503));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    write(&world).await;
    world.dispatch().await;
    let offsets = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    let mut last = world.now();
    for (n, offset) in offsets.into_iter().enumerate() {
        let delivery = stored(&world, &path).await;
        let at = delivery.next_attempt_at.unwrap();
        let waited = (at.millis() - last.millis()) as f64 / 1000.0;
        assert!((offset as f64..=offset as f64 * 1.2 + 0.001).contains(&waited), "attempt {n} after {waited} s");
        advance_to(&world, at);
        last = world.now();
        attempt(&world, &delivery).await;
        // A duplicate message does not cause another attempt.
        attempt(&world, &delivery).await;
        assert_eq!(receiver.got().len(), n + 1);
    }
    let log = deliveries(&world, &path).await;
    assert_eq!((&log[0]["status"], log[0]["attempts"].as_array().unwrap().len()), (&json!("FAILED"), 10));
    assert_eq!(log[0]["attempts"][9]["responseBody"], "said");
    assert_eq!(receiver.ids().len(), 1);
    assert!(world.messages(&world.account.delivery_dead_letters).await.is_empty());
    // A redelivery starts the schedule again, with the same id.
    let again = format!("{path}/deliveries/{}/redeliver", text(&log[0], "id"));
    assert_eq!(world.admin(Call::post(&again)).await.expect(202)["status"], "PENDING");
    world.admin(Call::post(&again)).await.expect(202);
    attempt(&world, &stored(&world, &path).await).await;
    assert_eq!((receiver.got().len(), receiver.ids().len()), (11, 1));
}

/// A receiver may request a longer delay than the schedule has.
#[tokio::test]
async fn a_receiver_says_when_it_can_be_asked_again() {
    let world = World::with_local_webhooks().await;
    let busy = b"HTTP/1.1 503 Busy\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n".to_vec();
    let receiver = Receiver::start(Arc::new(move |_, _| (Duration::ZERO, busy.clone())));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    write(&world).await;
    world.send_events().await;
    let asked = world.now().plus(Duration::from_secs(60));
    assert_eq!(stored(&world, &path).await.next_attempt_at, Some(asked));
}

/// The timestamp is that of the attempt, so that receivers can reject old requests.
#[tokio::test]
async fn the_timestamp_is_of_the_attempt() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(503));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    write(&world).await;
    world.dispatch().await;
    let mut attempted = Vec::new();
    for _ in 0..3 {
        let delivery = stored(&world, &path).await;
        advance_to(&world, delivery.next_attempt_at.unwrap());
        attempt(&world, &delivery).await;
        attempted.push(world.now().seconds().to_string());
    }
    let told: Vec<String> =
        receiver.got().iter().map(|got| got.headers["webhook-timestamp"].to_str().unwrap().to_owned()).collect();
    assert_eq!(told, attempted);
    assert_ne!(told[0], told[2]);
}

/// Deliveries can be redelivered for thirty days, whatever their status.
#[tokio::test]
async fn what_was_delivered_can_be_delivered_again() {
    const DAY: i64 = 86_400;
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    write(&world).await;
    world.send_events().await;
    let delivery = &deliveries(&world, &path).await[0];
    assert_eq!(delivery["status"], "DELIVERED");
    let items = world.account.items().await;
    for class in ["EVT#", "DLV#"] {
        let ends = items.iter().find(|item| item["PK"].starts_with(class)).unwrap()["ttl"].parse::<i64>();
        assert_eq!(ends, Ok(world.now().seconds() + 30 * DAY), "{class}");
    }
    world.clock.advance(Duration::from_secs(29 * DAY.unsigned_abs()));
    let again = format!("{path}/deliveries/{}/redeliver", text(delivery, "id"));
    world.admin(Call::post(again)).await.expect(202);
    while world.deliver().await {}
    let got = receiver.got();
    assert_eq!((got.len(), receiver.ids().len()), (2, 1));
    assert_eq!(got[0].body, got[1].body);
}

#[tokio::test]
async fn a_page_of_one_status_leads_to_no_other() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    write(&world).await;
    write(&world).await;
    world.send_events().await;
    let list = async |query: &str| world.admin(Call::get(format!("{path}/deliveries?{query}"))).await;
    let first = list("limit=1&status=DELIVERED").await.expect(200);
    let next = format!("cursor={}", text(&first, "nextCursor"));
    for other in ["&status=FAILED", ""] {
        list(&format!("{next}{other}")).await.refused(400, Some("cursor"), None);
    }
    let second = list(&format!("{next}&status=DELIVERED")).await.expect(200);
    assert_ne!(second["data"][0]["id"], first["data"][0]["id"]);
}

#[tokio::test]
async fn a_gone_receiver_is_disabled_and_its_deliveries_skipped() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(410));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    write(&world).await;
    world.send_events().await;
    let shown = world.admin(Call::get(&path)).await.expect(200);
    assert_eq!(shown["disabledReason"], "The receiver responded with 410 Gone.");
    write(&world).await;
    world.send_events().await;
    let statuses: BTreeSet<String> =
        deliveries(&world, &path).await.iter().map(|shown| text(shown, "status")).collect();
    assert_eq!(statuses, ["FAILED".to_owned(), "SKIPPED".to_owned()].into());
    assert_eq!(receiver.got().len(), 1);
    let skipped = world.admin(Call::get(format!("{path}/deliveries?status=SKIPPED"))).await.expect(200);
    let id = text(&skipped["data"][0], "id");
    world.admin(Call::post(format!("{path}/deliveries/{id}/redeliver"))).await.refused(409, Some("webhookId"), None);
    // Any change enables the webhook again, and skipped deliveries can be redelivered.
    world.admin(Call::put(&path).json(&json!({"headers": {}}))).await.expect(200);
    world.admin(Call::post(format!("{path}/deliveries/{id}/redeliver"))).await.expect(202);
    while world.deliver().await {}
    assert_eq!(receiver.got().len(), 2);
    world.admin(Call::get(format!("{path}/deliveries?status=NEVER"))).await.refused(400, Some("status"), None);
}

/// After five consecutive failures, one delivery per minute is attempted and the others wait until an attempt succeeds.
#[tokio::test]
async fn new_deliveries_wait_for_a_receiver_that_is_down() {
    let world = World::with_local_webhooks().await;
    let is_up = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let up = is_up.clone();
    let answer = move |_: usize, _: &tests::receiver::Got| {
        (Duration::ZERO, plain(if up.load(std::sync::atomic::Ordering::SeqCst) { 200 } else { 500 }, ""))
    };
    let receiver = Receiver::start(Arc::new(answer));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    for _ in 0..5 {
        write(&world).await;
        world.dispatch().await;
        world.deliver().await;
    }
    assert_eq!(receiver.got().len(), 5);
    for _ in 0..20 {
        write(&world).await;
    }
    world.dispatch().await;
    for _ in 0..4 {
        world.deliver().await;
    }
    assert_eq!(receiver.got().len(), 6, "one of twenty has tried");
    is_up.store(true, std::sync::atomic::Ordering::SeqCst);
    for _ in 0..40 {
        world.clock.advance(Duration::from_secs(400));
        world.sweep().await;
        while world.deliver().await {}
        let left = deliveries(&world, &path).await.iter().filter(|shown| shown["status"] != "DELIVERED").count();
        if left == 0 {
            assert_eq!(receiver.ids().len(), 25);
            return;
        }
    }
    panic!("not all were delivered: {:?}", deliveries(&world, &path).await);
}

#[tokio::test]
async fn a_receiver_that_is_down_is_tried_once_a_minute() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(500));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    // Attempt only the newest delivery; retries of the older ones are not counted here.
    let heard_after = async |seconds: u64| {
        world.clock.advance(Duration::from_secs(seconds));
        write(&world).await;
        world.dispatch().await;
        attempt(&world, &stored(&world, &path).await).await;
        receiver.got().len()
    };
    for n in 1..=6 {
        assert_eq!(heard_after(1).await, n);
    }
    for (seconds, heard) in [(1, 6), (58, 6), (1, 7), (59, 7), (1, 8)] {
        assert_eq!(heard_after(seconds).await, heard);
    }
}

#[tokio::test]
async fn a_hopeless_receiver_is_disabled() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(500));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    for n in 0..20 {
        let test = world.admin(Call::post(format!("{path}/test"))).await.expect(202);
        assert_eq!(test["eventType"], "messages.sms.received");
        if n == 18 {
            world.clock.advance(Duration::from_secs(5 * 86_400));
        }
        world.clock.advance(Duration::from_secs(61));
        attempt(&world, &stored(&world, &path).await).await;
        let shown = world.admin(Call::get(&path)).await.expect(200);
        assert_eq!(shown.get("disabledAt").is_some(), n == 19, "after {} failures", n + 1);
    }
}

/// All events arrive, however often the dispatch and deliver functions stop and the receiver fails.
#[tokio::test]
async fn nothing_is_lost() {
    let world = World::with_local_webhooks().await;
    let answer = |count: usize, _: &tests::receiver::Got| {
        (Duration::ZERO, plain(if count.is_multiple_of(3) { 500 } else { 200 }, ""))
    };
    let receiver = Receiver::start(Arc::new(answer));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    let events = of_size(110, 1000);
    for _ in 0..events {
        write(&world).await;
    }
    let mut step = 0;
    for _ in 0..200 {
        // Stop both functions after a few calls.
        step = (step + 7) % 60;
        world.faults.set(tests::faults::Fault::StoppedAfter(step + 3));
        tokio::select! {
            () = async { world.dispatch().await; for _ in 0..5 { world.deliver().await; } } => {}
            () = world.faults.struck() => {}
        }
        world.faults.clear();
        world.clock.advance(Duration::from_secs(400));
        world.sweep().await;
        while world.deliver().await {}
        let delivered =
            world.admin(Call::get(format!("{path}/deliveries?status=DELIVERED&limit=100"))).await.expect(200);
        if delivered["data"].as_array().unwrap().len() == 100 && receiver.ids().len() == events {
            break;
        }
    }
    assert_eq!(receiver.ids().len(), events);
    let bodies: BTreeSet<(String, Vec<u8>)> = receiver.got().into_iter().map(|got| (got.id(), got.body)).collect();
    assert_eq!(bodies.len(), events, "the same bytes with the same id");
    assert!(world.messages(&world.account.delivery_dead_letters).await.is_empty());
}

/// All other events arrive although the stream stops for a while, a queue rejects messages, and one event is invalid.
#[tokio::test]
async fn what_was_missed_is_made_good() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    // The stream's event source mapping was disabled.
    for _ in 0..10 {
        write(&world).await;
    }
    world.clock.advance(Duration::from_secs(301));
    world.sweep().await;
    while world.deliver().await {}
    assert_eq!(receiver.ids().len(), 10);
    // SendMessageBatch succeeds, but rejects every entry.
    write(&world).await;
    world.faults.set(tests::faults::Fault::QueueTakesNothing);
    world.send_events().await;
    assert_eq!(receiver.ids().len(), 11);
    // A record that the dispatch function cannot read.
    write(&world).await;
    let broken = world.waiting_events().await.remove(0);
    use aws_sdk_dynamodb::types::AttributeValue::S;
    let call = world
        .account
        .dynamodb
        .update_item()
        .table_name("table")
        .key("PK", S(broken.clone()))
        .key("SK", S("EVT".to_owned()));
    call.update_expression("SET audience = :x")
        .expression_attribute_values(":x", S("nonsense".to_owned()))
        .send()
        .await
        .unwrap();
    for _ in 0..5 {
        write(&world).await;
    }
    world.send_events().await;
    assert_eq!(receiver.ids().len(), 16, "the others go on");
    for _ in 0..3 {
        world.clock.advance(Duration::from_secs(301));
        world.index_caught_up().await;
        assert_eq!(world.sweep_once().await.failed, 1);
    }
    assert_eq!(deliveries(&world, &path).await.len(), 16);
    // The repaired event arrives.
    let app = aws_sdk_dynamodb::types::AttributeValue::M([("app".to_owned(), S(world.org.test_app.clone()))].into());
    let call =
        world.account.dynamodb.update_item().table_name("table").key("PK", S(broken)).key("SK", S("EVT".to_owned()));
    call.update_expression("SET audience = :x").expression_attribute_values(":x", app).send().await.unwrap();
    world.clock.advance(Duration::from_secs(301));
    world.sweep().await;
    while world.deliver().await {}
    assert_eq!(receiver.ids().len(), 17);
}

/// A hanging receiver does not delay the others: their events arrive while it still hangs. Prints the 95th percentile of
/// the time from the dispatch to the arrival at the healthy receivers, with twenty concurrent functions.
#[tokio::test]
async fn a_receiver_that_hangs_holds_nobody_up() {
    const HOOKS: usize = 10;
    const HANGING: usize = 40 * HOOKS;
    const HEALTHY: usize = 10;
    const EACH: usize = 20;
    // Much longer than the test: an event behind a hanging receiver does not arrive in time, on whatever machine.
    let deadline = Duration::from_secs(3600);
    let in_time = deadline / 6;
    let mut world = World::with_patience(deadline).await;
    // Two hundred posts at once take a busy machine longer than the real limit.
    world.deliverer.prompt = delivery::PROMPT * 5;
    let hanging = Receiver::start(Arc::new(move |_, _| (deadline, plain(200, ""))));
    let (slow_app, slow_key) = world.app(&world.org.admin, &json!({"name": "Slow", "test": true})).await;
    let add = async |app: &str, url: &str| {
        let body = json!({"url": url, "events": ["messages.sms.received"]});
        world.admin(Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&body)).await.expect(201);
    };
    for _ in 0..HOOKS {
        add(&slow_app, &hanging.url).await;
    }
    let healthy: Vec<Receiver> = (0..HEALTHY).map(|_| Receiver::start(status(200))).collect();
    for receiver in &healthy {
        add(&world.org.test_app, &receiver.url).await;
    }
    let write = async |key: &str, count: usize| {
        let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
        let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": "Hello"});
        for _ in 0..count {
            world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
        }
    };
    write(&slow_key, HANGING / HOOKS).await;
    write(&world.org.test_app_key, EACH).await;
    world.dispatch().await;
    let started = std::time::Instant::now();
    let pollers = futures_util::future::join_all((0..20).map(|_| async {
        while healthy.iter().map(Receiver::count).sum::<usize>() < HEALTHY * EACH {
            world.deliver_from(&world.account.deliveries).await;
        }
    }));
    tokio::time::timeout(in_time, pollers).await.unwrap();
    assert!(healthy.iter().all(|receiver| receiver.ids().len() == EACH), "each event, at every receiver");
    let mut latencies: Vec<Duration> =
        healthy.iter().flat_map(Receiver::got).map(|got| got.at.duration_since(started)).collect();
    latencies.sort();
    let p95 = latencies[latencies.len() * 95 / 100];
    eprintln!("healthy p95 {p95:?} of {} beside {HANGING} to a receiver that hangs", latencies.len());
}

/// Live apps never receive simulated events.
#[tokio::test]
async fn what_is_simulated_is_told_to_test_apps() {
    let world = World::with_local_webhooks().await;
    let receivers: Vec<Receiver> = (0..2).map(|_| Receiver::start(status(200))).collect();
    for (app, receiver) in [&world.org.test_app, &world.org.app].into_iter().zip(&receivers) {
        let body = json!({"url": receiver.url, "events": ["chat.account.connected", "templates.chat.created"]});
        world.admin(Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&body)).await.expect(201);
    }
    let profile = simulated_profile(&world, &fresh_account(), false).await;
    let sync = json!({"chatBusinessProfileId": profile["id"]});
    world.admin(Call::post("/v1/organization/chat/templates/sync").json(&sync)).await.expect(200);
    world.send_events().await;
    let bodies: Vec<Value> = receivers[0].got().iter().map(tests::receiver::Got::json).collect();
    assert!(bodies.iter().all(|body| body["mode"] == "test"));
    let connected: Vec<&Value> = bodies.iter().filter(|body| body["type"] == "chat.account.connected").collect();
    assert_eq!((connected.len(), &connected[0]["data"]), (1, &profile));
    assert_eq!(bodies.len(), 5, "four templates");
    assert!(receivers[1].got().is_empty());
}

/// The apps that receive each kind of event.
#[tokio::test]
async fn events_go_to_the_apps_that_they_concern() {
    let world = World::with_local_webhooks().await;
    let line = connect(&world, &world.org, "1201").await;
    let (other, _) = world.app(&world.org.admin, &json!({"name": "Other"})).await;
    let all =
        ["messages.chat.received", "contacts.chat.created", "templates.chat.created", "chat.account.disconnected"];
    let receivers: Vec<Receiver> = (0..3).map(|_| Receiver::start(status(200))).collect();
    for (app, receiver) in [&world.org.app, &other, &world.org.test_app].into_iter().zip(&receivers) {
        let body = json!({"url": receiver.url, "events": all});
        world.admin(Call::post(format!("/v1/organization/apps/{app}/webhooks")).json(&body)).await.expect(201);
    }
    world.notify(&line.message(&json!({"id": "wamid.1", "type": "text", "text": {"body": "Hi"}}))).await.expect(200);
    for (field, value) in [
        (
            "message_template_status_update",
            json!({"event": "APPROVED", "message_template_id": 7, "message_template_name": "t", "message_template_language": "en"}),
        ),
        ("account_update", json!({"event": "PARTNER_REMOVED"})),
    ] {
        world.notify(&tests::chat::notification("1201", 2_100_000_000, field, &value)).await.expect(200);
    }
    world.send_events().await;
    let heard =
        |receiver: &Receiver| receiver.got().iter().map(|got| text(&got.json(), "type")).collect::<BTreeSet<_>>();
    assert_eq!(heard(&receivers[0]), all.map(str::to_owned).into());
    assert_eq!(heard(&receivers[1]), all[2..].iter().map(|name| (*name).to_owned()).collect());
    assert!(heard(&receivers[2]).is_empty(), "a test app hears of nothing live");
    // Every app has its own delivery ids.
    let ids: BTreeSet<String> = receivers.iter().flat_map(|receiver| receiver.ids().into_keys()).collect();
    assert_eq!(ids.len(), 6);
    // After the deletion of an app, nothing of it is left for the sweep.
    world.admin(Call::delete(format!("/v1/organization/apps/{other}"))).await.expect(200);
    assert!(!format!("{:?}", world.account.items().await).contains("GONE#"));
}

#[tokio::test]
async fn tests_send_a_sample_of_any_event_sixty_times_an_hour() {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(status(200));
    let (path, secret) = webhook(&world, &receiver.url, &["messages.sms.sent"]).await;
    for event in domain::event::EventName::ALL {
        world.admin(Call::post(format!("{path}/test")).json(&json!({"event": event.as_str()}))).await.expect(202);
    }
    while world.deliver().await {}
    let got = receiver.got();
    assert_eq!(got.len(), 18);
    for got in &got {
        Webhook::new(&secret).unwrap().verify(&got.body, &got.headers).unwrap();
        assert!(got.json()["data"]["id"].is_string());
    }
    world.admin(Call::post(format!("{path}/test")).json(&json!({"event": "x"}))).await.refused(
        400,
        Some("event"),
        None,
    );
    for _ in 18..60 {
        world.admin(Call::post(format!("{path}/test"))).await.expect(202);
    }
    let limited = world.admin(Call::post(format!("{path}/test"))).await;
    assert!(limited.header("retry-after").is_some());
    limited.refused(429, None, Some("rate_limit_exceeded"));
    world.clock.advance(Duration::from_secs(3600));
    world.admin(Call::post(format!("{path}/test"))).await.expect(202);
}
