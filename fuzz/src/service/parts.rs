//! The functions, assembled as in their `main`, over AWS in memory.

use people::PeopleContext;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use api::HttpService;
use apps::AppsContext;
use aws::bucket::Bucket;
use aws::presign::Presigner;
use aws::queue::{Destinations, Queue};
use carrier::Carriers;
use chat::ChatContext;
use delivery::{Addresses, DEADLINE, Deliverer, Dispatcher, Poster, Resolver};
use inbound::Inbox;
use media::MediaContext;
use notifications::NotificationContext;
use outbound::Outbound;
use platform::{GraphSettings, Platforms, TimeLimits, Vault};
use playground::PlaygroundContext;
use reference::ReferenceContext;
use runtime::{Context, Installation, Metrics, Monitoring};
use sending::SendingContext;
use store::{DailySends, DailyUploads, Store};
use tests::memory::Memory;
use tests::standin::{APP_ID, api_version};
use worker::{Source, Worker};

use super::steady::{Repeating, Standing};

pub(super) const TABLE: &str = "table";
pub(super) const PLATFORM_SECRET: &str = "platform";
const PROFILE_SECRETS: &str = "profiles/";
const LIVE_SENDS: DailySends = DailySends { messages: 200_000, parts: 10_000 };

/// A resolver that resolves no name, so that nothing leaves this process.
struct Nowhere;

impl Resolver for Nowhere {
    fn resolve(&self, _: String) -> Addresses {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// Assembles the functions as their `main` does.
pub(super) struct Parts {
    pub(super) memory: Memory,
    pub(super) random: Arc<Repeating>,
    pub(super) clock: Standing,
    pub(super) installation: Installation,
    pub(super) platform: String,
}

impl Parts {
    fn context(&self) -> Context {
        let store = Store::new(self.memory.connection().dynamodb(), TABLE);
        let mut context = Context::new(
            store,
            self.installation.clone(),
            Metrics::new("fuzz", Monitoring::Essential, std::io::sink()),
        );
        context.clock = Arc::new(self.clock.clone());
        context.random = self.random.clone();
        context
    }

    fn queue(&self) -> Queue {
        Queue::new(&self.memory.connection(), "http://aws.invalid/queue".to_owned())
    }

    fn presigner(&self) -> Presigner {
        Presigner::new(&self.memory.connection(), "bucket")
    }

    fn bucket(&self) -> Bucket {
        Bucket::new(&self.memory.connection(), "bucket".to_owned())
    }

    fn inbox(&self) -> Inbox {
        Inbox { context: self.context(), queue: self.queue() }
    }

    fn vault(&self) -> Vault {
        Vault::new(&self.memory.connection(), PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned())
    }

    pub(super) fn platforms(&self) -> Platforms {
        let settings = GraphSettings {
            base_url: self.platform.clone(),
            version: api_version().to_owned(),
            app_id: APP_ID.to_owned(),
            limits: TimeLimits::default(),
        };
        Platforms::new(settings, self.vault()).expect("a client of the platform")
    }

    pub(super) fn worker(&self) -> Worker {
        Worker {
            inbox: self.inbox(),
            jobs: self.source(self.queue()),
            sends: self.source(self.queue()),
            carrier: self.source(self.queue()),
            numbers: None,
            outbound: self.outbound(),
            bucket: self.bucket(),
            first_pause: Duration::ZERO,
        }
    }

    fn source(&self, queue: Queue) -> Source {
        let dead_letters = Queue::new(&self.memory.connection(), "http://aws.invalid/dead".to_owned());
        Source { queue, dead_letters }
    }

    fn outbound(&self) -> Outbound {
        Outbound {
            context: self.context(),
            platforms: self.platforms(),
            queue: self.queue(),
            carriers: Carriers::new(None),
            presigner: self.presigner(),
        }
    }

    pub(super) fn dispatcher(&self) -> Dispatcher {
        Dispatcher { context: self.context(), queue: self.queue() }
    }

    pub(super) fn deliverer(&self) -> Deliverer {
        let policy = self.installation.webhook_addresses.clone();
        Deliverer {
            context: self.context(),
            queue: self.queue(),
            patient: self.queue(),
            poster: Poster::new(Arc::new(Nowhere), policy, DEADLINE).expect("a poster"),
            destinations: Destinations::new(&self.memory.connection()),
            first_pause: Duration::ZERO,
            prompt: delivery::PROMPT,
            slow_invocations: 1,
        }
    }

    pub(super) fn services(&self) -> BTreeMap<&'static str, HttpService> {
        let installation = Arc::new(self.installation.clone());
        let chat = ChatContext {
            context: self.context(),
            platforms: self.platforms(),
            presigner: self.presigner(),
            queue: self.queue(),
            // Nothing processes the queue.
            sync_patience: Duration::ZERO,
            api_url: "https://api.example.com".to_owned(),
            installation_name: "Messages of Example".to_owned(),
            signup_configuration: "500100200300".to_owned(),
        };
        let media = MediaContext {
            context: self.context(),
            bucket: self.bucket(),
            presigner: self.presigner(),
            live_uploads: DailyUploads { files: 1_000_000, bytes: 2_000_000_000 },
        };
        let notifications =
            NotificationContext { inbox: self.inbox(), vault: self.vault(), inline_budget: Duration::from_secs(60) };
        let api_url = "https://api.example.com".to_owned();
        let people = PeopleContext { context: self.context(), api_url, issuer: None };
        let routers = [
            ("organization", organization::routes(self.context())),
            ("people", people::routes(people)),
            ("insight", insight::routes(self.context())),
            ("apps", apps::routes(AppsContext { context: self.context(), queue: self.queue() })),
            ("chat", chat::routes(chat)),
            ("sending", sending::routes(SendingContext::new(self.outbound(), self.queue(), LIVE_SENDS))),
            ("notifications", notifications::routes(notifications)),
            ("media", media::routes(media)),
            ("playground", playground::routes(PlaygroundContext { inbox: self.inbox() })),
            ("reference", reference::routes(ReferenceContext::new(installation.clone(), "https://api.example.com"))),
        ];
        routers.into_iter().map(|(name, router)| (name, HttpService::new(router, installation.clone()))).collect()
    }
}
