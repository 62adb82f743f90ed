use std::time::Duration;

use aws::bucket::Bucket;
use aws::presign::Presigner;
use aws::queue::{Queue, QueueMessage};
use carrier::{CarrierNumbers, Carriers};
use inbound::Inbox;
use outbound::Outbound;
use runtime::Environment;

/// Performs the jobs of its queues.
#[derive(Clone)]
pub struct Worker {
    pub inbox: Inbox,
    /// The queue of all jobs that have no queue of their own; the inbox also sends to it.
    pub jobs: Source,
    /// The queue of messages whose turn to be sent has come.
    pub sends: Source,
    /// The queue of the carrier's updates.
    pub carrier: Source,
    /// The carrier's numbers; `None` if this installation has no carrier.
    pub numbers: Option<CarrierNumbers>,
    pub outbound: Outbound,
    pub bucket: Bucket,
    /// The pause before the first retry of a failed job. [`Queue::retry`] derives the later pauses from it.
    pub first_pause: Duration,
}

/// A queue that the worker reads.
#[derive(Clone)]
pub struct Source {
    pub queue: Queue,
    /// The dead-letter queue of this queue, for work that can never succeed.
    pub dead_letters: Queue,
}

impl Worker {
    /// Returns the queue that a message comes from. A message without a source counts as one of the jobs.
    pub(crate) fn source_of(&self, message: &QueueMessage) -> &Source {
        let own = [&self.sends, &self.carrier].into_iter().find(|source| source.queue.has_delivered(message));
        own.unwrap_or(&self.jobs)
    }
}

const FIRST_PAUSE: Duration = Duration::from_secs(10);

impl Worker {
    /// Reads the worker's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let platforms = platform::from_environment(&connection, |name| environment.required(name))?;
        let carriers = Carriers::from_environment(&connection, Environment::optional)?;
        let bucket = environment.required("BUCKET_NAME");
        let mut source = |queue, dead_letters| Source {
            queue: Queue::new(&connection, environment.required(queue)),
            dead_letters: Queue::new(&connection, environment.required(dead_letters)),
        };
        let jobs = source("QUEUE_URL", "DEAD_LETTER_QUEUE_URL");
        let sends = source("SEND_QUEUE_URL", "SEND_DEAD_LETTER_QUEUE_URL");
        let carrier = source("CARRIER_QUEUE_URL", "CARRIER_DEAD_LETTER_QUEUE_URL");

        Ok(Worker {
            outbound: Outbound {
                context: context.clone(),
                platforms,
                carriers,
                queue: jobs.queue.clone(),
                presigner: Presigner::new(&connection, &bucket),
            },
            inbox: Inbox { context, queue: jobs.queue.clone() },
            jobs,
            sends,
            carrier,
            numbers: CarrierNumbers::from_environment(&connection, Environment::optional),
            bucket: Bucket::new(&connection, bucket),
            first_pause: FIRST_PAUSE,
        })
    }
}
