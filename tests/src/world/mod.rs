//! An installation in the test's process: the APIs of all functions, over an AWS account of its own, with one organization and
//! its keys and apps.

mod attention;
mod due_work;
mod events;
mod organization;
mod queues;
mod requests;
mod usage;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ::contract::ROUTES;
use api::HttpService;
use delivery::{Deliverer, Dispatcher, Poster, Sweeper, SystemResolver};
use domain::Timestamp;
use domain::events::webhook::AddressPolicy;
use domain::port::Clock as _;
use http::Method;
use issuer::Issuer;
use meter::Meter;
use operator::Operator;
use reference::Console;
use runtime::{Installation, Monitoring};
use store::DailySends;
use worker::Worker;

use crate::carrier::CarrierAccount;
use crate::clock::TestClock;
use crate::emulator::Account;
use crate::faults::Faults;
use crate::functions::Functions;
use crate::logs::Output;
use crate::settings::DOCS_URL;
use crate::standin::StandIn;

pub use self::organization::Organization;
pub use self::requests::Service;
pub use self::usage::passes;

/// The functions of each path, by method.
/// The functions of the paths of each method, because the gateway looks only among the routes of a request's method.
type Paths = HashMap<Method, matchit::Router<&'static str>>;

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
    pub meter: Meter,
    pub sweeper: Sweeper,
    /// A worker is already running in the background.
    is_working: AtomicBool,
    functions: Functions,
    services: Vec<(&'static str, HttpService)>,
    paths: Paths,
}

/// Creating an installation.
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
        let metrics = Output::default();

        let functions = Functions {
            account: account.clone(),
            clock: clock.clone(),
            platform: platform.clone(),
            carrier_account: carrier_account.clone(),
            installation: Installation { docs_url: DOCS_URL.to_owned(), webhook_addresses },
            metrics: metrics.clone(),
            monitoring,
        };

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
            meter: functions.meter(),
            sweeper: functions.sweeper(),
            is_working: AtomicBool::new(false),
            services: functions.services(),
            functions,
            paths: paths(),
        };
        world.org = world.organization("Acme").await;
        world
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

fn paths() -> Paths {
    let mut paths = Paths::new();
    for route in ROUTES.iter() {
        paths.entry(route.method.clone()).or_default().insert(&route.path, route.function).unwrap();
    }
    paths
}

/// Functions with other settings than those of the installation.
impl World {
    /// Replaces the chat function by one of an installation without signups at the platform.
    pub fn close_signup(&mut self) {
        let chat = self.services.iter_mut().find(|(name, _)| *name == "chat").unwrap();
        chat.1 = self.functions.chat_without_signup();
    }

    /// Replaces the people function by one of an installation with an identity provider.
    pub fn sign_in_with(&mut self, issuer: Issuer) {
        let people = self.services.iter_mut().find(|(name, _)| *name == "people").unwrap();
        people.1 = self.functions.people_with(issuer);
    }

    /// Replaces the reference function by one of an installation with this console.
    pub fn open_console(&mut self, console: Console) {
        let reference = self.services.iter_mut().find(|(name, _)| *name == "reference").unwrap();
        reference.1 = self.functions.reference_with(console);
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

    /// Starts a new sending function, of a time in which the table has no stream.
    pub fn sending_without_meter(&self) -> HttpService {
        self.functions.sending_without_meter()
    }

    /// Starts a new sending function whose platform is at this URL.
    pub fn sending_to(&self, platform: &str) -> HttpService {
        self.functions.sending_to(platform)
    }
}
