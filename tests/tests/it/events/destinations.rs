//! SQS queues as addresses of webhooks: who may use them, what they receive, and what happens if they do not accept it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws::Connection;
use aws::queue::{DeliveryJob, Destinations};
use aws_sdk_sqs::types::{Message, MessageSystemAttributeName, QueueAttributeName};
use domain::Timestamp;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::world::Organization;
use tests::{Call, Service as _, World};

const RECEIVED: &str = "messages.sms.received";

/// Creates a queue of the world's account. Returns its URL.
async fn queue(world: &World, name: &str, attributes: &[(QueueAttributeName, &str)]) -> String {
    let attributes = attributes.iter().map(|(name, value)| (name.clone(), (*value).to_owned())).collect();
    let call = world.account.sqs.create_queue().queue_name(name).set_attributes(Some(attributes));
    call.send().await.unwrap().queue_url.unwrap()
}

async fn operate(world: &World, operation: &str, org: &str, arn: &str) -> Result<Value, String> {
    world.operate(json!({"operation": operation, "organizationId": org, "arn": arn})).await
}

async fn allow(world: &World, org: &Organization, arn: &str) {
    operate(world, "allowDestination", &org.id, arn).await.unwrap();
}

fn path(org: &Organization) -> String {
    format!("/v1/organization/apps/{}/webhooks", org.test_app)
}

/// Creates a webhook of the organization's test app. Returns its path and secret.
async fn webhook(world: &World, url: &str) -> (String, String) {
    let body = json!({"url": url, "events": [RECEIVED]});
    let made = world.admin(Call::post(path(&world.org)).json(&body)).await.expect(201);
    (format!("{}/{}", path(&world.org), text(&made, "id")), text(&made, "secret"))
}

/// Allows a queue for the world's organization and creates a webhook with it. Returns the webhook's path and secret.
async fn webhook_to(world: &World, name: &str) -> (String, String) {
    let arn = world.account.queue_arn(name);
    allow(world, &world.org, &arn).await;
    webhook(world, &arn).await
}

/// Simulates an inbound SMS message, which emits one event.
async fn write(world: &World, words: &str) {
    let key = &world.org.test_app_key;
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(key)).await.expect(200);
    let sms = json!({"from": "+442079460111", "to": system["numbers"][0], "text": words});
    world.send(Call::post("/v1/playground/sms/inbound").key(key).json(&sms)).await.expect(201);
}

/// Takes the messages of a queue, as a receiver does.
async fn take(world: &World, url: &str) -> Vec<Message> {
    let call = world.account.sqs.receive_message().queue_url(url).max_number_of_messages(10);
    let call = call.message_attribute_names("All").message_system_attribute_names(MessageSystemAttributeName::All);
    let messages = call.send().await.unwrap().messages.unwrap_or_default();
    for message in &messages {
        let handle = message.receipt_handle().unwrap();
        world.account.sqs.delete_message().queue_url(url).receipt_handle(handle).send().await.unwrap();
    }
    messages
}

/// The attributes of a message as headers, in the form that libraries for Standard Webhooks take.
fn headers(message: &Message) -> HeaderMap {
    let attributes = message.message_attributes().unwrap().iter();
    let header = |(name, value): (&String, &aws_sdk_sqs::types::MessageAttributeValue)| {
        assert_eq!(value.data_type(), "String");
        (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value.string_value().unwrap()).unwrap())
    };
    attributes.map(header).collect()
}

async fn deliveries(world: &World, path: &str) -> Vec<Value> {
    world.admin(Call::get(format!("{path}/deliveries"))).await.expect(200)["data"].as_array().unwrap().clone()
}

/// The job of the next attempt of the webhook's latest delivery.
async fn job(world: &World, path: &str) -> DeliveryJob {
    let (organization, webhook) = (world.org.id.parse().unwrap(), path.rsplit('/').next().unwrap().parse().unwrap());
    let id = text(&deliveries(world, path).await[0], "id").parse().unwrap();
    let delivery = world.account.store().of(&organization).delivery(&webhook, &id).await.unwrap().unwrap();
    DeliveryJob::of(&organization, &delivery)
}

