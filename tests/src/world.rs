//! An installation in the test's process: the APIs of all functions, over an AWS account of its own, with one organization and
//! its keys and apps.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::contract::ROUTES;
use api::HttpService;
use aws::queue::{QueueEvent, SweepJob, VERSION};
use aws_sdk_sqs::types::Message;
use delivery::{Deliverer, Dispatcher, Poster, SweepEvent, Sweeper, Swept, SystemResolver};
use domain::Timestamp;
use domain::due::DueClass;
use domain::port::Clock as _;
use domain::webhook::AddressPolicy;
use futures_util::{StreamExt as _, stream};
use http::Method;
use operator::{Operator, Request};
use runtime::{Installation, Monitoring};
use serde_json::{Map, Value, json};
use store::DailySends;
use worker::Worker;

use crate::carrier::CarrierAccount;
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
    pub carrier_account: CarrierAccount,
    pub metrics: Output,
    pub worker: Worker,
    pub dispatcher: Dispatcher,
    pub deliverer: Deliverer,
    pub sweeper: Sweeper,
    /// A worker is already running in the background.
    is_working: AtomicBool,
    functions: Functions,
    services: Vec<(&'static str, HttpService)>,
    /// The functions of each path, by method.
    paths: matchit::Router<Vec<(Method, &'static str)>>,
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
        // Boxed, because a debug build would put the futures of a whole request on the test's stack, several times.
        Box::pin(self.answer(call)).await
    }
}

impl World {
    pub async fn new() -> World {
        Self::with_addresses(AddressPolicy { own: vec![("api.example.com".to_owned(), None)], allow_local: false })
            .await
    }

    /// Creates a world whose webhooks may use loopback addresses, where the tests' receivers listen.
    pub async fn with_local_webhooks() -> World {
        Self::with_addresses(Self::local_webhooks()).await
    }

    fn local_webhooks() -> AddressPolicy {
        AddressPolicy { own: vec![("localhost".to_owned(), Some(4566))], allow_local: true }
    }

    /// Creates a world with local webhooks, as above, and this deadline for receivers.
    pub async fn with_patience(deadline: Duration) -> World {
        let mut world = Self::with_local_webhooks().await;
        let policy = world.worker.inbox.context.installation.webhook_addresses.clone();
        world.deliverer.poster = Poster::new(Arc::new(SystemResolver), policy, deadline).unwrap();
        world
    }

    /// Creates a world with local webhooks and essential monitoring.
    pub async fn with_essential_monitoring() -> World {
        Self::assembled(Self::local_webhooks(), Monitoring::Essential).await
    }

    async fn with_addresses(webhook_addresses: AddressPolicy) -> World {
        Self::assembled(webhook_addresses, Monitoring::Full).await
    }

