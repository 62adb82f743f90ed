//! All functions, assembled as in their `main`, each with its own connection, so that they share no cached state.

mod contexts;

use std::sync::Arc;
use std::time::Duration;

use api::HttpService;
use aws::queue::{Destinations, Queue};
use carrier::Carriers;
use chat::ChatContext;
use delivery::{Deliverer, Dispatcher, Poster, Sweeper, SystemResolver};
use issuer::Issuer;
use meter::Meter;
use notifications::NotificationContext;
use operator::Operator;
use outbound::Outbound;
use people::PeopleContext;
use platform::Platforms;
use reference::{Console, ReferenceContext};
use runtime::{Installation, Monitoring};
use sending::SendingContext;
use store::{DailySends, Store};
use worker::{Source, Worker};

use self::contexts::{SharedClock, carrier_at, vault};
use crate::carrier::CarrierAccount;
use crate::clock::TestClock;
use crate::emulator::Account;
use crate::logs::Output;
use crate::settings::{API_URL, TABLE, graph_settings};
use crate::standin::StandIn;

pub use self::contexts::{CONFIGURATION_SET, MAX_PRICE};

const LIVE: DailySends = DailySends { messages: 200_000, parts: 10_000 };
const RECEIVER_DEADLINE: Duration = Duration::from_secs(3);
const SLOW_INVOCATIONS: usize = 25;
/// Longer than any test, so that what is queued does not depend on the speed of the machine.
const INLINE_BUDGET: Duration = Duration::from_secs(600);

/// State that the functions of an installation share.
pub struct Functions {
    pub account: Account,
    pub clock: Arc<TestClock>,
    pub platform: StandIn,
    pub carrier_account: CarrierAccount,
    pub installation: Installation,
    /// The metrics that the functions write, and which.
    pub metrics: Output,
    pub monitoring: Monitoring,
}

/// Functions without an HTTP API.
impl Functions {
    pub fn operator(&self) -> Operator {
        let connection = self.account.connection_of("operator");
        let store = Store::new(connection.dynamodb(), TABLE);
        let carrier = Some(self.numbers(&connection));
        let platforms = self.platforms(&connection);
        let clock = Box::new(SharedClock(self.clock.clone()));
        let operator = Operator::with_clock(store, carrier, platforms, self.listed(), clock);
        operator.with_bucket(self.bucket(&connection))
    }

    /// The operator of an installation without a carrier.
    pub fn operator_without_carrier(&self) -> Operator {
        let connection = self.account.connection_of("operator");
        let store = Store::new(connection.dynamodb(), TABLE);
        let platforms = self.platforms(&connection);
        Operator::with_clock(store, None, platforms, self.listed(), Box::new(SharedClock(self.clock.clone())))
    }

    pub fn worker(&self) -> Worker {
        let connection = self.account.connection_of("worker");
        let source = |queue: &str, dead_letters: &str| Source {
            queue: Queue::new(&connection, queue.to_owned()),
            dead_letters: Queue::new(&connection, dead_letters.to_owned()),
        };
        Worker {
            inbox: self.inbox(&connection),
            jobs: source(&self.account.queue, &self.account.dead_letters),
            sends: source(&self.account.sends, &self.account.send_dead_letters),
            carrier: source(&self.account.carrier, &self.account.carrier_dead_letters),
            numbers: Some(self.numbers(&connection)),
            outbound: self.outbound(&connection),
            bucket: self.bucket(&connection),
            first_pause: Duration::ZERO,
        }
    }

    pub fn dispatcher(&self) -> Dispatcher {
        self.dispatcher_over(&self.account.connection_of("dispatch"))
    }

    pub fn meter(&self) -> Meter {
        Meter { context: self.context(&self.account.connection_of("meter")) }
    }

    pub fn deliverer(&self) -> Deliverer {
        let connection = self.account.connection_of("deliver");
        let policy = self.installation.webhook_addresses.clone();
        Deliverer {
            context: self.context(&connection),
            queue: self.deliveries(&connection),
            patient: Queue::new(&connection, self.account.patient_deliveries.clone()),
            poster: Poster::new(Arc::new(SystemResolver), policy, RECEIVER_DEADLINE).unwrap(),
            destinations: Destinations::new(&connection),
            first_pause: Duration::ZERO,
            prompt: delivery::PROMPT,
            slow_invocations: SLOW_INVOCATIONS,
        }
    }

