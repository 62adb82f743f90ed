//! Phone numbers that are linked to the carrier: by the operator, for one organization at a time, until they are unlinked or
//! deleted.

mod interruptions;
mod limits;
mod linking;
mod releases;

use aws::queue::QueueEvent;
use domain::job::{Job, Queued};
use serde_json::{Value, json};
use store::CarrierClaim;
use tests::carrier::TOPIC;
use tests::{Call, Service as _, World};

const PATH: &str = "/v1/organization/phone-numbers";
const ALL: &[&str] = &["SMS", "VOICE", "MMS"];

/// The operation that links a number for an organization.
fn link(organization: &str, number: &str) -> Value {
    json!({"operation": "linkPhoneNumber", "organizationId": organization, "number": number})
}

/// The operation that unlinks a number of an organization.
fn unlink(organization: &str, number: &str) -> Value {
    json!({"operation": "unlinkPhoneNumber", "organizationId": organization, "number": number})
}

/// Links a number for the world's organization.
async fn linked(world: &World, number: &str) -> Value {
    world.operate(link(&world.org.id, number)).await.unwrap()
}

/// Returns why a number cannot be linked for the world's organization.
async fn linked_error(world: &World, number: &str) -> String {
    world.operate(link(&world.org.id, number)).await.unwrap_err()
}

/// Who has the number at the carrier.
async fn claim(world: &World, number: &str) -> Option<CarrierClaim> {
    world.account.store().carrier_claim(&number.parse().unwrap()).await.unwrap()
}

/// The number as the API shows it.
async fn shown(world: &World, id: &str) -> Value {
    world.admin(Call::get(format!("{PATH}/{id}"))).await.expect(200)
}

/// Lets the sweep find what is due, and the worker do it.
async fn release(world: &World) {
    world.sweep().await;
    world.work_off().await;
}

/// Whether the carrier reports what the number receives, and has a list of the organization's opt-outs for it.
fn is_connected(world: &World, id: &str) -> bool {
    let number = world.carrier_account.number(id);
    let is_on = number["TwoWayEnabled"] == true && number["TwoWayChannelArn"] == TOPIC;
    assert_eq!(is_on, number["OptOutListName"] != "Default", "{number}");
    is_on
}

/// Invokes the worker with a job.
async fn perform(world: &World, job: &Job) {
    let body = Queued::body(job, None).unwrap();
    let record =
        json!({"messageId": "m", "receiptHandle": "r", "body": body, "attributes": {"ApproximateReceiveCount": "1"}});
    let event: QueueEvent = serde_json::from_value(json!({"Records": [record]})).unwrap();
    assert!(Box::pin(world.worker.work(event)).await.batch_item_failures.is_empty());
}
