//! Posts events to webhooks: one attempt per queue message. A failure of the receiver is recorded in the delivery, and
//! the message is deleted. Only failures of this service return it to the queue and, if they persist, move it to the
//! dead-letter queue.

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

pub use post::{DEADLINE, Poster, ReceiverResponse};
pub use resolve::{Addresses, Resolver, SystemResolver};

/// Works on the messages of both delivery queues.
#[derive(Clone)]
pub struct Deliverer {
    pub context: Context,
    /// The normal delivery queue.
    pub queue: Queue,
    /// The patient queue, for slow receivers.
    pub patient: Queue,
    pub poster: Poster,
    /// How long a message that failed through a fault of this service waits before its first retry.
    pub first_pause: Duration,
}

const FIRST_PAUSE: Duration = Duration::from_secs(10);

impl Deliverer {
    /// Reads the deliver function's configuration from its environment.
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

    /// Makes all attempts concurrently. Reports the messages that failed through a fault of this service.
    pub async fn work(&self, event: QueueEvent) -> Outcome {
        let done = join_all(event.records.iter().map(|message| self.process_message(message))).await;
        event.outcome(done)
    }

    pub(crate) fn lane(&self, lane: Lane) -> &Queue {
        match lane {
            Lane::Prompt => &self.queue,
            Lane::Patient => &self.patient,
        }
    }

    async fn process_message(&self, message: &QueueMessage) -> bool {
        let job = serde_json::from_str::<DeliveryJob>(&message.body);
        let span = job.as_ref().map_or_else(|_| Span::none(), |job| about(&job.organization_id, Some(&job.app_id)));
        self.deliver_or_retry(message, job).instrument(span).await
    }

    async fn deliver_or_retry(&self, message: &QueueMessage, job: serde_json::Result<DeliveryJob>) -> bool {
        let lane = job.as_ref().map(|job| job.lane).unwrap_or_default();
        let done = match job {
            Ok(job) => self.deliver(&job).await,
            Err(error) => Err(Failure::internal(format!("the delivery job is malformed: {:?}", error.classify()))),
        };
        let Err(failure) = done else { return true };
        let cause = failure.cause().map_or_else(|| failure.message().to_owned(), ToString::to_string);
        tracing::error!(queueMessage = message.message_id, received = message.received(), "a delivery failed: {cause}");
        self.lane(lane).retry_later(message, self.first_pause).await;
        false
    }
}
