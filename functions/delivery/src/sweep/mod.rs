//! Every minute: what is due and was missed, retries that are due, media past their end, uploads, signups and apps that were
//! given up. Everything here may be done twice; what fails is looked at again.

mod media;
mod report;
mod signups;

use std::ops::Add;
use std::time::Duration;

use aws::bucket::Bucket;
use aws::queue::{DeliveryJob, Queue};
use domain::Failure;
use domain::delivery::DeliveryStatus;
use domain::id::{DeliveryId, OrganizationId, WebhookId};
use futures_util::{StreamExt as _, stream};
use platform::Vault;
use runtime::{Context, Environment, logging::about};
use serde::Serialize;
use store::{Due, DueItem, Store};
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::Dispatcher;
use report::Report;

#[derive(Clone)]
pub struct Sweeper {
    pub dispatcher: Dispatcher,
    /// The worker's.
    pub jobs: Queue,
    pub bucket: Bucket,
    pub vault: Vault,
}

/// What a sweep has done.
#[derive(Debug, Default, Serialize, PartialEq, Eq)]
pub struct Swept {
    pub done: usize,
    pub failed: usize,
    /// Partitions of the index.
    pub unread: usize,
}

impl Add for Swept {
    type Output = Swept;

    fn add(self, other: Swept) -> Swept {
        Swept { done: self.done + other.done, failed: self.failed + other.failed, unread: self.unread + other.unread }
    }
}

/// The next sweep begins a minute after this one.
const BUDGET: Duration = Duration::from_secs(45);
const AT_ONCE: i32 = 100;
const SIDE_BY_SIDE: usize = 16;
/// How long a message of the queue may take before another is sent.
const LOOKED_AFTER: Duration = Duration::from_secs(5 * 60);
/// How long something that fails is left alone.
const FAILED: Duration = Duration::from_secs(5 * 60);

impl Sweeper {
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let deliveries = Queue::new(&connection, environment.required("DELIVERY_QUEUE_URL"));
        Ok(Sweeper {
            dispatcher: Dispatcher { context, queue: deliveries },
            jobs: Queue::new(&connection, environment.required("QUEUE_URL")),
            bucket: Bucket::new(&connection, environment.required("BUCKET_NAME")),
            vault: platform::vault_from_environment(&connection, |name| environment.required(name)),
        })
    }

    pub(crate) fn context(&self) -> &Context {
        &self.dispatcher.context
    }

    pub(crate) fn store(&self) -> &Store {
        &self.dispatcher.context.store
    }

    /// All partitions of the index side by side, each until nothing in it is due or the time is up.
    pub async fn sweep(&self) -> Swept {
        let give_up = Instant::now() + BUDGET;
        let report = Report::default();
        let partitions =
            stream::iter(Store::due_partitions()).map(|partition| self.sweep_partition(partition, give_up, &report));
        let swept = partitions.buffer_unordered(SIDE_BY_SIDE).fold(Swept::default(), async |all, one| all + one).await;
        report.publish(self.context(), swept.unread, swept.failed);
        swept
    }

    async fn sweep_partition(&self, partition: u32, give_up: Instant, report: &Report) -> Swept {
        let mut swept = Swept::default();
        loop {
            let now = self.context().now();
            let found = match self.store().due(partition, now, AT_ONCE).await {
                Ok(found) => found,
                Err(failure) => {
                    log("the due index could not be read", &failure);
                    swept.unread += 1;
                    return swept;
                }
            };
            report.note_found(&found, now);
            let count = found.len();
            let done = stream::iter(found).map(|item| {
                let about = about(&item.organization, None);
                self.attend(item, report).instrument(about)
            });
            let done: Vec<bool> = done.buffer_unordered(SIDE_BY_SIDE).collect().await;
            let succeeded = done.into_iter().filter(|done| *done).count();
            swept.done += succeeded;
            swept.failed += count - succeeded;
            // The index is a little behind: what was just done may be found again, so a short page ends it.
            if count < AT_ONCE as usize || succeeded == 0 || Instant::now() > give_up {
                return swept;
            }
        }
    }

    async fn attend(&self, item: DueItem, report: &Report) -> bool {
        let Err(failure) = self.attend_to(&item, report).await else { return true };
        log("something due could not be done", &failure);
        let later = self.context().now().plus(FAILED);
        let _ = self.store().postpone(&item, later).await;
        false
    }

    async fn attend_to(&self, item: &DueItem, report: &Report) -> Result<(), Failure> {
        let o = &item.organization;
        match &item.due {
            Due::Event(id) => self.dispatcher.dispatch(o, id).await,
            Due::Delivery(webhook, id) => self.send_again(item, o, (webhook, id)).await,
            Due::Media(id) => self.remove_media(item, o, id).await,
            Due::Message(id) => self.attend_to_message(item, o, id).await,
            Due::Onboarding(hash) => self.give_up_signup(o, hash, report).await,
            Due::DeletedApp(ksuid) => match self.store().of(o).deleted_app(ksuid).await? {
                Some(deleted) => self.store().clear_deleted_app(o, &deleted, self.context().now()).await,
                None => Ok(()),
            },
        }
    }

    /// A retry whose time has come, or an attempt whose message got lost.
    async fn send_again(
        &self,
        item: &DueItem,
        o: &OrganizationId,
        (webhook, id): (&WebhookId, &DeliveryId),
    ) -> Result<(), Failure> {
        let Some(delivery) = self.store().of(o).delivery(webhook, id).await? else { return Ok(()) };
        let (now, revision) = (self.context().now(), delivery.revision);
        let Some(at) = delivery.next_attempt_at.filter(|_| delivery.status == DeliveryStatus::Pending) else {
            return self.store().no_longer_due_as_seen(item, revision).await;
        };
        // The index is a little behind, and somebody may have been faster: nothing is sent before its time.
        if at > now {
            return self.store().postpone_as_seen(item, at, revision).await;
        }
        // What never gets done is looked after ever more rarely.
        let overdue = Duration::from_secs(at.seconds_until(now));
        self.store().postpone_as_seen(item, now.plus(overdue.max(LOOKED_AFTER)), revision).await?;
        self.dispatcher.queue.send_deliveries(&[DeliveryJob::of(o, &delivery)], Duration::ZERO).await
    }
}

fn log(what: &str, failure: &Failure) {
    let cause = failure.cause().map_or_else(|| failure.message().to_owned(), ToString::to_string);
    tracing::error!("{what}: {cause}");
}
