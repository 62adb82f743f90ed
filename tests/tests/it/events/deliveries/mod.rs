//! Dispatch and delivery of events to webhooks.

mod dispatch;
mod losses;
mod requested;
mod retries;
mod signatures;

use std::time::Duration;

use domain::Timestamp;
use domain::events::delivery::Delivery;
use domain::job::DeliveryJob;
use serde_json::json;
use tests::receiver::{Answer, Receiver};
use tests::request::text;
use tests::{Call, Service as _, World};

use super::log_of;

const SMS: [&str; 4] = ["messages.sms.received", "messages.sms.sent", "messages.sms.delivered", "messages.sms.failed"];

/// Creates a webhook of the test app. Returns its path and secret.
async fn webhook(world: &World, url: &str, events: &[&str]) -> (String, String) {
    let body = json!({"url": url, "events": events, "headers": {"X-Team": "blue-team-secret"}});
    let path = format!("/v1/organization/apps/{}/webhooks", world.org.test_app);
    let made = world.admin(Call::post(&path).json(&body)).await.expect(201);
    (format!("{path}/{}", text(&made, "id")), text(&made, "secret"))
}

/// Starts a receiver with these responses, and creates a webhook of the test app that sends all events of SMS to it.
/// Returns the path of the webhook, too.
async fn subscribed(answer: Answer) -> (World, Receiver, String) {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(answer);
    let (path, _) = webhook(&world, &receiver.url, &SMS).await;
    (world, receiver, path)
}

/// Simulates an inbound SMS message, which emits one event.
async fn write(world: &World) {
    let system = world.send(Call::get("/v1/playground/phone-numbers/system").key(&world.org.test_app_key)).await;
    let sms = json!({"from": "+442079460111", "to": system.expect(200)["numbers"][0], "text": "Hello"});
    world.send(Call::post("/v1/playground/sms/inbound").key(&world.org.test_app_key).json(&sms)).await.expect(201);
}

/// Returns the webhook's newest delivery as it is stored.
async fn stored(world: &World, path: &str) -> Delivery {
    let log = log_of(world, path).await;
    let (organization, webhook) = (world.org.id.parse().unwrap(), path.rsplit('/').next().unwrap().parse().unwrap());
    let id = log[0].id.parse().unwrap();
    world.account.store().of(&organization).delivery(&webhook, &id).await.unwrap().unwrap()
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

/// Moves the clock to this time, or leaves it if the time is over.
fn advance_to(world: &World, at: Timestamp) {
    let by = at.millis() - world.now().millis();
    world.clock.advance(Duration::from_millis(u64::try_from(by).unwrap_or(0)));
}
