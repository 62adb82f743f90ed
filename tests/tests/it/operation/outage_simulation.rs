//! Two hours without a table, in virtual time: the real worker and the real SDK, over a model of SQS and of the mapping that
//! invokes the worker, and a table in memory that fails until the outage is over. docs/growth.md has the figures of the full
//! run: `OUTAGE_UPDATES=50000 cargo test --test it -- outage_simulation --nocapture`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws::Connection;
use aws::bucket::Bucket;
use aws::presign::Presigner;
use aws::queue::{Job, Queue};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use carrier::Carriers;
use domain::port::Clock as _;
use domain::webhook::AddressPolicy;
use inbound::{Inbox, split};
use outbound::Outbound;
use platform::{Platforms, Vault};
use runtime::{Context, Installation, Metrics, Monitoring};
use serde_json::{Value, json};
use store::Store;
use tests::World;
use tests::chat::{Line, connect};
use tests::clock::TestClock;
use tests::memory::Memory;
use tests::settings::{NAMESPACE, PLATFORM_SECRET, PROFILE_SECRETS, TABLE, graph_settings};
use worker::{Source, Worker};

const OUTAGE: Duration = Duration::from_secs(2 * 3600);
/// As in infra/template.yaml; as many invocations as a stack with an `AccountConcurrency` of 500 or more allows.
const INVOCATIONS: usize = 20;
const BATCH: usize = 5;
const RECEIPTS: u32 = 5;
const VISIBILITY: Duration = Duration::from_secs(5400);
/// How long an invocation takes during the outage: the time limit of an SDK call, which is the longest that its first
/// calls take.
const INVOCATION_IN_OUTAGE: Duration = Duration::from_secs(20);
/// How long an invocation takes after the outage, which is longer than the 25 updates of a job really take.
const INVOCATION: Duration = Duration::from_secs(1);

/// A message of the queue.
struct Held {
    body: String,
    first_sent_at: Option<String>,
    sent_at: i64,
    received: u32,
}

#[derive(Default)]
struct State {
    is_table_down: bool,
    /// The time at which the running invocation sends, in milliseconds.
    now: i64,
    next: u64,
    /// Messages by the time at which they become visible.
    waiting: BTreeMap<(i64, u64), Held>,
    in_flight: BTreeMap<u64, (i64, Held)>,
    dead: usize,
    sent: usize,
    receipts: usize,
}

/// SQS and DynamoDB, as the SDK calls them.
#[derive(Clone)]
struct Cloud {
    state: Arc<Mutex<State>>,
    memory: Memory,
}

impl std::fmt::Debug for Cloud {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cloud")
    }
}

impl HttpClient for Cloud {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Cloud {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default().to_owned();
        let Some(operation) = target.strip_prefix("AmazonSQS.") else {
            // The SDK does not retry after this error: the pauses between retries would take real time.
            let is_down = self.state.lock().unwrap().is_table_down;
            let down = || HttpConnectorFuture::ready(Err(ConnectorError::other("the table is down".into(), None)));
            return if is_down { down() } else { self.memory.call(request) };
        };
        let call: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        let body = self.state.lock().unwrap().queue(operation, &call).to_string();
        let mut response = HttpResponse::new(200.try_into().unwrap(), SdkBody::from(body));
        response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
        HttpConnectorFuture::ready(Ok(response))
    }
}

impl State {
    fn queue(&mut self, operation: &str, call: &Value) -> Value {
        if operation == "ChangeMessageVisibility" {
            let handle: u64 = call["ReceiptHandle"].as_str().unwrap().parse().unwrap();
            let visible_at = self.now + call["VisibilityTimeout"].as_i64().unwrap() * 1000;
            self.in_flight.get_mut(&handle).unwrap().0 = visible_at;
            return json!({});
        }
        assert_eq!(operation, "SendMessageBatch");
        let entries = call["Entries"].as_array().unwrap();
        for entry in entries {
            let first_sent_at = entry["MessageAttributes"]["FirstSentAt"]["StringValue"].as_str();
            let held = Held {
                body: entry["MessageBody"].as_str().unwrap().to_owned(),
                first_sent_at: first_sent_at.map(str::to_owned),
                sent_at: self.now,
                received: 0,
            };
            let delay = entry["DelaySeconds"].as_i64().unwrap_or(0);
            assert!(delay <= 900 && entry["MessageGroupId"].is_string());
            self.put(self.now + delay * 1000, held);
            self.sent += 1;
        }
        let taken = entries.iter().map(|entry| json!({"Id": entry["Id"], "MessageId": "1", "MD5OfMessageBody": ""}));
        json!({"Successful": taken.collect::<Vec<_>>(), "Failed": []})
    }

    fn put(&mut self, visible_at: i64, held: Held) {
        self.next += 1;
        self.waiting.insert((visible_at, self.next), held);
    }

