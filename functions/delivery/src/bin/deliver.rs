use std::convert::Infallible;

use aws::queue::QueueEvent;
use delivery::Deliverer;
use runtime::serve_events;

fn main() -> Result<(), lambda_runtime::Error> {
    serve_events(Deliverer::from_environment, async |deliverer: &Deliverer, batch: QueueEvent| {
        Ok::<_, Infallible>(deliverer.work(batch).await)
    })
}
