//! The functions in this process over AWS in memory, with an organization that has an object of every kind. Each input starts
//! from the same state, with a clock that only a target moves and with repeatable random numbers, so runs are reproducible.

mod messages;
mod objects;
mod parts;
mod steady;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use api::HttpService;
use axum::body::Body;
use contract::ROUTES;
use delivery::{Deliverer, Dispatcher};
use domain::events::webhook::AddressPolicy;
use http::Request;
use http_body_util::BodyExt as _;
use runtime::Installation;
use tests::memory::Memory;
use tests::standin::{APP_SECRET, StandIn, VERIFY_TOKEN, app_document};
use tests::{Call, Reply};
use tokio::runtime::Runtime;
use tracing_subscriber::layer::SubscriberExt as _;
use worker::Worker;

use self::parts::{PLATFORM_SECRET, Parts};
use self::steady::{Log, Repeating, Standing};

pub(crate) use self::messages::invocation;
pub(crate) use self::steady::now;

/// An address where nothing listens.
const NO_PLATFORM: &str = "http://127.0.0.1:9";
/// The live account that notifications name, and its number.
pub(crate) const ACCOUNT: &str = "102290129340398";
pub(crate) const NUMBER: &str = "106540352242922";

pub(crate) struct Service {
    runtime: Runtime,
    pub(crate) memory: Memory,
    random: Arc<Repeating>,
    clock: Standing,
    log: Log,
    services: BTreeMap<&'static str, HttpService>,
    /// The functions of each path, by method.
    paths: matchit::Router<BTreeMap<String, &'static str>>,
    pub(crate) worker: Worker,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) deliverer: Deliverer,
    /// Placeholders for credentials and ids in inputs, the longest names first.
    pub(crate) names: Vec<(&'static str, String)>,
}

/// The process's only instance, created on first use. Inputs use it one at a time.
pub(crate) fn service() -> MutexGuard<'static, Service> {
    static SERVICE: LazyLock<Mutex<Service>> = LazyLock::new(|| Mutex::new(Service::new()));
    let mut service = SERVICE.lock().unwrap_or_else(PoisonError::into_inner);
    service.begin();
    service
}

impl Service {
    fn new() -> Service {
        let log = Log::default();
        let layer = runtime::logging::layer(log.clone());
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer))
            .expect("the first subscriber");
        let memory = Memory::default();
        let app = app_document(&[("appSecret", APP_SECRET), ("verifyToken", VERIFY_TOKEN)]);
        memory.keep_secret(PLATFORM_SECRET, &app);
        let (random, clock) = (Arc::new(Repeating::default()), Standing::default());
        let webhook_addresses = AddressPolicy { own: vec![("api.example.com".to_owned(), None)], allow_local: false };
        let installation = Installation { docs_url: "https://docs.example.com".to_owned(), webhook_addresses };
        let stand_in = StandIn::start();
        let platform = stand_in.url.clone();
        let mut parts =
            Parts { memory: memory.clone(), random: random.clone(), clock: clock.clone(), installation, platform };
        let mut paths = matchit::Router::new();
        let mut of_path: BTreeMap<&str, BTreeMap<String, &'static str>> = BTreeMap::new();
        for route in ROUTES.iter() {
            of_path.entry(&route.path).or_default().insert(route.method.to_string(), route.function);
        }
        for (path, functions) in of_path {
            paths.insert(path, functions).expect("a path");
        }
        let mut service = Service {
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime"),
            memory,
            random,
            clock,
            log,
            services: parts.services(),
            paths,
            worker: parts.worker(),
            dispatcher: parts.dispatcher(),
            deliverer: parts.deliverer(),
            names: Vec::new(),
        };
        service.names = service.populate(&parts, &stand_in);
        service.memory.freeze();
        service.random.freeze();
        // From here on, live mode finds no platform.
        NO_PLATFORM.clone_into(&mut parts.platform);
        service.services = parts.services();
        service.worker = parts.worker();
        service
    }

    fn begin(&mut self) {
        self.memory.reset();
        self.random.reset();
        self.clock.0.store(0, Ordering::Relaxed);
        self.log.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Moves the clock by one millisecond, until the input ends.
    pub(crate) fn tick(&self) {
        self.clock.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the log since the input began.
    pub(crate) fn logged(&self) -> String {
        String::from_utf8_lossy(&self.log.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Returns the response of the function to which the gateway would route the request.
    pub(crate) fn answer(&self, request: Request<Body>) -> Reply {
        let found = self.paths.at(request.uri().path()).ok();
        // The gateway does not match an empty segment to a parameter.
        let found = found.filter(|found| found.params.iter().all(|(_, value)| !value.is_empty()));
        let function = found.and_then(|found| found.value.get(request.method().as_str()).copied());
        let function = function.unwrap_or("reference");
        let service = &self.services[function];
        self.run(async {
            let response = service.respond(request).await;
            let (parts, body) = response.into_parts();
            let bytes = body.collect().await.expect("a body in memory").to_bytes();
            Reply { status: parts.status, headers: parts.headers, text: String::from_utf8_lossy(&bytes).into_owned() }
        })
    }

    fn send(&self, call: &Call) -> Reply {
        self.answer(call.request())
    }

    /// Replaces each `$NAME` placeholder; other dollar signs stay.
    pub(crate) fn fill(&self, input: &str) -> String {
        let mut parts = input.split('$');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            match self.names.iter().find(|(name, _)| part.starts_with(name)) {
                Some((name, value)) => text.extend([value.as_str(), &part[name.len()..]]),
                None => text.extend(["$", part]),
            }
        }
        text
    }

    pub(crate) fn name(&self, wanted: &str) -> &str {
        self.names.iter().find(|(name, _)| *name == wanted).map_or("", |(_, value)| value)
    }

    fn work_on(&self, bodies: Vec<String>) {
        let outcome = self.run(self.worker.work(invocation(&bodies)));
        assert!(outcome.batch_item_failures.is_empty(), "{}", self.logged());
    }
}