    /// Receives a batch, as an invocation gets it. Messages with too many receipts become dead letters.
    fn receive(&mut self) -> Vec<Value> {
        let mut records = Vec::new();
        while records.len() < BATCH {
            let Some(entry) = self.waiting.first_entry().filter(|first| first.key().0 <= self.now) else { break };
            let ((_, handle), mut held) = entry.remove_entry();
            held.received += 1;
            if held.received > RECEIPTS {
                self.dead += 1;
                continue;
            }
            self.receipts += 1;
            let copied = held.first_sent_at.as_ref().map(|at| json!({"stringValue": at, "dataType": "Number"}));
            records.push(json!({
                "messageId": handle.to_string(), "receiptHandle": handle.to_string(), "body": held.body,
                "attributes": {"ApproximateReceiveCount": held.received.to_string(), "SentTimestamp": held.sent_at.to_string()},
                "messageAttributes": copied.map_or(json!({}), |at| json!({"FirstSentAt": at})),
            }));
            let hidden_until = self.now + i64::try_from(VISIBILITY.as_millis()).unwrap();
            self.in_flight.insert(handle, (hidden_until, held));
        }
        records
    }

    /// Ends an invocation: deletes the messages that are done; the others become visible again at their time.
    fn end(&mut self, records: &[Value], failed: &Value) {
        for record in records {
            let id = record["messageId"].as_str().unwrap();
            let (visible_at, held) = self.in_flight.remove(&id.parse().unwrap()).unwrap();
            if failed.as_array().unwrap().contains(&json!({"itemIdentifier": id})) {
                self.put(visible_at, held);
            }
        }
    }
}

struct Simulation {
    cloud: Cloud,
    clock: Arc<TestClock>,
    worker: Worker,
}

impl Simulation {
    /// Starts with what a real installation stores for a connected number.
    async fn new(world: &World) -> Simulation {
        let cloud = Cloud { state: Arc::default(), memory: Memory::default() };
        let http_client = SharedHttpClient::new(cloud.clone());
        let connection = Connection { http_client, ..cloud.memory.connection() };
        for item in world.account.stored_items().await {
            let put = connection.dynamodb().put_item().table_name(TABLE).set_item(Some(item));
            put.send().await.unwrap();
        }
        let clock = Arc::new(TestClock::default());
        let policy = AddressPolicy { own: Vec::new(), allow_local: false };
        let installation = Installation { docs_url: String::new(), webhook_addresses: policy };
        let store = Store::new(connection.dynamodb(), TABLE);
        let mut context = Context::new(store, installation, Metrics::new(NAMESPACE, Monitoring::Full, std::io::sink()));
        context.clock = clock.clone();
        let vault = Vault::new(&connection, PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned());
        let queue = Queue::new(&connection, "http://aws.invalid/queue".to_owned());
        let platforms = Platforms::new(graph_settings("http://127.0.0.1:9"), vault).unwrap();
        let presigner = Presigner::new(&connection, "bucket");
        let carriers = Carriers::new(None);
        let outbound = Outbound { context: context.clone(), platforms, carriers, queue: queue.clone(), presigner };
        let source = |name: &str| Source {
            queue: Queue::new(&connection, format!("http://aws.invalid/{name}")),
            dead_letters: Queue::new(&connection, "http://aws.invalid/dead".to_owned()),
        };
        let worker = Worker {
            inbox: Inbox { context, queue },
            jobs: source("queue"),
            sends: source("sends"),
            carrier: source("carrier"),
            numbers: None,
            outbound,
            bucket: Bucket::new(&connection, "bucket".to_owned()),
            first_pause: Duration::from_secs(10),
        };
        Simulation { cloud, clock, worker }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.cloud.state.lock().unwrap()
    }

    /// Queues updates as the notifications function does.
    async fn queue_updates(&self, line: &Line, updates: usize) {
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
            self.worker.inbox.queue.send(&Job::for_updates(texts.collect())).await.unwrap();
        }
    }

    /// Runs invocations until the queue is empty. Returns the time that it took.
    async fn run(&self, start: i64) -> Duration {
        let outage_ends = start + i64::try_from(OUTAGE.as_millis()).unwrap();
        let mut free_at = [start; INVOCATIONS];
        loop {
            let Some(visible_at) = self.state().waiting.first_key_value().map(|(key, _)| key.0) else { break };
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
    fn applied(&self) -> (usize, usize) {
        let changes = self.cloud.memory.changes();
        let messages = changes.keys().filter(|key| key.starts_with("MSG#") && key.ends_with(" MSG")).count();
        let is_event = |item: &&Value| item["type"]["S"] == "messages.chat.received";
        (messages, changes.values().filter(is_event).count())
    }
}

#[tokio::test]
async fn queued_updates_outlast_two_hours_without_a_table() {
    let updates = std::env::var("OUTAGE_UPDATES").ok().and_then(|count| count.parse().ok()).unwrap_or(500);
    let world = World::new().await;
    let line = connect(&world, &world.org, "1961").await;
    let simulation = Simulation::new(&world).await;
    simulation.queue_updates(&line, updates).await;
    let jobs = simulation.state().sent;
    let took = simulation.run(simulation.clock.now().millis()).await;
    let state = simulation.state();
    eprintln!(
        "{updates} updates in {jobs} jobs: {} receipts, {} copies, {} dead letters; all applied {:?} after the outage",
        state.receipts,
        state.sent - jobs,
        state.dead,
        took.saturating_sub(OUTAGE),
    );
    assert_eq!(state.dead, 0);
    assert!(took > OUTAGE && took < OUTAGE + Duration::from_secs(1200), "{took:?}");
    drop(state);
    assert_eq!(simulation.applied(), (updates, updates));
}
