//! Processes the items of the due index: missed events, due retries, expired media, abandoned uploads and signups,
//! disconnections that stopped, deleted apps that other items still refer to, queued messages that wait, attempts
//! without an outcome, phone numbers to unlink, and business profiles to check. The schedule checks all shards of the
//! index, and sends one message for each shard with due items. Each shard is processed in rounds, one invocation per
//! round (docs/adr/0018-due-work.md). Every step is idempotent; failed items are retried.

mod disconnections;
mod erasures;
mod histories;
mod items;
mod look;
mod media;
mod numbers;
mod profiles;
mod queued;
mod recoveries;
mod report;
mod round;
mod sends;
mod signups;
#[cfg(test)]
mod simulation;

use std::ops::Add;
use std::time::Duration;

use aws::Connection;
use aws::bucket::Bucket;
use aws::queue::{Outcome, Queue, QueueEvent, QueueMessage};
use domain::Failure;
use domain::due::DueClass;
use domain::id::OrganizationId;
use domain::job::SweepJob;
use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use platform::Vault;
use runtime::{Context, Environment};
use serde::{Deserialize, Serialize};
use store::{DueItem, Store, UnknownDue};

use crate::Dispatcher;
pub use look::Looked;
use report::Report;
use round::Round;

/// Processes due items.
#[derive(Clone)]
pub struct Sweeper {
    pub dispatcher: Dispatcher,
    /// The sweep's own queue of rounds.
    pub rounds: Queue,
    /// The worker's queue.
    pub jobs: Queue,
    /// The queue of messages whose turn to be sent has come.
    pub sends: Queue,
    /// The dead-letter queues to count; none if each has an alarm of its own.
    pub dead_letters: Vec<Queue>,
    pub bucket: Bucket,
    pub vault: Vault,
}

/// An invocation of the sweep function: by its queue, or by the schedule, whose input has no records.
#[derive(Deserialize)]
pub struct SweepEvent {
    #[serde(rename = "Records")]
    records: Option<Vec<QueueMessage>>,
}

/// The outcome of a round: numbers of items, and of pages that could not be read.
#[derive(Debug, Default, Serialize, PartialEq, Eq)]
pub struct Swept {
    pub done: usize,
    pub failed: usize,
    /// Items that this release does not understand.
    pub unknown: usize,
    /// Pages of the due index that could not be read.
    pub unread: usize,
}

impl Add for Swept {
    type Output = Swept;

    fn add(self, other: Swept) -> Swept {
        Swept {
            done: self.done + other.done,
            failed: self.failed + other.failed,
            unknown: self.unknown + other.unknown,
            unread: self.unread + other.unread,
        }
    }
}

/// The period of the schedule.
const PERIOD: Duration = Duration::from_secs(60);
const SIDE_BY_SIDE: usize = 16;
/// How many events are dispatched together: each feed that they belong to is written once for all of them.
const EVENTS: usize = 50;

/// The findings of a round in the due index, besides the items to process.
#[derive(Default)]
struct Found {
    unknown: Vec<UnknownDue>,
    /// The position from which the next round continues reading; `None` at the end of the shard.
    next: Option<String>,
    /// Whether a page could not be read.
    is_unread: bool,
}

impl Sweeper {
    /// Reads the sweep function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let deliveries = Queue::new(&connection, environment.required("DELIVERY_QUEUE_URL"));
        Ok(Sweeper {
            dispatcher: Dispatcher { context, queue: deliveries },
            rounds: Queue::new(&connection, environment.required("SWEEP_QUEUE_URL")),
            jobs: Queue::new(&connection, environment.required("QUEUE_URL")),
            sends: Queue::new(&connection, environment.required("SEND_QUEUE_URL")),
            dead_letters: dead_letters(&connection),
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

    /// Serves an invocation. Fails if a run could not be started. The next run starts a minute later.
    pub async fn serve(&self, event: SweepEvent) -> Result<Outcome, String> {
        match event.records {
            Some(records) => Ok(self.work(QueueEvent { records }).await),
            None => {
                self.start_run().await?;
                Ok(Outcome { batch_item_failures: Vec::new() })
            }
        }
    }

    async fn work(&self, event: QueueEvent) -> Outcome {
        let done = event.records.iter().map(|message| async {
            match serde_json::from_str::<SweepJob>(&message.body) {
                Ok(job) => {
                    self.sweep(&job).await;
                    true
                }
                Err(error) => {
                    let (id, cause) = (&message.message_id, error.classify());
                    tracing::error!(queueMessage = id, "a sweep message is malformed: {cause:?}");
                    false
                }
            }
        });
        event.outcome(join_all(done).await)
    }

    /// Processes one round, and queues the next one if there is more to do. Does nothing once the schedule's next run
    /// is due, which sends a message of its own: runs do not pile up, even if messages are delivered late or twice.
    pub async fn sweep(&self, job: &SweepJob) -> Swept {
        let started = self.context().now();
        if started >= job.until {
            return Swept::default();
        }

        let mut round = Round::new(started);
        let found = self.read(job, &mut round).await;
        let mut swept = Swept { unread: usize::from(found.is_unread), ..Swept::default() };
        self.put_off(job.class, &found.unknown).await;
        swept.unknown = found.unknown.len();

        let report = Report::default();
        let items = stream::iter(std::iter::from_fn(|| round.next(self.context().now())));
        let done: Vec<bool> = match job.class {
            DueClass::Events => items.chunks(EVENTS).then(|events| self.dispatch(events, &report)).concat().await,
            _ => items.map(|item| self.process(item, &report)).buffer_unordered(SIDE_BY_SIDE).collect().await,
        };
        swept.done = done.iter().filter(|done| **done).count();
        swept.failed = done.len() - swept.done;
        report.publish(self.context(), job.class, swept.failed, swept.unknown);

        if let Some(next) = round.following(job, found.next).filter(|_| !found.is_unread) {
            self.queue_next_round(next).await;
        }
        swept
    }

    /// Reads due items until the round has enough, its time for reading is up, or there are no more.
    async fn read(&self, job: &SweepJob, round: &mut Round<OrganizationId, DueItem>) -> Found {
        let mut found = Found { next: job.after.clone(), ..Found::default() };
        loop {
            let now = self.context().now();
            let page = match self.store().due(job.class, job.shard, now, found.next.as_deref()).await {
                Ok(page) => page,
                Err(failure) => {
                    log("the due index could not be read", &failure);
                    found.is_unread = true;
                    return found;
                }
            };
            found.unknown.extend(page.unknown);
            found.next = page.next;
            page.items.into_iter().for_each(|item| round.add(item.organization.clone(), item));
            if found.next.is_none() || !round.continues_reading(self.context().now()) {
                return found;
            }
        }
    }

    async fn queue_next_round(&self, next: SweepJob) {
        if let Err(failure) = self.rounds.send(&[next]).await {
            log("the sweep could not go on before its next run", &failure);
        }
    }
}

/// Returns the queues whose URLs are in a variable, separated by commas.
fn dead_letters(connection: &Connection) -> Vec<Queue> {
    let urls = Environment::optional("DEAD_LETTER_QUEUE_URLS").unwrap_or_default();
    urls.split(',').filter(|url| !url.is_empty()).map(|url| Queue::new(connection, url.to_owned())).collect()
}

fn log(what: &str, failure: &Failure) {
    tracing::error!("{what}: {}", failure.log_text());
}
