//! Performs the jobs of three queues: deferred platform updates, template syncs, fetching inbound media and checks of
//! profiles; sending queued messages; and applying the carrier's updates. A message stays in its queue until its job
//! succeeds. After five failures through faults of this service, or at once if it can never succeed, it moves to the
//! dead-letter queue. If throttling or an outage interrupts a job, the rest of it is put back as a new message, which
//! has all its attempts.

mod checks;
mod erasure;
mod history;
mod media;
mod message;
mod numbers;
mod sends;
mod simulated_statuses;
mod sync;
mod updates;
mod worker;

use accounts::Accounts;
use aws::origin;
use aws::queue::{Outcome, QueueEvent, QueueMessage, Retried, Retries};
use domain::Failure;
use domain::job::{Job, Queued as _, QueuedJob};
use futures_util::future::join_all;
use inbound::{CarrierUpdate, Reporter};
use runtime::Metric;
use runtime::logging::{about, continued};
use tracing::{Instrument as _, Span};

pub use worker::{Source, Worker};

impl Worker {
    /// Works on all messages concurrently, and reports those that failed.
    pub async fn work(&self, event: QueueEvent) -> Outcome {
        let done = join_all(event.records.iter().map(|message| self.work_on(message))).await;
        event.outcome(done)
    }

    async fn work_on(&self, message: &QueueMessage) -> bool {
        let (job, origin) = match message::read(&message.body) {
            Ok(QueuedJob { job, origin }) => (Ok(job), origin),
            Err(error) => (Err(error), None),
        };
        let organization = job.as_ref().ok().and_then(Job::organization).cloned();
        // The parent of a span is the span in which it is created, so this one is created within that of the origin.
        let work = async {
            let about = organization.map_or_else(Span::none, |organization| about(&organization, None));
            self.try_job(message, job).instrument(about).await
        };
        continued(origin.as_deref(), work).await
    }

    async fn try_job(&self, message: &QueueMessage, job: serde_json::Result<Job>) -> bool {
        let done = match job {
            Ok(job) => {
                let kind = job.kind();
                self.perform(job).await.inspect(|()| tracing::info!(kind, "job done"))
            }
            Err(error) => Err(Unfinished {
                left: None,
                failure: Failure::permanent(format!("the job is malformed: {:?}", error.classify())),
            }),
        };

        let Err(Unfinished { left, failure }) = done else { return true };
        let (context, source) = (&self.inbox.context, self.source_of(message));
        if failure.is_permanent() && source.bury(message, left.as_ref(), &failure).await {
            return true;
        }

        let retries = Retries { first_pause: self.first_pause, now: context.now(), random: context.random() };
        let retried = source.queue.retry(message, left.as_ref(), &failure, &retries).await;
        let (id, received, cause) = (&message.message_id, message.received(), failure.log_text());
        match retried {
            Retried::PutBack => {
                tracing::warn!(queueMessage = id, "a job was put back: {cause}");
                context.publish(Metric::PutBackMessages, 1);
                true
            }
            Retried::UsesTry => {
                tracing::error!(queueMessage = id, received, "a job failed: {cause}");
                false
            }
        }
    }

    async fn perform(&self, job: Job) -> Result<(), Unfinished> {
        let done = match &job {
            Job::Updates { organization_id, updates, .. } => {
                return self.apply_updates(organization_id.clone(), updates.clone()).await;
            }
            Job::SyncTemplates { organization_id, profile_id, dry_run, run, .. } => {
                let sync = sync::Sync {
                    worker: self,
                    organization: organization_id,
                    profile: profile_id,
                    dry_run: *dry_run,
                    run,
                };
                sync.perform().await
            }
            Job::FetchMedia { organization_id, profile_id, message_id, .. } => {
                self.fetch_media(organization_id, profile_id, message_id).await
            }
            Job::Send { organization_id, number_id, message_id, .. } => {
                let send = sends::QueuedSend {
                    worker: self,
                    organization: organization_id,
                    number: number_id,
                    message: message_id,
                };
                // Boxed, because it is much larger than the other jobs, and the future has the size of the largest one.
                Box::pin(send.perform()).await
            }
            Job::RenewLine { organization_id, number_id, before, .. } => {
                let line = sends::RenewedLine { worker: self, organization: organization_id, number: number_id };
                Box::pin(line.perform(before.as_deref())).await
            }
            Job::CarrierUpdate { organization_id, at, update, .. } => {
                let reporter = organization_id.clone().map_or(Reporter::Live, Reporter::Simulated);
                let update = CarrierUpdate { reporter, at: *at, text: update.clone() };
                self.inbox.apply_carrier_update(&update).await
            }
            Job::Simulate { organization_id, simulation_id, .. } => {
                // Boxed, because it applies updates, whose futures are large.
                Box::pin(self.inbox.simulate(organization_id, simulation_id)).await
            }
            // Boxed, because it applies updates, whose futures are large.
            Job::ReportStatuses(reports) => Box::pin(self.report_statuses(reports)).await,
            Job::EraseContact { organization_id, reference, .. } => {
                // Boxed, because it is much larger than the other jobs.
                Box::pin(self.erase_contact(organization_id, reference)).await
            }
            Job::ImportHistory { organization_id, number_id, .. } => {
                // Boxed, because it applies updates, whose futures are large.
                Box::pin(self.import_history(organization_id, number_id)).await
            }
            Job::ReleaseNumber { organization_id, number_id, .. } => {
                self.release_number(organization_id, number_id).await
            }
            Job::DisconnectAccount { organization_id, profile_id, .. } => {
                let accounts = Accounts::of(&self.inbox.context, &self.outbound.platforms);
                Box::pin(accounts.resume(organization_id, profile_id)).await
            }
            Job::CheckProfile { organization_id, profile_id, .. } => {
                // Boxed, because it makes several calls at once.
                Box::pin(self.check_profile(organization_id, profile_id)).await
            }
        };
        done.map_err(|failure| Unfinished { left: Some(job), failure })
    }
}

impl Source {
    /// Sends work that can never succeed to the dead letters, without further attempts. Returns whether it is there.
    async fn bury(&self, message: &QueueMessage, left: Option<&Job>, failure: &Failure) -> bool {
        let body = left.map_or_else(|| Ok(message.body.clone()), |left| left.body(origin::current()));
        let organization = left.and_then(Job::organization);
        let (id, reason) = (&message.message_id, failure.log_text());
        let buried = match body {
            Ok(body) => self.dead_letters.bury(body, organization, failure).await,
            Err(error) => Err(Failure::internal(error)),
        };
        match buried {
            Ok(()) => tracing::error!(queueMessage = id, "a job can never succeed: {reason}"),
            Err(ref error) => tracing::warn!(queueMessage = id, "a dead letter was not sent: {}", error.log_text()),
        }
        buried.is_ok()
    }
}

/// A job that failed.
struct Unfinished {
    /// The part of the job that is left to do; `None` if the message cannot be read.
    left: Option<Job>,
    failure: Failure,
}
