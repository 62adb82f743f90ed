use std::time::Duration;

use aws::bucket::Bucket;
use aws::queue::Queue;
use inbound::Inbox;
use platform::Platforms;
use runtime::Environment;

/// Performs the jobs of the queue.
#[derive(Clone)]
pub struct Worker {
    pub inbox: Inbox,
    pub platforms: Platforms,
    pub bucket: Bucket,
    /// The pause before the first retry of a failed job; each later pause is five times as long.
    pub first_pause: Duration,
}

const FIRST_PAUSE: Duration = Duration::from_secs(10);

impl Worker {
    /// Reads the worker's configuration from its environment.
    pub fn from_environment(environment: &mut Environment) -> Result<Self, String> {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let queue = Queue::new(&connection, environment.required("QUEUE_URL"));
        Ok(Worker {
            inbox: Inbox { context, queue },
            platforms: platform::from_environment(&connection, |name| environment.required(name))?,
            bucket: Bucket::new(&connection, environment.required("BUCKET_NAME")),
            first_pause: FIRST_PAUSE,
        })
    }
}
