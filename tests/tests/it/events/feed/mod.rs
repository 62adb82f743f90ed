//! The event feed of an app: pages, positions and their end, and that no reader misses an event or gets one twice.

mod entries;
mod pages;
mod positions;
mod readers;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::Mode;
use domain::events::event::{Audience, EventName, OutboxEvent};
use domain::id::{AppId, EventId, OrganizationId};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::Change;
use tests::settings::TABLE;
use tests::{Call, Reply, Service as _, World};
use views::SampleOf;

/// Returns a page of the test app's feed.
async fn page(world: &World, query: &str) -> Value {
    world.send(Call::get(format!("/v1/events?{query}")).key(&world.org.test_app_key)).await.expect(200)
}

/// Requests a page of the test app's feed, and expects this status.
async fn refused(world: &World, query: &str, status: u16) -> Reply {
    let reply = world.send(Call::get(format!("/v1/events?{query}")).key(&world.org.test_app_key)).await;
    assert_eq!(reply.status, status, "{}", reply.text);
    reply
}

fn sequences(page: &Value) -> Vec<u64> {
    page["data"].as_array().unwrap().iter().map(|event| event["sequence"].as_u64().unwrap()).collect()
}

/// A sample of an event, now.
fn event_of(world: &World, audience: Audience, mode: Mode, kind: EventName) -> OutboxEvent {
    let organization: OrganizationId = world.org.id.parse().unwrap();
    let app: AppId = if mode.is_test() { &world.org.test_app } else { &world.org.app }.parse().unwrap();
    let (now, random) = (world.now(), &SystemRandom::new());
    let data = SampleOf { organization: &organization, app: &app, now, random }.data(kind).unwrap();
    let id = EventId::mint(now, random);
    OutboxEvent { id, kind: kind.into(), mode, audience, data, created_at: now, request_id: None }
}

/// Stores the event. Returns the partition key of its stream record.
async fn commit(world: &World, event: &OutboxEvent) -> String {
    let mut change = Change::new(&world.org.id.parse().unwrap());
    change.emit(event).unwrap();
    world.account.store().commit(&change).await.unwrap();
    format!("EVT#{}#{}", world.org.id, event.id)
}

/// Stores an event of the test app. Returns the partition key of its stream record.
async fn emit(world: &World, kind: EventName) -> String {
    let audience = Audience::App(world.org.test_app.clone());
    commit(world, &event_of(world, audience, Mode::Test, kind)).await
}

/// Stores an event of the live app. Returns the partition key of its stream record.
async fn emit_live(world: &World) -> String {
    let audience = Audience::App(world.org.app.clone());
    commit(world, &event_of(world, audience, Mode::Live, EventName::MessagesSmsSent)).await
}

fn records(partitions: &[String]) -> Value {
    let records = partitions.iter().map(|partition| json!({"dynamodb": {"Keys": {"PK": {"S": partition}}}}));
    json!({"Records": records.collect::<Vec<_>>()})
}

/// Invokes the dispatch function with a batch of stream records.
async fn dispatch(world: &World, partitions: &[String]) {
    world.dispatcher.work(serde_json::from_value(records(partitions)).unwrap()).await;
}

/// Stores so many events of the test app, and dispatches them as one batch.
async fn emit_and_dispatch(world: &World, count: usize) {
    let mut partitions = Vec::new();
    for _ in 0..count {
        partitions.push(emit(world, EventName::MessagesSmsReceived).await);
    }
    dispatch(world, &partitions).await;
}

/// Removes an item of the table.
async fn remove(world: &World, partition: &str, sort: &str) {
    let key = |text: &str| AttributeValue::S(text.to_owned());
    let call = world.account.dynamodb.delete_item().table_name(TABLE).key("PK", key(partition)).key("SK", key(sort));
    call.send().await.unwrap();
}