    async fn assembled(webhook_addresses: AddressPolicy, monitoring: Monitoring) -> World {
        let faults = Faults::default();
        let account = Account::open(&faults).await;
        let clock = Arc::new(TestClock::default());
        let platform = StandIn::start();
        let carrier_account = CarrierAccount::start();
        let installation = Installation { docs_url: DOCS_URL.to_owned(), webhook_addresses };
        let metrics = Output::default();
        let functions = Functions {
            account: account.clone(),
            clock: clock.clone(),
            platform: platform.clone(),
            carrier_account: carrier_account.clone(),
            installation,
            metrics: metrics.clone(),
            monitoring,
        };
        let mut paths = matchit::Router::new();
        let mut of_path: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for route in ROUTES.iter() {
            of_path.entry(&route.path).or_default().push((route.method.clone(), route.function));
        }
        for (path, functions) in of_path {
            paths.insert(path, functions).unwrap();
        }
        let mut world = World {
            account,
            faults,
            clock,
            operator: functions.operator(),
            org: Organization::nobody(),
            platform,
            carrier_account,
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

    /// Replaces the chat function by one of an installation without signups at the platform.
    pub fn close_signup(&mut self) {
        let chat = self.services.iter_mut().find(|(name, _)| *name == "chat").unwrap();
        chat.1 = self.functions.chat_without_signup();
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

    /// The function to which the gateway would route a request for the path.
    pub fn api(&self, path: &str) -> &HttpService {
        self.service(self.function(None, path))
    }

    /// The API function of a method of a path.
    pub fn api_of(&self, method: &Method, path: &str) -> &HttpService {
        self.service(self.function(Some(method), path))
    }

    fn service(&self, function: &str) -> &HttpService {
        &self.services.iter().find(|(name, _)| *name == function).unwrap().1
    }

    /// The function of the method, or the first function of the path if no operation has the method.
    fn function(&self, method: Option<&Method>, path: &str) -> &'static str {
        let Ok(found) = self.paths.at(path) else { return "reference" };
        let of_method = found.value.iter().find(|(own, _)| Some(own) == method);
        of_method.or(found.value.first()).map_or("reference", |(_, function)| *function)
    }

    async fn answer(&self, call: Call) -> Reply {
        let reply = self.send_undocumented(call.clone()).await;
        contract::check(&call, &reply);
        reply
    }

    /// Sends a request while no worker runs, so that nothing but the request itself is measured.
    pub async fn send_without_worker(&self, call: Call) -> Reply {
        let was_working = self.is_working.swap(true, Ordering::SeqCst);
        let reply = self.send(call).await;
        self.is_working.store(was_working, Ordering::SeqCst);
        reply
    }

    /// Sends a request without validating the response, because the document describes only this version.
    pub async fn send_undocumented(&self, call: Call) -> Reply {
        let request = call.request();
        let path = request.uri().path().to_owned();
        let function = self.function(Some(request.method()), &path);
        // Boxed, or the stack of a test's thread is too small for all futures of the services that the test calls.
        let answer = Box::pin(self.service(function).respond(request));
        // A deployed worker runs by itself; here it runs while the request is in progress.
        let response = if path.ends_with("/sync") && !self.is_working.load(Ordering::SeqCst) {
            tokio::select! {
                response = answer => response,
                () = Box::pin(self.keep_working()) => unreachable!(),
            }
        } else {
            answer.await
        };
        let reply = Reply::of(response).await;
        privileges::note_presigned(function, &reply);
        reply
    }

    /// Invokes the worker with a batch from its queue, as a deployed event source mapping does. Returns `false` if the queue is
    /// empty.
    pub async fn work(&self) -> bool {
        self.work_on(&self.account.queue).await
    }

    /// Invokes the worker with a batch from the queue of messages to send. Returns `false` if the queue is empty.
    pub async fn send_queued(&self) -> bool {
        self.work_on(&self.account.sends).await
    }

    /// Invokes the worker with a batch from the queue of what the carrier reports. Returns `false` if the queue is empty.
    pub async fn hear_carrier(&self) -> bool {
        self.work_on(&self.account.carrier).await
    }

    async fn work_on(&self, queue: &str) -> bool {
        self.drain(queue, async |event| {
            let event: QueueEvent = serde_json::from_value(event).unwrap();
            // On the heap: the futures of all functions together are too large for the stack of a test's thread.
            serde_json::to_value(Box::pin(self.worker.work(event)).await).unwrap()
        })
        .await
    }

    /// Invokes the deliver function with up to ten messages of each delivery queue. Returns `false` if both are empty.
    pub async fn deliver(&self) -> bool {
        let prompt = self.deliver_from(&self.account.deliveries).await;
        self.deliver_from(&self.account.patient_deliveries).await || prompt
    }

    pub async fn deliver_from(&self, queue: &str) -> bool {
        self.drain(queue, async |event| {
            let event: QueueEvent = serde_json::from_value(event).unwrap();
            serde_json::to_value(Box::pin(self.deliverer.work(event)).await).unwrap()
        })
        .await
    }

    /// Sweeps twice and adds up the results. The due index is eventually consistent and a sweep runs every minute: what one
    /// sweep does not see yet, the next one does.
    ///
    /// Shards that have been empty so far are left out, which saves most of the reads.
    pub async fn sweep(&self) -> Swept {
        let mut swept = Swept::default();
        for _ in 0..2 {
            let used = self.account.due_partitions().await;
            let jobs = self.all_rounds().into_iter();
            let jobs = jobs.filter(|job| used.contains(&format!("{}#{}", job.class.as_str(), job.shard)));
            swept = swept + Box::pin(self.rounds(jobs.collect())).await;
        }
        swept
    }

    /// Looks at the due index, as the schedule does, and works off the first round of every shard in which something is due.
    /// Rounds that go on wait in the sweep's queue.
    pub async fn sweep_once(&self) -> Swept {
        let looked = Box::pin(self.sweeper.look()).await;
        let swept = self.rounds(looked.rounds).await;
        swept + Swept { unread: looked.unread, ..Swept::default() }
    }

    /// The first rounds of all classes and shards.
    pub fn all_rounds(&self) -> Vec<SweepJob> {
        let until = self.now().plus(Duration::from_secs(60));
        let of_class = |class: DueClass| {
            (0..class.shards()).map(move |shard| SweepJob { v: VERSION, class, shard, until, round: 0, after: None })
        };
        DueClass::ALL.into_iter().flat_map(of_class).collect()
    }

    async fn rounds(&self, jobs: Vec<SweepJob>) -> Swept {
        // Boxed, because the futures of all functions together exceed the stack of a test's thread.
        let rounds = stream::iter(jobs).map(|job| Box::pin(async move { self.sweeper.sweep(&job).await }));
        rounds.buffer_unordered(16).fold(Swept::default(), async |all, one| all + one).await
    }

    /// Invokes the sweep function with a message from its queue, as a deployed event source mapping does. Returns `false` if
    /// the queue is empty.
    pub async fn sweep_round(&self) -> bool {
        self.drain(&self.account.sweeps, async |event| {
            let event: SweepEvent = serde_json::from_value(event).unwrap();
            serde_json::to_value(self.sweeper.serve(event).await.unwrap()).unwrap()
        })
        .await
    }

    /// Waits until the due index shows the last write, which the guard (tools/guard) hides from the first read of the
    /// index.
    pub async fn index_caught_up(&self) {
        let in_a_century = self.now().plus(Duration::from_secs(100 * 365 * 86_400));
        let store = self.account.store();
        let read = |job: SweepJob| {
            let store = &store;
            Box::pin(async move { store.due(job.class, job.shard, in_a_century, None).await.unwrap() })
        };
        stream::iter(self.all_rounds()).map(read).buffer_unordered(16).for_each(async |_| {}).await;
    }

    /// Invokes the dispatch function with the stream records of all events that wait for it.
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
        use aws_sdk_sqs::types::MessageSystemAttributeName::All;
        let sqs = &self.account.sqs;
        let call = sqs.receive_message().queue_url(queue).max_number_of_messages(10).message_attribute_names("All");
        let messages = call.message_system_attribute_names(All).send().await.unwrap();
        let messages = messages.messages.unwrap_or_default();
        let records: Vec<Value> = messages.iter().map(|message| record(queue, message)).collect();
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

    /// Receives and deletes up to ten messages. Returns their bodies.
    pub async fn take(&self, queue: &str) -> Vec<String> {
        let mut taken = Vec::new();
        let take = async |event: Value| {
            let bodies = event["Records"].as_array().unwrap().iter().map(|record| text(record, "body"));
            taken = bodies.collect();
            json!({"batchItemFailures": []})
        };
        self.drain(queue, take).await;
        taken
    }

    pub async fn messages(&self, queue: &str) -> Vec<String> {
        let call = self.account.sqs.receive_message().queue_url(queue).max_number_of_messages(10);
        let messages = call.send().await.unwrap().messages.unwrap_or_default();
        messages.into_iter().filter_map(|message| message.body).collect()
    }

    pub fn operator_without_carrier(&self) -> Operator {
        self.functions.operator_without_carrier()
    }

    /// Starts a new notifications function, with this time limit for updates that it applies directly.
    pub fn notifications(&self, inline_budget: Duration) -> HttpService {
        self.functions.notifications(inline_budget)
    }

    /// Starts a new sending function, which knows nothing from earlier requests and has these quotas in live mode.
    pub fn sending(&self, live: DailySends) -> HttpService {
        self.functions.sending(live)
    }

    /// Starts a new sending function whose carrier is at this URL, or of an installation without a carrier.
    pub fn sending_with_carrier(&self, url: Option<&str>) -> HttpService {
        self.functions.sending_with_carrier(url)
    }

    /// Starts a new sending function whose platform is at this URL.
    pub fn sending_to(&self, platform: &str) -> HttpService {
        self.functions.sending_to(platform)
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

/// The message as Lambda passes it to a function.
fn record(queue: &str, message: &Message) -> Value {
    let name = queue.rsplit('/').next().unwrap();
    let attributes = message.attributes.iter().flatten().map(|(name, value)| (name.to_string(), json!(value)));
    let copied = message.message_attributes.iter().flatten().map(|(name, value)| {
        let value = json!({"stringValue": value.string_value, "dataType": value.data_type});
        (name.clone(), value)
    });
    json!({
        "messageId": message.message_id, "receiptHandle": message.receipt_handle, "body": message.body,
        "attributes": attributes.collect::<Map<String, Value>>(),
        "messageAttributes": copied.collect::<Map<String, Value>>(),
        "eventSourceARN": format!("arn:aws:sqs:us-east-1:000000000000:{name}"),
    })
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