/// Passes a message of the delivery queue to the deliver function, when the attempt is due.
async fn attempt(world: &World, job: &DeliveryJob) {
    let record =
        json!({"messageId": "1", "receiptHandle": "1", "body": serde_json::to_string(job).unwrap(), "attributes": {}});
    let event = serde_json::from_value(json!({"Records": [record]})).unwrap();
    let outcome = serde_json::to_value(Box::pin(world.deliverer.work(event)).await).unwrap();
    assert_eq!(outcome, json!({"batchItemFailures": []}));
}

async fn retry(world: &World, path: &str) {
    world.clock.advance(Duration::from_secs(7));
    attempt(world, &job(world, path).await).await;
}

#[tokio::test]
async fn a_queue_receives_events_that_verify() {
    let world = World::new().await;
    let url = queue(&world, "destination", &[]).await;
    let (path, secret) = webhook_to(&world, "destination").await;
    write(&world, "Hello \u{FFFE}").await;
    world.send_events().await;
    let got = take(&world, &url).await;
    assert_eq!(got.len(), 1);
    let (body, headers) = (got[0].body().unwrap(), headers(&got[0]));
    Webhook::new(&secret).unwrap().verify(body.as_bytes(), &headers).unwrap();
    let mut names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["webhook-id", "webhook-signature", "webhook-timestamp"]);
    let event: Value = serde_json::from_str(body).unwrap();
    assert_eq!((&event["type"], &event["data"]["text"]), (&json!(RECEIVED), &json!("Hello \u{FFFE}")));
    assert_eq!(
        (&event["appId"], event["id"].as_str()),
        (&json!(world.org.test_app), headers["webhook-id"].to_str().ok())
    );
    tests::contract::check_delivery(&headers, &event);

    // The log says which message it was, and what was sent.
    let log = deliveries(&world, &path).await;
    assert_eq!((log.len(), &log[0]["status"], &log[0]["eventId"]), (1, &json!("DELIVERED"), &event["id"]));
    let details = world.admin(Call::get(format!("{path}/deliveries/{}", text(&log[0], "id")))).await.expect(200);
    let attempt = &details["attempts"][0];
    let id = json!({"MessageId": got[0].message_id()});
    assert_eq!(attempt["statusCode"], 200);
    assert_eq!(serde_json::from_str::<Value>(attempt["responseBody"].as_str().unwrap()).unwrap(), id);
    let shown: Vec<_> = attempt["headers"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(shown, names);
}

#[tokio::test]
async fn tests_and_redeliveries_reach_a_queue_like_events() {
    let world = World::new().await;
    let url = queue(&world, "destination", &[]).await;
    let (path, secret) = webhook_to(&world, "destination").await;
    let sent = world.admin(Call::post(format!("{path}/test"))).await.expect(202);
    while world.deliver().await {}
    let test = take(&world, &url).await.remove(0);
    assert_eq!(headers(&test)["webhook-test"], "true");
    Webhook::new(&secret).unwrap().verify(test.body().unwrap().as_bytes(), &headers(&test)).unwrap();
    assert_eq!(serde_json::from_str::<Value>(test.body().unwrap()).unwrap()["test"], true);
    let delivery = format!("{path}/deliveries/{}", text(&sent, "id"));
    let shown = world.admin(Call::get(&delivery)).await.expect(200);
    assert_eq!(shown["attempts"][0]["headers"]["webhook-test"], "true");
    world.admin(Call::post(format!("{delivery}/redeliver"))).await.expect(202);
    while world.deliver().await {}
    let again = take(&world, &url).await.remove(0);
    assert_eq!(headers(&again)["webhook-id"], headers(&test)["webhook-id"]);
    // A rotated secret signs, too.
    let fresh = text(&world.admin(Call::post(format!("{path}/rotate-secret"))).await.expect(200), "secret");
    write(&world, "Hello").await;
    world.send_events().await;
    let message = take(&world, &url).await.remove(0);
    for secret in [&secret, &fresh] {
        Webhook::new(secret).unwrap().verify(message.body().unwrap().as_bytes(), &headers(&message)).unwrap();
    }
}

