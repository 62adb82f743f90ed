//! The worker over the model, and the mapping that invokes it.

use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use aws::Connection;
use aws::bucket::Bucket;
use aws::presign::Presigner;
use aws::queue::Queue;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use carrier::Carriers;
use domain::events::webhook::AddressPolicy;
use domain::port::Clock as _;
use inbound::{Inbox, split, update_jobs};
use outbound::Outbound;
use platform::{Platforms, Vault};
use runtime::{Context, Installation, Metrics, Monitoring};
use serde_json::{Value, json};
use store::Store;
use tests::World;
use tests::chat::Line;
use tests::clock::TestClock;
use tests::settings::{NAMESPACE, PLATFORM_SECRET, PROFILE_SECRETS, TABLE, graph_settings};
use worker::{Source, Worker};

use super::cloud::Cloud;
use super::queue::State;
use super::{INVOCATION, INVOCATION_IN_OUTAGE, INVOCATIONS, OUTAGE};

pub(super) struct Simulation {
    cloud: Cloud,
    pub(super) clock: Arc<TestClock>,
    worker: Worker,
}

impl Simulation {
    /// Starts with what a real installation stores for a connected number.
    pub(super) async fn new(world: &World) -> Simulation {
        let cloud = Cloud::default();
        let connection = Connection { http_client: SharedHttpClient::new(cloud.clone()), ..cloud.memory.connection() };
        for item in world.account.stored_items().await {
            let put = connection.dynamodb().put_item().table_name(TABLE).set_item(Some(item));
            put.send().await.unwrap();
        }

        let clock = Arc::new(TestClock::default());
        let worker = worker(&connection, clock.clone());
        Simulation { cloud, clock, worker }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.cloud.state.lock().unwrap()
    }

    /// Queues updates as the notifications function does.
    pub(super) async fn queue_updates(&self, line: &Line, updates: usize) {
        self.state().now = self.clock.now().millis();
        for start in (0..updates).step_by(1000) {
            let message = |n: usize| {
                json!({"id": format!("wamid.{n}"), "from": format!("1650{:07}", n % 5000), "timestamp": "2000000000",
                    "type": "text", "text": {"body": "Hello"}})
            };
            let messages: Vec<Value> = (start..updates.min(start + 1000)).map(message).collect();

            let body = line.about("messages", &json!({"messages": messages})).to_string();
            let split = split(body.as_bytes()).unwrap();
            let routed = self.worker.inbox.route(split.updates).await.unwrap().routed;
            let texts = routed
                .iter()
                .map(|update| (update.route.organization_id.clone(), serde_json::to_string(update).unwrap()));
            self.worker.inbox.queue.send(&update_jobs(texts.collect())).await.unwrap();
        }
    }

    /// Runs invocations until the queue is empty. Returns the time that it took.
    pub(super) async fn run(&self, start: i64) -> Duration {
        let outage_ends = start + i64::try_from(OUTAGE.as_millis()).unwrap();
        let mut free_at = [start; INVOCATIONS];
        loop {
            let Some(visible_at) = self.state().next_visible() else { break };
            let slot = free_at.iter_mut().min().unwrap();
            let begin = visible_at.max(*slot);
            let is_table_down = begin < outage_ends;
            let takes = if is_table_down { INVOCATION_IN_OUTAGE } else { INVOCATION };
            let end = begin + i64::try_from(takes.as_millis()).unwrap();

            let records = {
                let mut state = self.state();
                state.now = begin;
                state.is_table_down = is_table_down;
                let records = state.receive();
                // The invocation sends its messages at its end.
                state.now = end;
                records
            };

            let moved = end - self.clock.now().millis();
            self.clock.advance(Duration::from_millis(u64::try_from(moved).unwrap_or(0)));
            let event = serde_json::from_value(json!({"Records": records})).unwrap();
            let outcome = serde_json::to_value(self.worker.work(event).await).unwrap();
            self.state().end(&records, &outcome["batchItemFailures"]);
            *slot = end;
        }

        let last = free_at.into_iter().max().unwrap_or(start);
        Duration::from_millis(u64::try_from(last - start).unwrap())
    }

    /// How many messages and events of received messages the table holds.
    pub(super) fn applied(&self) -> (usize, usize) {
        let changes = self.cloud.memory.changes();
        let messages = changes.keys().filter(|key| key.starts_with("MSG#") && key.ends_with(" MSG")).count();
        let is_event = |item: &&Value| item["type"]["S"] == "messages.chat.received";
        (messages, changes.values().filter(is_event).count())
    }
}

/// The worker as in its `main`, with the virtual clock.
pub(crate) fn worker(connection: &Connection, clock: Arc<TestClock>) -> Worker {
    let policy = AddressPolicy { own: Vec::new(), allow_local: false };
    let installation = Installation { docs_url: String::new(), webhook_addresses: policy };
    let store = Store::new(connection.dynamodb(), TABLE);
    let mut context = Context::new(store, installation, Metrics::new(NAMESPACE, Monitoring::Full, std::io::sink()));
    context.clock = clock;

    let queue = Queue::new(connection, "http://aws.invalid/queue".to_owned());
    let vault = Vault::new(connection, PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned());
    let outbound = Outbound {
        context: context.clone(),
        platforms: Platforms::new(graph_settings("http://127.0.0.1:9"), vault).unwrap(),
        carriers: Carriers::new(None),
        queue: queue.clone(),
        presigner: Presigner::new(connection, "bucket"),
    };
    let source = |name: &str| Source {
        queue: Queue::new(connection, format!("http://aws.invalid/{name}")),
        dead_letters: Queue::new(connection, "http://aws.invalid/dead".to_owned()),
    };
    Worker {
        inbox: Inbox { context, queue },
        jobs: source("queue"),
        sends: source("sends"),
        carrier: source("carrier"),
        numbers: None,
        outbound,
        bucket: Bucket::new(connection, "bucket".to_owned()),
        first_pause: Duration::from_secs(10),
    }
}
