//! An installation in the test's process: the APIs of all functions, over an AWS account of its own, with one organization and
//! its keys and apps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::contract::ROUTES;
use api::HttpService;
use aws::queue::QueueEvent;
use delivery::{Deliverer, Dispatcher, Poster, Sweeper, Swept, SystemResolver};
use domain::Timestamp;
use domain::port::Clock as _;
use domain::webhook::AddressPolicy;
use http_body_util::BodyExt as _;
use operator::{Operator, Request};
use runtime::Installation;
use serde_json::{Value, json};
use store::Store;
use worker::Worker;

use crate::clock::TestClock;
use crate::emulator::Account;
use crate::faults::Faults;
use crate::functions::Functions;
use crate::logs::Output;
use crate::request::{Call, Reply, text};
use crate::settings::DOCS_URL;
use crate::standin::{APP_SECRET, StandIn, signature};
use crate::{contract, privileges};

pub struct World {
    pub account: Account,
    pub faults: Faults,
    pub clock: Arc<TestClock>,
    pub operator: Operator,
    pub org: Organization,
    pub platform: StandIn,
    pub metrics: Output,
    pub worker: Worker,
    pub dispatcher: Dispatcher,
    pub deliverer: Deliverer,
    pub sweeper: Sweeper,
    /// A worker is already running in the background.
    is_working: AtomicBool,
    functions: Functions,
    services: Vec<(&'static str, HttpService)>,
    paths: matchit::Router<&'static str>,
}

/// An organization with a live app, a test app, and every kind of credential.
#[derive(Clone, Debug)]
pub struct Organization {
    pub id: String,
    pub admin: String,
    pub test_admin: String,
    pub session: String,
    pub app: String,
    pub app_key: String,
    pub test_app: String,
    pub test_app_key: String,
}

/// A service under test, with one organization: the functions in this process, or a deployed stack.
pub trait Service {
    fn org(&self) -> &Organization;
    fn send(&self, call: Call) -> impl Future<Output = Reply> + Send;

    /// Sends a request with the organization's admin key.
    fn admin(&self, call: Call) -> impl Future<Output = Reply> + Send {
        self.send(call.key(&self.org().admin))
    }
}

impl Service for World {
    fn org(&self) -> &Organization {
        &self.org
    }

    async fn send(&self, call: Call) -> Reply {
        self.answer(call).await
    }
}

impl World {
    pub async fn new() -> World {
        Self::with_addresses(AddressPolicy { own: vec![("api.example.com".to_owned(), None)], allow_local: false })
            .await
    }

    /// Creates a world whose webhooks may use loopback addresses, where the tests' receivers listen.
    pub async fn with_local_webhooks() -> World {
        Self::with_addresses(AddressPolicy { own: vec![("localhost".to_owned(), Some(4566))], allow_local: true }).await
    }

    /// Creates such a world with this deadline for receivers.
    pub async fn with_patience(deadline: Duration) -> World {
        let mut world = Self::with_local_webhooks().await;
        let policy = world.worker.inbox.context.installation.webhook_addresses.clone();
        world.deliverer.poster = Poster::new(Arc::new(SystemResolver), policy, deadline).unwrap();
        world
    }

    async fn with_addresses(webhook_addresses: AddressPolicy) -> World {
        let faults = Faults::default();
        let account = Account::open(&faults).await;
        let clock = Arc::new(TestClock::default());
        let platform = StandIn::start();
        let installation = Installation { docs_url: DOCS_URL.to_owned(), webhook_addresses };
        let metrics = Output::default();
        let functions = Functions {
            account: account.clone(),
            clock: clock.clone(),
            platform: platform.clone(),
            installation,
            metrics: metrics.clone(),
        };
        let mut paths = matchit::Router::new();
        for route in ROUTES.iter() {
            let _ = paths.insert(&route.path, route.function);
        }
        let mut world = World {
            account,
            faults,
            clock,
            operator: functions.operator(),
            org: Organization::nobody(),
            platform,
            metrics,
            worker: functions.worker(),
            dispatcher: functions.dispatcher(),
            deliverer: functions.deliverer(),
            sweeper: functions.sweeper(),
            is_working: AtomicBool::new(false),
            services: functions.services(),
            functions,
            paths,
        };
        world.org = world.organization("Acme").await;
        world
    }

