//! Due work: a run of the schedule and its rounds, runs that meet, items that this release does not know, and a tenant with
//! very many due items beside others.

mod fairness;
mod rounds;
mod schedule;

use std::time::Duration;

use delivery::SweepEvent;
use domain::due::DueClass;
use domain::events::delivery::Delivery;
use domain::events::event::EventName;
use domain::id::{AppId, EventId, OrganizationId, WebhookId};
use domain::job::SweepJob;
use domain::port::Random;
use domain::{Mode, Timestamp};
use futures_util::{StreamExt as _, stream};
use serde_json::Value;
use store::Change;
use tests::World;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);

fn random(world: &World) -> &dyn Random {
    world.sweeper.dispatcher.context.random()
}

/// The first round of a shard.
fn round(world: &World, class: DueClass, shard: u32) -> SweepJob {
    world.all_rounds().into_iter().find(|job| (job.class, job.shard) == (class, shard)).unwrap()
}

/// Creates pending deliveries of one webhook, which are due five minutes after this time.
async fn deliveries(world: &World, organization: &OrganizationId, count: usize, now: Timestamp) {
    let store = world.account.store();
    let (app, webhook) = (AppId::mint(Mode::Live, now, random(world)), WebhookId::mint(Mode::Live, now, random(world)));
    let create = |event: EventId| {
        let kind = EventName::MessagesChatReceived.into();
        let delivery = Delivery::new(&event, kind, &app, &webhook, now).unwrap();
        let (mut change, store) = (Change::new(organization), &store);
        async move {
            change.create_delivery(&delivery).unwrap();
            store.commit(&change).await.unwrap();
        }
    };
    let events = (0..count).map(|_| EventId::mint(now, random(world)));
    stream::iter(events).for_each_concurrent(8, create).await;
}

/// Receives all messages that are in the queue.
async fn received(world: &World, queue: &str) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let messages = world.messages(queue).await;
        if messages.is_empty() {
            return all;
        }
        all.extend(messages);
    }
}

/// The rounds that wait in the queue.
async fn queued_rounds(world: &World) -> Vec<SweepJob> {
    let messages = received(world, &world.account.sweeps).await;
    messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect()
}

fn invocation(event: Value) -> SweepEvent {
    serde_json::from_value(event).unwrap()
}
