//! Posts events to webhooks, or sends them to queues of customers: one attempt per queue message, or a round of a
//! recovery. A failure of the receiver is recorded in the delivery, and the message is deleted. Only faults of this
//! service return it to the queue and, if they persist, move it to the dead-letter queue. If throttling or an outage
//! interrupts the work, the message is put back and keeps its attempts.

mod attempt;
mod failing;
mod post;
mod queue;
mod recovery;
mod resolve;
mod sign;
mod slots;
mod test_mode;
mod uncounted;

use std::sync::Arc;
use std::time::Duration;

use aws::queue::{Destinations, Outcome, Queue, QueueEvent, QueueMessage, Retried, Retries};
use domain::Failure;
use domain::job::{DeliveryMessage, Lane};
use futures_util::future::join_all;
use runtime::logging::about;
use runtime::{Context, Environment, Metric};
use tracing::{Instrument as _, Span};

pub use post::{DEADLINE, LARGEST_HEAD, Poster, ReceiverResponse};
pub use resolve::{Addresses, Resolver, SystemResolver};
use slots::Slots;

/// Works on the messages of both delivery queues.
#[derive(Clone)]
pub struct Deliverer {
    pub context: Context,
    /// The normal delivery queue.
    pub queue: Queue,
    /// The patient queue, for slow receivers.
    pub patient: Queue,
    pub poster: Poster,
    /// Sends events to the queues of customers.
    pub destinations: Destinations,
    /// Deliveries to slower receivers move to the patient queue, so that they do not delay others.
    pub prompt: Duration,
    /// The pause before the first retry of a failed message. [`Queue::retry`] derives the later pauses from it.
    pub first_pause: Duration,
    /// How many invocations may post to slow receivers of the same organization.
    pub slow_invocations: usize,
}

/// The time limit for responses to deliveries of the normal queue.
pub const PROMPT: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_secs(10);

impl Deliverer {
    /// Reads the deliver function's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let slow_invocations = environment.required("SLOW_INVOCATIONS_PER_ORGANIZATION").parse::<usize>();
        let policy = context.installation.webhook_addresses.clone();
        Ok(Deliverer {
            queue: Queue::new(&connection, environment.required("DELIVERY_QUEUE_URL")),
            patient: Queue::new(&connection, environment.required("PATIENT_QUEUE_URL")),
            poster: Poster::new(Arc::new(SystemResolver), policy, DEADLINE)?,
            destinations: Destinations::new(&connection),
            prompt: PROMPT,
            context,
            first_pause: FIRST_PAUSE,
            slow_invocations: slow_invocations
                .map_err(|_| "SLOW_INVOCATIONS_PER_ORGANIZATION must be a whole number of invocations.")?,
        })
    }

    /// Makes all attempts concurrently. Reports the messages that failed through a fault of this service.
    pub async fn work(&self, event: QueueEvent) -> Outcome {
        let slots = Slots::new(&self.context, self.slow_invocations);
        let done = join_all(event.records.iter().map(|message| self.process_message(message, &slots))).await;
        slots.free().await;
        event.outcome(done)
    }

    pub(crate) fn lane(&self, lane: Lane) -> &Queue {
        match lane {
            Lane::Prompt => &self.queue,
            Lane::Patient => &self.patient,
        }
    }

    async fn process_message(&self, message: &QueueMessage, slots: &Slots<'_>) -> bool {
        let job = serde_json::from_str::<DeliveryMessage>(&message.body);
        let known = job.as_ref().ok();
        let span = known.map_or_else(Span::none, |job| about(job.organization(), Some(job.app())));
        self.work_or_retry(message, job, slots).instrument(span).await
    }

    async fn work_or_retry(
        &self,
        message: &QueueMessage,
        job: serde_json::Result<DeliveryMessage>,
        slots: &Slots<'_>,
    ) -> bool {
        let (job, done) = match job {
            Ok(job) => {
                let done = match &job {
                    DeliveryMessage::Attempt(job) => self.deliver(job, slots).await,
                    DeliveryMessage::Recovery(job) => Box::pin(self.recover(job, slots)).await,
                };
                (Some(job), done)
            }
            Err(error) => {
                let malformed = format!("the delivery job is malformed: {:?}", error.classify());
                (None, Err(Failure::internal(malformed)))
            }
        };

        let Err(failure) = done else { return true };
        let retries = Retries { first_pause: self.first_pause, now: self.context.now(), random: self.context.random() };
        let lane = job.as_ref().map(DeliveryMessage::lane).unwrap_or_default();
        let retried = self.lane(lane).retry(message, job.as_ref(), &failure, &retries).await;
        let (id, received, cause) = (&message.message_id, message.received(), failure.log_text());
        match retried {
            Retried::PutBack => {
                tracing::warn!(queueMessage = id, "a delivery was put back: {cause}");
                self.context.publish(Metric::PutBackMessages, 1);
                true
            }
            Retried::UsesTry => {
                tracing::error!(queueMessage = id, received, "a delivery failed: {cause}");
                false
            }
        }
    }
}
