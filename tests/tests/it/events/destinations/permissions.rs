//! Who may use a queue, and what a webhook with a queue can have.

use std::time::Duration;

use messaging_client::types::WebhookDeliveryStatus;
use serde_json::{Value, json};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::{RECEIVED, allow, attempt, job, operate, path, queue, retry, take, write};
use crate::events::log_of;

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

    let log = log_of(&world, &one).await;
    assert_eq!(log[0].status, WebhookDeliveryStatus::Pending);
    let error = log[0].attempts[0].error.as_deref().unwrap();
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
    assert_eq!(log_of(&world, &one).await[0].status, WebhookDeliveryStatus::Delivered);
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