    pub async fn operate(&self, request: Value) -> Result<Value, String> {
        let request: Request = serde_json::from_value(request).map_err(|error| error.to_string())?;
        let reply = self.operator.perform(request).await.map_err(|error| error.to_string())?;
        Ok(serde_json::to_value(reply).unwrap())
    }

    /// Creates another organization in the same installation.
    pub async fn organization(&self, name: &str) -> Organization {
        let made = self.operate(json!({"operation": "createOrganization", "name": name})).await.unwrap();
        let admin = text(&made, "adminKey");
        let (app, app_key) = self.app(&admin, &json!({"name": "Live"})).await;
        let (test_app, test_app_key) = self.app(&admin, &json!({"name": "Test", "test": true})).await;
        Organization {
            id: text(&made, "organizationId"),
            test_admin: text(&made, "testAdminKey"),
            session: text(&made, "sessionToken"),
            admin,
            app,
            app_key,
            test_app,
            test_app_key,
        }
    }

    /// Creates an app and a key for it.
    pub async fn app(&self, admin: &str, body: &Value) -> (String, String) {
        let app = text(&self.send(Call::post("/v1/organization/apps").key(admin).json(body)).await.expect(201), "id");
        let key = self.send(Call::post(format!("/v1/organization/apps/{app}/keys")).key(admin)).await.expect(201);
        (app, text(&key, "key"))
    }

    /// The function to which the gateway would route the request.
    pub fn api(&self, path: &str) -> &HttpService {
        let function = self.function(path);
        &self.services.iter().find(|(name, _)| *name == function).unwrap().1
    }

    fn function(&self, path: &str) -> &'static str {
        self.paths.at(path).map_or("reference", |found| *found.value)
    }

    async fn answer(&self, call: Call) -> Reply {
        let reply = self.send_undocumented(call.clone()).await;
        contract::check(&call, &reply);
        reply
    }

    /// Sends a request without validating the response, because the document describes only this version.
    pub async fn send_undocumented(&self, call: Call) -> Reply {
        let request = call.request();
        let path = request.uri().path().to_owned();
        let answer = self.api(&path).respond(request);
        // A deployed worker runs by itself; here it runs while the request is in progress.
        let response = if path.ends_with("/sync") && !self.is_working.load(Ordering::SeqCst) {
            tokio::select! {
                response = answer => response,
                () = self.keep_working() => unreachable!(),
            }
        } else {
            answer.await
        };
        let (parts, body) = response.into_parts();
        let text = String::from_utf8_lossy(&body.collect().await.unwrap().to_bytes()).into_owned();
        let reply = Reply { status: parts.status, headers: parts.headers, text };
        privileges::note_presigned(self.function(&path), &reply);
        reply
    }

    /// Invokes the worker with a batch from its queue, as a deployed event source mapping does. Returns `false` if the queue is
    /// empty.
    pub async fn work(&self) -> bool {
        self.drain(&self.account.queue, async |event| {
            let event: QueueEvent = serde_json::from_value(event).unwrap();
            serde_json::to_value(self.worker.work(event).await).unwrap()
        })
        .await
    }

    /// Invokes the deliver function with the messages that are in the delivery queues now.
    pub async fn deliver(&self) -> bool {
        let prompt = self.deliver_from(&self.account.deliveries).await;
        self.deliver_from(&self.account.patient_deliveries).await || prompt
    }

    pub async fn deliver_from(&self, queue: &str) -> bool {
        self.drain(queue, async |event| {
            let event: QueueEvent = serde_json::from_value(event).unwrap();
            serde_json::to_value(self.deliverer.work(event).await).unwrap()
        })
        .await
    }

    /// Sweeps twice and adds up the results. The due index is eventually consistent and a sweep runs every minute: what one
    /// sweep does not see yet, the next one does.
    pub async fn sweep(&self) -> Swept {
        self.sweeper.sweep().await + self.sweeper.sweep().await
    }

