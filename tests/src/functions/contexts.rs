//! What functions are assembled from: contexts, clients and queues, over the connection of a function.

use std::sync::Arc;

use apps::AppsContext;
use aws::Connection;
use aws::bucket::Bucket;
use aws::presign::Presigner;
use aws::queue::Queue;
use carrier::{AwsCarrier, CarrierNumbers, CarrierSettings, Carriers};
use chat::ChatContext;
use delivery::Dispatcher;
use domain::Timestamp;
use domain::events::webhook::ListedQueues;
use domain::port::Clock;
use inbound::Inbox;
use media::MediaContext;
use outbound::Outbound;
use people::PeopleContext;
use platform::{Platforms, Vault};
use playground::PlaygroundContext;
use runtime::{Context, Metrics};
use store::{DailyUploads, Store};

use super::Functions;
use crate::carrier::TOPIC;
use crate::clock::TestClock;
use crate::settings::{
    API_URL, LISTED_QUEUES, NAMESPACE, PLATFORM_SECRET, PROFILE_SECRETS, SIGNUP_CONFIGURATION, TABLE, graph_settings,
};

const LIVE_UPLOADS: DailyUploads = DailyUploads { files: 3_000, bytes: 2_000_000_000 };
/// The settings of the carrier, which every request to it repeats.
pub const CONFIGURATION_SET: &str = "the-stack";
pub const MAX_PRICE: &str = "0.50";

pub(super) struct SharedClock(pub(super) Arc<TestClock>);

impl Clock for SharedClock {
    fn now(&self) -> Timestamp {
        self.0.now()
    }
}

/// The contexts of functions.
impl Functions {
    pub(super) fn outbound(&self, connection: &Connection) -> Outbound {
        Outbound {
            context: self.context(connection),
            platforms: self.platforms(connection),
            queue: self.jobs(connection),
            carriers: self.carriers(connection),
            presigner: self.presigner(connection),
        }
    }

    pub(super) fn playground(&self, connection: &Connection) -> PlaygroundContext {
        PlaygroundContext { inbox: self.inbox(connection) }
    }

    pub(super) fn people(&self, connection: &Connection) -> PeopleContext {
        PeopleContext { context: self.context(connection), api_url: API_URL.to_owned(), issuer: None }
    }

    pub(super) fn apps(&self, connection: &Connection) -> AppsContext {
        AppsContext { context: self.context(connection), queue: self.deliveries(connection) }
    }

    pub(super) fn chat(&self, connection: &Connection) -> ChatContext {
        ChatContext {
            context: self.context(connection),
            platforms: self.platforms(connection),
            presigner: self.presigner(connection),
            queue: self.jobs(connection),
            sync_patience: chat::SYNC_PATIENCE,
            api_url: API_URL.to_owned(),
            installation_name: "Messages of Example".to_owned(),
            signup_configuration: SIGNUP_CONFIGURATION.to_owned(),
        }
    }

    pub(super) fn media(&self, connection: &Connection) -> MediaContext {
        MediaContext {
            context: self.context(connection),
            bucket: self.bucket(connection),
            presigner: self.presigner(connection),
            live_uploads: LIVE_UPLOADS,
        }
    }

    pub(super) fn context(&self, connection: &Connection) -> Context {
        let metrics = Metrics::new(NAMESPACE, self.monitoring, self.metrics.clone());
        let mut context = Context::new(Store::new(connection.dynamodb(), TABLE), self.installation.clone(), metrics);
        context.clock = Arc::new(SharedClock(self.clock.clone()));
        context
    }

    pub(super) fn inbox(&self, connection: &Connection) -> Inbox {
        Inbox { context: self.context(connection), queue: self.jobs(connection) }
    }

    pub(super) fn dispatcher_over(&self, connection: &Connection) -> Dispatcher {
        Dispatcher { context: self.context(connection), queue: self.deliveries(connection) }
    }
}

/// Clients and queues.
impl Functions {
    /// The queues to which the installation can send events.
    pub(super) fn listed(&self) -> ListedQueues {
        let arns = LISTED_QUEUES.map(|name| self.account.queue_arn(name));
        ListedQueues::new(&self.account.connection.region, &arns.join(","))
    }

    pub(super) fn numbers(&self, connection: &Connection) -> CarrierNumbers {
        CarrierNumbers::new(at(connection, &self.carrier_account.url), TOPIC)
    }

    /// The real client of the carrier, connected to the stand-in.
    pub(super) fn carriers(&self, connection: &Connection) -> Carriers {
        Carriers::new(Some(carrier_at(connection, &self.carrier_account.url)))
    }

    /// The real platform client, connected to the stand-in.
    pub(super) fn platforms(&self, connection: &Connection) -> Platforms {
        Platforms::new(graph_settings(&self.platform.url), vault(connection)).unwrap()
    }

    pub(super) fn bucket(&self, connection: &Connection) -> Bucket {
        Bucket::new(connection, self.account.bucket.clone())
    }

    pub(super) fn presigner(&self, connection: &Connection) -> Presigner {
        Presigner::new(connection, &self.account.bucket)
    }

    pub(super) fn jobs(&self, connection: &Connection) -> Queue {
        Queue::new(connection, self.account.queue.clone())
    }

    pub(super) fn sends(&self, connection: &Connection) -> Queue {
        Queue::new(connection, self.account.sends.clone())
    }

    pub(super) fn deliveries(&self, connection: &Connection) -> Queue {
        Queue::new(connection, self.account.deliveries.clone())
    }
}

pub(super) fn vault(connection: &Connection) -> Vault {
    Vault::new(connection, PLATFORM_SECRET.to_owned(), PROFILE_SECRETS.to_owned())
}

pub(super) fn carrier_at(connection: &Connection, url: &str) -> AwsCarrier {
    let (configuration_set, max_price) = (CONFIGURATION_SET.to_owned(), Some(MAX_PRICE.to_owned()));
    AwsCarrier::new(&at(connection, url), CarrierSettings { configuration_set, max_price }).unwrap()
}

pub(super) fn at(connection: &Connection, url: &str) -> Connection {
    Connection { endpoint_url: Some(url.to_owned()), ..connection.clone() }
}
