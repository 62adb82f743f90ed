//! All functions, assembled as in their `main`, each with its own connection, so that they share no cached state.

use std::sync::Arc;
use std::time::Duration;

use api::HttpService;
use apps::AppsContext;
use aws::Connection;
use aws::bucket::Bucket;
use aws::presign::Presigner;
use aws::queue::Queue;
use chat::ChatContext;
use delivery::{Deliverer, Dispatcher, Poster, Sweeper, SystemResolver};
use domain::Timestamp;
use domain::port::Clock;
use inbound::Inbox;
use media::MediaContext;
use notifications::NotificationContext;
use operator::Operator;
use platform::{Platforms, Vault};
use reference::ReferenceContext;
use runtime::{Context, Installation, Metrics};
use store::Store;
use worker::Worker;

use crate::clock::TestClock;
use crate::emulator::Account;
use crate::logs::Output;
use crate::settings::{API_URL, NAMESPACE, PLATFORM_SECRET, PROFILE_SECRETS, TABLE, graph_settings};
use crate::standin::StandIn;

const LIVE_BYTES_A_DAY: u64 = 2_000_000_000;
const RECEIVER_DEADLINE: Duration = Duration::from_secs(3);
const INLINE_BUDGET: Duration = Duration::from_secs(5);

/// State that the functions of an installation share.
pub struct Functions {
    pub account: Account,
    pub clock: Arc<TestClock>,
    pub platform: StandIn,
    pub installation: Installation,
    /// The metrics that the functions write.
    pub metrics: Output,
}

struct SharedClock(Arc<TestClock>);

impl Clock for SharedClock {
    fn now(&self) -> Timestamp {
        self.0.now()
    }
}

impl Functions {
    pub fn operator(&self) -> Operator {
        let store = Store::new(self.account.connection_of("operator").dynamodb(), TABLE);
        Operator::with_clock(store, Box::new(SharedClock(self.clock.clone())))
    }

    pub fn worker(&self) -> Worker {
        let connection = self.account.connection_of("worker");
        Worker {
            inbox: self.inbox(&connection),
            platforms: self.platforms(&connection),
            bucket: self.bucket(&connection),
            first_pause: Duration::ZERO,
        }
    }

    pub fn dispatcher(&self) -> Dispatcher {
        self.dispatcher_over(&self.account.connection_of("dispatch"))
    }

    pub fn deliverer(&self) -> Deliverer {
        let connection = self.account.connection_of("deliver");
        let policy = self.installation.webhook_addresses.clone();
        Deliverer {
            context: self.context(&connection),
            queue: self.deliveries(&connection),
            patient: Queue::new(&connection, self.account.patient_deliveries.clone()),
            poster: Poster::new(Arc::new(SystemResolver), policy, RECEIVER_DEADLINE).unwrap(),
            first_pause: Duration::ZERO,
        }
    }

    pub fn sweeper(&self) -> Sweeper {
        let connection = self.account.connection_of("sweep");
        Sweeper {
            dispatcher: self.dispatcher_over(&connection),
            jobs: self.jobs(&connection),
            bucket: self.bucket(&connection),
            vault: vault(&connection),
        }
    }

    pub fn services(&self) -> Vec<(&'static str, HttpService)> {
        let installation = Arc::new(self.installation.clone());
        let finish = |router| HttpService::new(router, installation.clone());
        let reference = reference::routes(ReferenceContext::new(installation.clone(), API_URL));
        let connection = |function| self.account.connection_of(function);
        vec![
            ("organization", finish(organization::routes(self.context(&connection("organization"))))),
            ("apps", finish(apps::routes(self.apps(&connection("apps"))))),
            ("chat", finish(chat::routes(self.chat(&connection("chat"))))),
            ("notifications", self.notifications(INLINE_BUDGET)),
            ("media", finish(media::routes(self.media(&connection("media"))))),
            ("playground", finish(playground::routes(self.context(&connection("playground"))))),
            ("reference", finish(reference)),
        ]
    }

    pub fn notifications(&self, inline_budget: Duration) -> HttpService {
        let connection = self.account.connection_of("notifications");
        let context = NotificationContext { inbox: self.inbox(&connection), vault: vault(&connection), inline_budget };
        HttpService::new(notifications::routes(context), Arc::new(self.installation.clone()))
    }

    fn apps(&self, connection: &Connection) -> AppsContext {
        AppsContext { context: self.context(connection), queue: self.deliveries(connection) }
    }

    fn chat(&self, connection: &Connection) -> ChatContext {
        ChatContext {
            context: self.context(connection),
            platforms: self.platforms(connection),
            presigner: self.presigner(connection),
            queue: self.jobs(connection),
            sync_patience: chat::SYNC_PATIENCE,
        }
    }

    fn media(&self, connection: &Connection) -> MediaContext {
        MediaContext {
            context: self.context(connection),
            bucket: self.bucket(connection),
            presigner: self.presigner(connection),
            live_bytes_a_day: LIVE_BYTES_A_DAY,
        }
    }

    fn context(&self, connection: &Connection) -> Context {
        let metrics = Metrics::new(NAMESPACE, self.metrics.clone());
        let mut context = Context::new(Store::new(connection.dynamodb(), TABLE), self.installation.clone(), metrics);
        context.clock = Arc::new(SharedClock(self.clock.clone()));
        context
    }

    fn inbox(&self, connection: &Connection) -> Inbox {
        Inbox { context: self.context(connection), queue: self.jobs(connection) }
    }

    fn dispatcher_over(&self, connection: &Connection) -> Dispatcher {
        Dispatcher { context: self.context(connection), queue: self.deliveries(connection) }
    }

    /// The real platform client, connected to the stand-in.
    fn platforms(&self, connection: &Connection) -> Platforms {
        Platforms::new(graph_settings(&self.platform.url), vault(connection)).unwrap()
    }

    fn bucket(&self, connection: &Connection) -> Bucket {
        Bucket::new(connection, self.account.bucket.clone())
    }

    fn presigner(&self, connection: &Connection) -> Presigner {
        Presigner::new(connection, &self.account.bucket)
    }

    fn jobs(&self, connection: &Connection) -> Queue {
        Queue::new(connection, self.account.queue.clone())
    }

    fn deliveries(&self, connection: &Connection) -> Queue {
        Queue::new(connection, self.account.deliveries.clone())
    }
}

fn vault(connection: &Connection) -> Vault {
    Vault::new(connection, PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned())
}
