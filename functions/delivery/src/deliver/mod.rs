//! Posts events to webhooks: one attempt a message of the queue. What a receiver does wrong is written to the delivery and its
//! message is done; only our own faults come back to the queue, and end among the dead letters.

mod attempt;
mod post;
mod resolve;
mod sign;

use std::sync::Arc;
use std::time::Duration;

use aws::queue::{DeliveryJob, Lane, Outcome, Queue, QueueEvent, QueueMessage};
use domain::Failure;
use futures_util::future::join_all;
use runtime::{Context, Environment, logging::about};
use tracing::{Instrument as _, Span};

pub use post::{Answered, DEADLINE, Poster};
pub use resolve::{Addresses, Resolver, SystemResolver};

#[derive(Clone)]
pub struct Deliverer {
    pub context: Context,
    pub queue: Queue,
    /// Of receivers that take their time.
    pub patient: Queue,
    pub poster: Poster,
    /// How long a message that failed through our own fault waits before it is tried again.
    pub first_pause: Duration,
}

const FIRST_PAUSE: Duration = Duration::from_secs(10);

impl Deliverer {
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let policy = context.installation.webhook_addresses.clone();
        Ok(Deliverer {
            queue: Queue::new(&connection, environment.required("DELIVERY_QUEUE_URL")),
            patient: Queue::new(&connection, environment.required("PATIENT_QUEUE_URL")),
            poster: Poster::new(Arc::new(SystemResolver), policy, DEADLINE)?,
            context,
            first_pause: FIRST_PAUSE,
        })
    }

    /// Makes all attempts side by side, and names those that failed through our own fault.
    pub async fn work(&self, event: QueueEvent) -> Outcome {
        let done = join_all(event.records.iter().map(|message| self.work_on(message))).await;
        event.outcome(done)
    }

    pub(crate) fn lane(&self, lane: Lane) -> &Queue {
        match lane {
            Lane::Prompt => &self.queue,
            Lane::Patient => &self.patient,
        }
    }

    async fn work_on(&self, message: &QueueMessage) -> bool {
        let job = serde_json::from_str::<DeliveryJob>(&message.body);
        let about = job.as_ref().map_or_else(|_| Span::none(), |job| about(&job.organization_id, Some(&job.app_id)));
        self.perform(message, job).instrument(about).await
    }

    async fn perform(&self, message: &QueueMessage, job: serde_json::Result<DeliveryJob>) -> bool {
        let lane = job.as_ref().map(|job| job.lane).unwrap_or_default();
        let done = match job {
            Ok(job) => self.deliver(&job).await,
            Err(error) => Err(Failure::internal(format!("a delivery of an unknown form: {:?}", error.classify()))),
        };
        let Err(failure) = done else { return true };
        let cause = failure.cause().map_or_else(|| failure.message().to_owned(), ToString::to_string);
        tracing::error!(queueMessage = message.message_id, received = message.received(), "a delivery failed: {cause}");
        self.lane(lane).retry_later(message, self.first_pause).await;
        false
    }
}
