//! SQS queues as addresses of webhooks: who may use them, what they receive, and what happens if they do not accept it.

mod failures;
mod messages;
mod permissions;

use std::time::Duration;

use aws_sdk_sqs::types::{Message, MessageSystemAttributeName, QueueAttributeName};
use domain::job::DeliveryJob;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tests::request::text;
use tests::world::Organization;
use tests::{Call, Service as _, World};

use super::log_of;

const RECEIVED: &str = "messages.sms.received";

/// Creates a queue of the world's account. Returns its URL.
async fn queue(world: &World, name: &str, attributes: &[(QueueAttributeName, &str)]) -> String {
    let attributes = attributes.iter().map(|(name, value)| (name.clone(), (*value).to_owned())).collect();
    let call = world.account.sqs.create_queue().queue_name(name).set_attributes(Some(attributes));
    call.send().await.unwrap().queue_url.unwrap()
}

/// Performs an operation of the operator on a queue and an organization.
async fn operate(world: &World, operation: &str, org: &str, arn: &str) -> Result<Value, String> {
    world.operate(json!({"operation": operation, "organizationId": org, "arn": arn})).await
}

/// Allows the organization to use the queue.
async fn allow(world: &World, org: &Organization, arn: &str) {
    operate(world, "allowDestination", &org.id, arn).await.unwrap();
}

/// The path of the webhooks of the organization's test app.
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

/// The job of the next attempt of the webhook's latest delivery.
async fn job(world: &World, path: &str) -> DeliveryJob {
    let (organization, webhook) = (world.org.id.parse().unwrap(), path.rsplit('/').next().unwrap().parse().unwrap());
    let id = log_of(world, path).await[0].id.parse().unwrap();
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

/// Attempts the webhook's latest delivery again, when that is due after its first failure.
async fn retry(world: &World, path: &str) {
    world.clock.advance(Duration::from_secs(7));
    attempt(world, &job(world, path).await).await;
}