#[tokio::test]
async fn a_fifo_queue_groups_by_app_and_gets_each_attempt_once() {
    let world = World::new().await;
    let url = queue(&world, "destination.fifo", &[(QueueAttributeName::FifoQueue, "true")]).await;
    let (path, _) = webhook_to(&world, "destination.fifo").await;
    write(&world, "Hello").await;
    world.dispatch().await;
    // SQS may deliver a job to two deliver functions at the same time.
    let job = job(&world, &path).await;
    tokio::join!(attempt(&world, &job), attempt(&world, &job));
    let first = take(&world, &url).await;
    assert_eq!(first.len(), 1);
    let of = |message: &Message, name: MessageSystemAttributeName| message.attributes().unwrap()[&name].clone();
    let id = headers(&first[0])["webhook-id"].to_str().unwrap().to_owned();
    assert_eq!(of(&first[0], MessageSystemAttributeName::MessageGroupId), world.org.test_app);
    let webhook_id = path.rsplit('/').next().unwrap();
    let of_attempt = |revision: u64| format!("{id}-{webhook_id}-{revision}");
    assert_eq!(of(&first[0], MessageSystemAttributeName::MessageDeduplicationId), of_attempt(1));
    // A redelivery is another attempt, so it arrives although the queue knows the event.
    let delivery = format!("{path}/deliveries/{}", text(&deliveries(&world, &path).await[0], "id"));
    world.admin(Call::post(format!("{delivery}/redeliver"))).await.expect(202);
    while world.deliver().await {}
    let second = take(&world, &url).await;
    assert_eq!((second.len(), headers(&second[0])["webhook-id"].to_str().unwrap()), (1, id.as_str()));
    assert_ne!(of(&second[0], MessageSystemAttributeName::MessageDeduplicationId), of_attempt(1));
    // Another webhook may have the same queue. It has a secret of its own, so both get the event.
    webhook(&world, &world.account.queue_arn("destination.fifo")).await;
    write(&world, "Hello again").await;
    world.send_events().await;
    let both = take(&world, &url).await;
    assert_eq!((both.len(), &headers(&both[0])["webhook-id"]), (2, &headers(&both[1])["webhook-id"]));
}