    pub fn sweeper(&self) -> Sweeper {
        let connection = self.account.connection_of("sweep");
        Sweeper {
            dispatcher: self.dispatcher_over(&connection),
            rounds: Queue::new(&connection, self.account.sweeps.clone()),
            jobs: self.jobs(&connection),
            sends: self.sends(&connection),
            dead_letters: self.account.all_dead_letters().map(|url| Queue::new(&connection, url.to_owned())).to_vec(),
            bucket: self.bucket(&connection),
            vault: vault(&connection),
        }
    }
}

/// The APIs.
impl Functions {
    pub fn services(&self) -> Vec<(&'static str, HttpService)> {
        let installation = Arc::new(self.installation.clone());
        let finish = |router| HttpService::new(router, installation.clone());
        let reference = reference::routes(ReferenceContext::new(installation.clone(), API_URL));
        let connection = |function| self.account.connection_of(function);
        vec![
            ("organization", finish(organization::routes(self.context(&connection("organization"))))),
            ("people", finish(people::routes(self.people(&connection("people"))))),
            ("insight", finish(insight::routes(self.context(&connection("insight"))))),
            ("apps", finish(apps::routes(self.apps(&connection("apps"))))),
            ("chat", finish(chat::routes(self.chat(&connection("chat"))))),
            ("sending", self.sending(LIVE)),
            ("notifications", self.notifications(INLINE_BUDGET)),
            ("media", finish(media::routes(self.media(&connection("media"))))),
            ("playground", finish(playground::routes(self.playground(&connection("playground"))))),
            ("reference", finish(reference)),
        ]
    }

    /// The people function of an installation with an identity provider.
    pub fn people_with(&self, issuer: Issuer) -> HttpService {
        let people = self.people(&self.account.connection_of("people"));
        let people = PeopleContext { issuer: Some(issuer), ..people };
        HttpService::new(people::routes(people), Arc::new(self.installation.clone()))
    }

    /// The reference function of an installation with a console.
    pub fn reference_with(&self, console: Console) -> HttpService {
        let installation = Arc::new(self.installation.clone());
        let context = ReferenceContext::new(installation.clone(), API_URL).with_console(console);
        HttpService::new(reference::routes(context), installation)
    }

    pub fn notifications(&self, inline_budget: Duration) -> HttpService {
        let connection = self.account.connection_of("notifications");
        let context = NotificationContext { inbox: self.inbox(&connection), vault: vault(&connection), inline_budget };
        HttpService::new(notifications::routes(context), Arc::new(self.installation.clone()))
    }

    /// A new sending function, which knows nothing from earlier requests.
    pub fn sending(&self, live: DailySends) -> HttpService {
        let connection = self.account.connection_of("sending");
        let (outbound, queue) = (self.outbound(&connection), self.sends(&connection));
        let context = SendingContext::new(outbound, queue, live);
        HttpService::new(sending::routes(context), Arc::new(self.installation.clone()))
    }

    /// A new sending function, of a time in which the table has no stream.
    pub fn sending_without_meter(&self) -> HttpService {
        let connection = self.account.connection_of("sending");
        let mut outbound = self.outbound(&connection);
        outbound.context.store = outbound.context.store.without_meter();
        let context = SendingContext::new(outbound, self.sends(&connection), LIVE);
        HttpService::new(sending::routes(context), Arc::new(self.installation.clone()))
    }

    /// A new sending function whose platform is at this URL.
    pub fn sending_to(&self, platform: &str) -> HttpService {
        let connection = self.account.connection_of("sending");
        let platforms = Platforms::new(graph_settings(platform), vault(&connection)).unwrap();
        let outbound = Outbound { platforms, ..self.outbound(&connection) };
        let context = SendingContext::new(outbound, self.sends(&connection), LIVE);
        HttpService::new(sending::routes(context), Arc::new(self.installation.clone()))
    }

    /// A new sending function whose carrier is at this URL, or of an installation without a carrier.
    pub fn sending_with_carrier(&self, url: Option<&str>) -> HttpService {
        let connection = self.account.connection_of("sending");
        let carriers = Carriers::new(url.map(|url| carrier_at(&connection, url)));
        let outbound = Outbound { carriers, ..self.outbound(&connection) };
        let context = SendingContext::new(outbound, self.sends(&connection), LIVE);
        HttpService::new(sending::routes(context), Arc::new(self.installation.clone()))
    }

    /// A new chat function of an installation that is not set up for signups at the platform.
    pub fn chat_without_signup(&self) -> HttpService {
        let chat = self.chat(&self.account.connection_of("chat"));
        let context = ChatContext { signup_configuration: String::new(), ..chat };
        HttpService::new(chat::routes(context), Arc::new(self.installation.clone()))
    }
}
