//! Recoveries: failed and skipped deliveries are attempted again once the receiver is back, a bounded number at a time.

mod damage;
mod fairness;
mod limits;
mod progress;
mod selection;

use std::time::Duration;

use domain::Mode;
use domain::events::delivery::{Delivery, DeliveryStatus};
use domain::events::event::{Audience, EventName, OutboxEvent};
use domain::id::{AppId, EventId, OrganizationId, WebhookId};
use futures_util::{StreamExt as _, stream};
use messaging_client::types::{WebhookRecovery, WebhookRecoveryStatus};
use ring::rand::SystemRandom;
use serde_json::{Value, json};
use store::Change;
use tests::receiver::{Answer, Receiver};
use tests::request::text;
use tests::world::Organization;
use tests::{Call, Service as _, World};
use views::SampleOf;

const SINCE: &str = "2020-01-01T00:00:00Z";
const LATER: Duration = Duration::from_secs(400);

/// Creates a webhook of the test app. Returns its path.
async fn webhook(world: &World, org: &Organization, url: &str) -> String {
    let body = json!({"url": url, "events": ["messages.sms.received"]});
    let path = format!("/v1/organization/apps/{}/webhooks", org.test_app);
    let made = world.send(Call::post(&path).key(&org.admin).json(&body)).await.expect(201);
    format!("{path}/{}", text(&made, "id"))
}

fn id_of(hook: &str) -> WebhookId {
    hook.rsplit('/').next().unwrap().parse().unwrap()
}

/// Stores events with their deliveries to a webhook, one per millisecond, in the states that `state` returns.
async fn store(
    world: &World,
    org: &Organization,
    hook: &str,
    count: usize,
    state: impl Fn(usize) -> (EventName, DeliveryStatus),
) {
    let organization: OrganizationId = org.id.parse().unwrap();
    let app: AppId = org.test_app.parse().unwrap();
    let store = world.account.store();

    let commits: Vec<_> = (0..count)
        .map(|nth| {
            world.clock.advance(Duration::from_millis(1));
            let (now, (kind, status)) = (world.now(), state(nth));
            let random = &SystemRandom::new();
            let data = SampleOf { organization: &organization, app: &app, now, random }.data(kind).unwrap();
            let id = EventId::mint(now, random);
            let audience = Audience::App(app.to_string());
            let kind = kind.into();
            let event = OutboxEvent { id, kind, mode: Mode::Test, audience, data, created_at: now, request_id: None };
            let mut delivery = Delivery::new(&event.id, event.kind.clone(), &app, &id_of(hook), now).unwrap();
            (delivery.status, delivery.next_attempt_at) = (status.into(), None);
            let mut change = Change::new(&organization);
            change.store_event_without_dispatch(&event).unwrap();
            change.create_delivery(&delivery).unwrap();
            change
        })
        .collect();

    let commits = commits.iter().map(|change| async { drop(store.commit(change).await.unwrap()) });
    stream::iter(commits).buffer_unordered(32).for_each(async |()| ()).await;

    // A recovery includes events before its beginning.
    world.clock.advance(Duration::from_millis(1));
}

/// Stores this many events with failed deliveries to a webhook of the world's organization.
async fn store_failed(world: &World, hook: &str, count: usize) {
    store(world, &world.org, hook, count, |_| (EventName::MessagesSmsReceived, DeliveryStatus::Failed)).await;
}

/// Starts a receiver with these responses, and creates a webhook of the test app with this many failed deliveries to it.
/// Returns the path of the webhook, too.
async fn with_failed(answer: Answer, count: usize) -> (World, Receiver, String) {
    let world = World::with_local_webhooks().await;
    let receiver = Receiver::start(answer);
    let hook = webhook(&world, &world.org, &receiver.url).await;
    store_failed(&world, &hook, count).await;
    (world, receiver, hook)
}

/// A request that begins a recovery.
fn recover(world: &World, hook: &str, body: &Value) -> Call {
    Call::post(format!("{hook}/recover")).key(&world.org.admin).json(body)
}

/// Begins a recovery. Returns its id.
async fn begin(world: &World, hook: &str, body: &Value) -> String {
    text(&world.send(recover(world, hook, body)).await.expect(202), "id")
}

/// Returns the recovery as the API shows it.
async fn shown(world: &World, hook: &str, id: &str) -> WebhookRecovery {
    let recovery = world.admin(Call::get(format!("{hook}/recoveries/{id}"))).await.expect(200);
    serde_json::from_value(recovery).unwrap()
}

/// Lets time pass, and has the sweep queue what is due then.
async fn sweep_after(world: &World, by: Duration) {
    world.clock.advance(by);
    world.index_caught_up().await;
    Box::pin(world.sweep()).await;
}

/// Works off the delivery queues, and has the sweep continue what waits, until the recovery has ended. Returns it.
async fn ended(world: &World, hook: &str, id: &str) -> WebhookRecovery {
    for _ in 0..50 {
        while world.deliver().await {}
        let recovery = shown(world, hook, id).await;
        if recovery.status != WebhookRecoveryStatus::Running {
            return recovery;
        }
        sweep_after(world, LATER).await;
    }
    panic!("the recovery does not end: {:?}", shown(world, hook, id).await);
}

/// Begins a recovery, and works it off. Returns it as it ended.
async fn recovered(world: &World, hook: &str, body: &Value) -> WebhookRecovery {
    let id = begin(world, hook, body).await;
    ended(world, hook, &id).await
}

/// The status of a recovery, and how many deliveries it has found, delivered, and failed to deliver.
fn counts(recovery: &WebhookRecovery) -> (&str, i64, i64, i64) {
    (recovery.status.as_str(), recovery.matched, recovery.delivered, recovery.failed)
}