#[tokio::test]
async fn an_organization_uses_only_queues_that_it_was_allowed() {
    let world = World::new().await;
    let url = queue(&world, "destination", &[]).await;
    let other = world.organization("Other").await;
    let [allowed, second] = ["destination", "destination-2"].map(|name| world.account.queue_arn(name));
    allow(&world, &world.org, &allowed).await;
    let body = |url: &str| json!({"url": url, "events": [RECEIVED]});

    // Neither another organization nor another queue: not with an admin key, not with an app key, not by an update.
    for (org, arn) in [(&other, &allowed), (&world.org, &second)] {
        let refused = world.send(Call::post(path(org)).key(&org.admin).json(&body(arn))).await;
        let refused = refused.refused(400, Some("url"), None);
        assert!(refused["error"]["message"].as_str().unwrap().contains("allowDestination"), "{refused}");
        let own = Call::post("/v1/webhooks").key(&org.test_app_key);
        world.send(own.json(&body(arn))).await.refused(400, Some("url"), None);
        let made = world.send(Call::post(path(org)).key(&org.admin).json(&body("https://example.com"))).await;
        let one = format!("{}/{}", path(org), text(&made.expect(201), "id"));
        let update = Call::put(&one).json(&json!({"url": arn}));
        world.send(update.key(&org.admin)).await.refused(400, Some("url"), None);
        assert_eq!(world.send(Call::get(&one).key(&org.admin)).await.expect(200)["url"], "https://example.com");
    }
    // A stored address is of no use either: each delivery checks.
    let made = world.send(Call::post(path(&world.org)).key(&world.org.admin).json(&body(&allowed))).await.expect(201);
    let one = format!("{}/{}", path(&world.org), text(&made, "id"));
    operate(&world, "disallowDestination", &world.org.id, &allowed).await.unwrap();
    write(&world, "Hello").await;
    world.send_events().await;
    assert!(take(&world, &url).await.is_empty());
    let log = deliveries(&world, &one).await;
    assert_eq!(log[0]["status"], "PENDING");
    let error = text(&log[0]["attempts"][0], "error");
    assert!(error.starts_with("This organization may no longer use the queue."), "{error}");
    // Any update needs the permission, also one that does not name the address.
    let update = |body: Value| Call::put(&one).json(&body);
    world.admin(update(json!({"events": ["messages.sms.sent"]}))).await.refused(400, Some("url"), None);

    // The permission of another organization does not help; the organization's own does, and nothing was lost.
    allow(&world, &other, &allowed).await;
    retry(&world, &one).await;
    assert!(take(&world, &url).await.is_empty());
    allow(&world, &world.org, &allowed).await;
    world.clock.advance(Duration::from_secs(400));
    attempt(&world, &job(&world, &one).await).await;
    assert_eq!(take(&world, &url).await.len(), 1);
    assert_eq!(deliveries(&world, &one).await[0]["status"], "DELIVERED");
    world.admin(update(json!({"url": "https://example.com"}))).await.expect(200);
}

#[tokio::test]
async fn the_operator_allows_listed_queues_only_and_sees_them() {
    let world = World::new().await;
    let arn = world.account.queue_arn("destination");
    let first = operate(&world, "allowDestination", &world.org.id, &arn).await.unwrap();
    assert_eq!(first["destinations"][0]["arn"], json!(arn));
    world.clock.advance(Duration::from_secs(60));
    assert_eq!(operate(&world, "allowDestination", &world.org.id, &arn).await.unwrap(), first);
    let fifo = world.account.queue_arn("destination.fifo");
    let both = operate(&world, "allowDestination", &world.org.id, &fifo).await.unwrap();
    let list = async |org: &str| world.operate(json!({"operation": "listDestinations", "organizationId": org})).await;
    assert_eq!((both["destinations"].as_array().unwrap().len(), list(&world.org.id).await.unwrap()), (2, both));
    let other = world.organization("Other").await;
    assert_eq!(list(&other.id).await.unwrap(), json!({"destinations": []}));

    let nobody = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    for (operation, org, arn, part) in [
        ("allowDestination", world.org.id.as_str(), "queue", "arn: arn is not the ARN of an SQS queue."),
        ("allowDestination", &world.org.id, &format!(" {arn}"), "without spaces"),
        ("allowDestination", &world.org.id, &world.account.queue_arn("unlisted"), "EventDestinations"),
        ("allowDestination", &world.org.id, &arn.replace("us-east-1", "eu-west-1"), "in eu-west-1"),
        ("allowDestination", nobody, &arn, "organizationId"),
        ("disallowDestination", &other.id, &arn, "listDestinations"),
        ("disallowDestination", &world.org.id, "queue", "arn: arn is not the ARN of an SQS queue."),
    ] {
        let refusal = operate(&world, operation, org, arn).await.unwrap_err();
        assert!(refusal.contains(part), "{operation} {arn}: {refusal}");
    }
    assert_eq!(operate(&world, "disallowDestination", &world.org.id, &fifo).await.unwrap(), first);
}

