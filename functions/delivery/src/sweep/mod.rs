//! Runs every minute and processes the items of the due index: missed events, due retries, expired media, abandoned uploads
//! and signups, and what still refers to deleted apps. Every step is idempotent; failed items are retried.

mod media;
mod report;
mod signups;

use std::ops::Add;
use std::time::Duration;

use aws::bucket::Bucket;
use aws::queue::{DeliveryJob, Queue};
use domain::Failure;
use domain::delivery::DeliveryStatus;
use domain::id::{DeliveryId, WebhookId};
use futures_util::{StreamExt as _, stream};
use platform::Vault;
use runtime::{Context, Environment, logging::about};
use serde::Serialize;
use store::{Due, DueItem, Store};
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::Dispatcher;
use report::Report;

/// Processes due items.
#[derive(Clone)]
pub struct Sweeper {
    pub dispatcher: Dispatcher,
    /// The worker's queue.
    pub jobs: Queue,
    pub bucket: Bucket,
    pub vault: Vault,
}

/// The outcome of a sweep, in items.
#[derive(Debug, Default, Serialize, PartialEq, Eq)]
pub struct Swept {
    pub done: usize,
    pub failed: usize,
    /// Partitions of the due index that could not be read.
    pub unread: usize,
}

impl Add for Swept {
    type Output = Swept;

    fn add(self, other: Swept) -> Swept {
        Swept { done: self.done + other.done, failed: self.failed + other.failed, unread: self.unread + other.unread }
    }
}

/// How long a sweep may run: the next one begins a minute after this one.
const BUDGET: Duration = Duration::from_secs(45);
const PAGE: i32 = 100;
const SIDE_BY_SIDE: usize = 16;
/// How long a queued attempt may take before the sweep queues it again.
const REQUEUE_AFTER: Duration = Duration::from_secs(5 * 60);
/// The pause before a failed item is retried.
const RETRY_AFTER: Duration = Duration::from_secs(5 * 60);

impl Sweeper {
    /// Reads the sweep function's configuration from its environment.
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

    /// Processes all partitions of the due index concurrently, each until nothing in it is due or the time is up.
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
            let items = match self.store().due(partition, now, PAGE).await {
                Ok(items) => items,
                Err(failure) => {
                    log("the due index could not be read", &failure);
                    swept.unread += 1;
                    return swept;
                }
            };
            report.note_found(&items, now);
            let count = items.len();
            let done = stream::iter(items).map(|item| {
                let about = about(&item.organization, None);
                self.process(item, report).instrument(about)
            });
            let done: Vec<bool> = done.buffer_unordered(SIDE_BY_SIDE).collect().await;
            let succeeded = done.into_iter().filter(|done| *done).count();
            swept.done += succeeded;
            swept.failed += count - succeeded;
            // The index is eventually consistent and may return processed items again, so a short page ends the loop.
            if count < PAGE as usize || succeeded == 0 || Instant::now() > give_up {
                return swept;
            }
        }
    }

    /// Processes one item; a failed one is postponed. Returns whether it succeeded.
    async fn process(&self, item: DueItem, report: &Report) -> bool {
        let Err(failure) = self.process_due(&item, report).await else { return true };
        log("a due item could not be processed", &failure);
        let later = self.context().now().plus(RETRY_AFTER);
        let _ = self.store().postpone(&item, later).await;
        false
    }

    async fn process_due(&self, item: &DueItem, report: &Report) -> Result<(), Failure> {
        let organization = &item.organization;
        match &item.due {
            Due::Event(id) => self.dispatcher.dispatch(organization, id).await,
            Due::Delivery(webhook, id) => self.queue_attempt(item, webhook, id).await,
            Due::Media(id) => self.remove_media(item, organization, id).await,
            Due::Message(id) => self.process_message_media(item, organization, id).await,
            Due::Onboarding(hash) => self.remove_signup(organization, hash, report).await,
            Due::DeletedApp(ksuid) => match self.store().of(organization).deleted_app(ksuid).await? {
                Some(deleted) => self.store().clear_deleted_app(organization, &deleted, self.context().now()).await,
                None => Ok(()),
            },
        }
    }

    /// Queues a due attempt: a retry, or an attempt whose message was lost.
    async fn queue_attempt(&self, item: &DueItem, webhook: &WebhookId, id: &DeliveryId) -> Result<(), Failure> {
        let organization = &item.organization;
        let Some(delivery) = self.store().of(organization).delivery(webhook, id).await? else { return Ok(()) };
        let (now, revision) = (self.context().now(), delivery.revision);
        let Some(at) = delivery.next_attempt_at.filter(|_| delivery.status == DeliveryStatus::Pending) else {
            return self.store().no_longer_due_as_seen(item, revision).await;
        };
        // The index is eventually consistent, and a concurrent writer may have postponed the attempt.
        if at > now {
            return self.store().postpone_as_seen(item, at, revision).await;
        }
        // The longer an attempt is overdue, the longer the pause before it is queued again.
        let overdue = Duration::from_secs(at.seconds_until(now));
        self.store().postpone_as_seen(item, now.plus(overdue.max(REQUEUE_AFTER)), revision).await?;
        self.dispatcher.queue.send_deliveries(&[DeliveryJob::of(organization, &delivery)], Duration::ZERO).await
    }
}

fn log(what: &str, failure: &Failure) {
    let cause = failure.cause().map_or_else(|| failure.message().to_owned(), ToString::to_string);
    tracing::error!("{what}: {cause}");
}
