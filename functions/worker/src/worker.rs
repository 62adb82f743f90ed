use std::time::Duration;

use aws::bucket::Bucket;
use aws::queue::Queue;
use inbound::Inbox;
use platform::Platforms;
use runtime::Environment;

#[derive(Clone)]
pub struct Worker {
    pub inbox: Inbox,
    pub platforms: Platforms,
    pub bucket: Bucket,
    /// How long a failed job waits before its second try; then five times as long each time.
    pub first_pause: Duration,
}

const FIRST_PAUSE: Duration = Duration::from_secs(10);

impl Worker {
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