#[tokio::test]
async fn a_webhook_with_a_queue_has_no_headers() {
    let world = World::new().await;
    let arn = world.account.queue_arn("destination");
    allow(&world, &world.org, &arn).await;
    let body = |url: &str, headers: Value| json!({"url": url, "events": [RECEIVED], "headers": headers});
    let create = |body: Value| Call::post(path(&world.org)).json(&body);
    let team = json!({"X-Team": "blue"});
    world.admin(create(body(&arn, team.clone()))).await.refused(400, Some("headers"), None);
    world.admin(create(body("arn:aws:sqs:us-east-1:1:x", json!({})))).await.refused(400, Some("url"), None);
    let made = world.admin(create(body("https://example.com", team.clone()))).await.expect(201);
    let one = format!("{}/{}", path(&world.org), text(&made, "id"));
    let update = |body: Value| world.admin(Call::put(&one).json(&body));
    update(json!({"url": arn})).await.refused(400, Some("headers"), None);
    let moved = update(json!({"url": arn, "headers": {}})).await.expect(200);
    assert_eq!((&moved["url"], &moved["headers"]), (&json!(arn), &json!({})));
    update(json!({"headers": team})).await.refused(400, Some("headers"), None);
    let back = update(json!({"url": "https://example.com", "headers": team})).await.expect(200);
    assert_eq!(back["headers"], team);
}

/// A queue that fails is a receiver that fails: the attempt is logged with its reason, and the next one follows the
/// schedule.
#[tokio::test]
async fn a_failing_queue_is_logged_and_retried() {
    let world = World::new().await;
    let (path, _) = webhook_to(&world, "destination").await;
    write(&world, "Hello").await;
    world.send_events().await;
    let log = deliveries(&world, &path).await;
    assert_eq!((&log[0]["status"], log[0]["attempts"][0].get("statusCode")), (&json!("PENDING"), None));
    let error = |log: &[Value], at: usize| text(&log[0]["attempts"][at], "error");
    assert!(error(&log, 0).starts_with("The queue does not exist"), "{log:?}");
    let next: Timestamp = serde_json::from_value(log[0]["nextAttemptAt"].clone()).unwrap();
    let wait = next.millis() - world.now().millis();
    assert!((5_000..=6_000).contains(&wait), "{wait}");
    // The queue exists now, but is too small for the event.
    let url = queue(&world, "destination", &[(QueueAttributeName::MaximumMessageSize, "1024")]).await;
    let long = "a".repeat(1000);
    world.clock.advance(Duration::from_secs(1));
    write(&world, &long).await;
    world.dispatch().await;
    attempt(&world, &job(&world, &path).await).await;
    let log = deliveries(&world, &path).await;
    assert!(error(&log, 0).contains("larger than the maximum message size"), "{log:?}");
    let larger = world.account.sqs.set_queue_attributes().queue_url(&url);
    larger.attributes(QueueAttributeName::MaximumMessageSize, "1048576").send().await.unwrap();
    retry(&world, &path).await;
    assert_eq!(take(&world, &url).await.len(), 1);
    let log = deliveries(&world, &path).await;
    assert_eq!((&log[0]["status"], log[0]["attempts"].as_array().unwrap().len()), (&json!("DELIVERED"), 2));
}

