use std::convert::Infallible;

use aws::queue::QueueEvent;
use runtime::serve_events;
use worker::Worker;

fn main() -> Result<(), lambda_runtime::Error> {
    serve_events(Worker::from_environment, async |worker: &Worker, batch: QueueEvent| {
        Ok::<_, Infallible>(worker.work(batch).await)
    })
}
