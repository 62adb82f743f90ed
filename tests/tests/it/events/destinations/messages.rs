//! What a queue receives, and what that costs.

use std::collections::BTreeMap;

use aws_sdk_sqs::types::{Message, MessageSystemAttributeName, QueueAttributeName};
use http::HeaderName;
use messaging_client::types::WebhookDeliveryStatus;
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tests::contract::check_delivery;
use tests::receiver::{Receiver, status};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{RECEIVED, allow, attempt, headers, job, queue, take, webhook, webhook_to, write};
use crate::events::log_of;

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
    check_delivery(&headers, &event);

    // The log says which message it was, and what was sent.
    let log = log_of(&world, &path).await;
    assert_eq!((log.len(), &log[0].status), (1, &WebhookDeliveryStatus::Delivered));
    assert_eq!(event["id"], log[0].event_id);

    let details = world.admin(Call::get(format!("{path}/deliveries/{}", log[0].id))).await.expect(200);
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
    let delivery = format!("{path}/deliveries/{}", log_of(&world, &path).await[0].id);
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