    /// Waits until the due index shows the last write. The guard hides it from the first read of the index.
    pub async fn index_caught_up(&self) {
        let in_a_century = self.now().plus(Duration::from_secs(100 * 365 * 86_400));
        for partition in Store::due_partitions() {
            self.account.store().due(partition, in_a_century, 1000).await.unwrap();
        }
    }

    /// The stream records that the dispatch function would receive.
    pub async fn dispatch(&self) {
        let records: Vec<Value> = self.waiting_events().await.into_iter().map(|partition| {
            json!({"eventName": "INSERT", "dynamodb": {"Keys": {"PK": {"S": partition}, "SK": {"S": "EVT"}}}})
        }).collect();
        let event = serde_json::from_value(json!({"Records": records})).unwrap();
        self.dispatcher.work(event).await;
    }

    pub async fn waiting_events(&self) -> Vec<String> {
        let items = self.account.items().await;
        let waiting = items.iter().filter(|item| item["PK"].starts_with("EVT#") && item.contains_key("dueAt"));
        waiting.map(|item| item["PK"].clone()).collect()
    }

    /// Dispatches all events and delivers them.
    pub async fn send_events(&self) {
        self.dispatch().await;
        while self.deliver().await {}
    }

    async fn drain(&self, queue: &str, work: impl AsyncFnOnce(Value) -> Value) -> bool {
        use aws_sdk_sqs::types::MessageSystemAttributeName::ApproximateReceiveCount;
        let sqs = &self.account.sqs;
        let call = sqs.receive_message().queue_url(queue).max_number_of_messages(10);
        let messages = call.message_system_attribute_names(ApproximateReceiveCount).send().await.unwrap();
        let messages = messages.messages.unwrap_or_default();
        let records: Vec<Value> = messages
            .iter()
            .map(|message| {
                let count = message.attributes.as_ref().and_then(|all| all.get(&ApproximateReceiveCount)).cloned();
                json!({
                    "messageId": message.message_id, "receiptHandle": message.receipt_handle, "body": message.body,
                    "attributes": {"ApproximateReceiveCount": count.unwrap_or("1".to_owned())},
                })
            })
            .collect();
        let outcome = work(json!({"Records": records})).await;
        for message in &messages {
            let failed = json!({"itemIdentifier": message.message_id});
            if !outcome["batchItemFailures"].as_array().unwrap().contains(&failed) {
                let handle = message.receipt_handle.clone().unwrap();
                sqs.delete_message().queue_url(queue).receipt_handle(handle).send().await.unwrap();
            }
        }
        !messages.is_empty()
    }

    /// Runs the worker in the background.
    pub async fn with_worker<T>(&self, meanwhile: impl Future<Output = T>) -> T {
        self.is_working.store(true, Ordering::SeqCst);
        tokio::select! {
            done = meanwhile => done,
            () = self.keep_working() => unreachable!(),
        }
    }

    async fn keep_working(&self) {
        loop {
            if !self.work().await {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Runs the worker until its queue is empty.
    pub async fn work_off(&self) {
        while self.work().await {}
    }

    pub async fn dead_letters(&self) -> Vec<String> {
        self.messages(&self.account.dead_letters).await
    }

    pub async fn messages(&self, queue: &str) -> Vec<String> {
        let call = self.account.sqs.receive_message().queue_url(queue).max_number_of_messages(10);
        let messages = call.send().await.unwrap().messages.unwrap_or_default();
        messages.into_iter().filter_map(|message| message.body).collect()
    }

    /// Starts a new notifications function, with this time limit for updates that it applies directly.
    pub fn notifications(&self, inline_budget: Duration) -> HttpService {
        self.functions.notifications(inline_budget)
    }

    /// Sends a notification with the platform's signature.
    pub async fn notify(&self, notification: &Value) -> Reply {
        let body = notification.to_string().into_bytes();
        let signature = signature(APP_SECRET, &body);
        self.send(Call::post("/v1/platform/notifications").header("x-hub-signature-256", &signature).bytes(body)).await
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl Organization {
    fn nobody() -> Self {
        let empty = String::new;
        Organization {
            id: empty(),
            admin: empty(),
            test_admin: empty(),
            session: empty(),
            app: empty(),
            app_key: empty(),
            test_app: empty(),
            test_app_key: empty(),
        }
    }
}