/// The responses of SQS, byte for byte, and how the log shows them.
#[tokio::test]
async fn the_log_says_why_a_queue_did_not_accept_an_event() {
    let mut world = World::new().await;
    let (path, _) = webhook_to(&world, "destination").await;
    let answer = |status: u16, code: &str, legacy: &str| {
        let body = json!({"__type": format!("com.amazonaws.sqs#{code}"), "message": "no"}).to_string();
        format!(
            "HTTP/1.1 {status} No\r\nContent-Type: application/x-amz-json-1.0\r\nx-amzn-query-error: {legacy};Sender\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    };
    for (status, code, legacy, reason, calls) in [
        (403, "AccessDeniedException", "AccessDenied", "Access to the queue was denied.", 1),
        (400, "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", "The queue does not exist", 1),
        (400, "KmsAccessDenied", "KMS.AccessDeniedException", "The KMS key of the queue cannot be used.", 1),
        // The SDK repeats the call within the attempt.
        (400, "RequestThrottled", "RequestThrottled", "SQS throttled the queue.", 3),
        (503, "ServiceUnavailable", "ServiceUnavailable", "SQS did not accept the message.", 3),
        (
            400,
            "UnsupportedOperation",
            "AWS.SimpleQueueService.UnsupportedOperation",
            "SQS did not accept the message.",
            1,
        ),
    ] {
        let response = answer(status, code, legacy);
        world.clock.advance(Duration::from_secs(1));
        let sqs = Receiver::start(Arc::new(move |_, _| (Duration::ZERO, response.clone())));
        world.deliverer.destinations = destinations_at(&world, &sqs);
        write(&world, code).await;
        world.dispatch().await;
        attempt(&world, &job(&world, &path).await).await;
        let log = deliveries(&world, &path).await;
        let error = text(&log[0]["attempts"][0], "error");
        assert!(error.starts_with(reason), "{code}: {error}");
        assert_eq!((sqs.got_undocumented().len(), &log[0]["status"]), (calls, &json!("PENDING")), "{code}");
        // The next one is not postponed because of the failures before it.
        world.admin(Call::put(&path).json(&json!({"events": [RECEIVED]}))).await.expect(200);
    }
}

#[tokio::test]
async fn a_silent_sqs_ends_an_attempt_after_five_seconds() {
    let mut world = World::new().await;
    let (path, _) = webhook_to(&world, "destination").await;
    let sqs = Receiver::start(Arc::new(|_, _| (Duration::from_secs(60), Vec::new())));
    world.deliverer.destinations = destinations_at(&world, &sqs);
    write(&world, "Hello").await;
    world.dispatch().await;
    attempt(&world, &job(&world, &path).await).await;
    let log = deliveries(&world, &path).await;
    assert_eq!(text(&log[0]["attempts"][0], "error"), "SQS did not respond within 5 seconds.");
    assert!(log[0]["attempts"][0]["durationMs"].as_u64().unwrap() >= 4_900, "{log:?}");
    assert!(sqs.got_undocumented().len() > 1, "a call without a response is repeated");
}

fn destinations_at(world: &World, sqs: &Receiver) -> Destinations {
    let endpoint = sqs.url.strip_suffix("/hooks?a=b").unwrap().to_owned();
    Destinations::new(&Connection { endpoint_url: Some(endpoint), ..world.account.connection_of("test") })
}

/// The AWS calls match docs/events.md, "What it costs".
#[tokio::test]
async fn a_queue_costs_one_read_more_than_a_receiver() {
    let world = World::with_local_webhooks().await;
    queue(&world, "destination", &[]).await;
    let arn = world.account.queue_arn("destination");
    allow(&world, &world.org, &arn).await;
    let receiver = Receiver::start(status(200));
    let mut calls = BTreeMap::new();
    for url in [&arn, &receiver.url] {
        world.faults.calls();
        let (path, _) = webhook(&world, url).await;
        let created = world.faults.calls();
        world.admin(Call::put(&path).json(&json!({"events": [RECEIVED]}))).await.expect(200);
        let updated = world.faults.calls();
        write(&world, "Hello").await;
        world.dispatch().await;
        world.faults.calls();
        while world.deliver().await {}
        let delivered = world.faults.calls();
        world.admin(Call::delete(&path)).await.expect(200);
        calls.insert(url, (created, updated, delivered));
    }
    let (queue, url) = (&calls[&arn], &calls[&receiver.url]);
    assert_eq!((&queue.0, &queue.1), (&url.0, &url.1), "the permission is part of the transaction");
    assert_eq!(url.2, ["BatchGetItem", "UpdateItem"]);
    assert_eq!(queue.2, ["BatchGetItem", "GetItem", "SendMessage", "UpdateItem"]);
}
