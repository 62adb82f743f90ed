//! Performs the jobs of the queue: deferred platform updates, template syncs, and fetching inbound media. A message stays in
//! the queue until its job succeeds. After five failures, which only faults of this service cause, it moves to the
//! dead-letter queue.

mod media;
mod sync;
mod updates;
mod worker;

use aws::queue::{Job, Outcome, QueueEvent, QueueMessage};
use domain::Failure;
use futures_util::future::join_all;
use runtime::logging::about;
use tracing::{Instrument as _, Span};

pub use worker::Worker;

impl Worker {
    /// Works on all messages concurrently, and reports those that failed.
    pub async fn work(&self, event: QueueEvent) -> Outcome {
        let done = join_all(event.records.iter().map(|message| self.work_on(message))).await;
        event.outcome(done)
    }

    async fn work_on(&self, message: &QueueMessage) -> bool {
        let job = serde_json::from_str::<Job>(&message.body);
        let organization = job.as_ref().ok().and_then(updates::organization_of);
        let about = organization.map_or_else(Span::none, |organization| about(&organization, None));
        self.try_job(message, job).instrument(about).await
    }

    async fn try_job(&self, message: &QueueMessage, job: serde_json::Result<Job>) -> bool {
        let done = match job {
            Ok(job) => self.perform(job).await,
            Err(error) => Err(Failure::internal(format!("the job is malformed: {:?}", error.classify()))),
        };
        let Err(failure) = done else { return true };
        let cause = failure.cause().map_or_else(|| failure.message().to_owned(), ToString::to_string);
        tracing::error!(queueMessage = message.message_id, received = message.received(), "a job failed: {cause}");
        self.inbox.queue.retry_later(message, self.first_pause).await;
        false
    }

    async fn perform(&self, job: Job) -> Result<(), Failure> {
        match job {
            Job::Updates { updates, .. } => self.apply_updates(updates).await,
            Job::SyncTemplates { organization_id, profile_id, dry_run, run, .. } => {
                let sync = sync::Sync {
                    worker: self,
                    organization: &organization_id,
                    profile: &profile_id,
                    dry_run,
                    run: &run,
                };
                sync.perform().await
            }
            Job::FetchMedia { organization_id, profile_id, message_id, .. } => {
                self.fetch_media(&organization_id, &profile_id, &message_id).await
            }
        }
    }
}
