use api::Environment;
use api::gateway::start_logging;
use api::invocation::invoked;
use aws::queue::{Outcome, QueueEvent};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use worker::Worker;

fn main() -> Result<(), Error> {
    start_logging();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut environment = Environment::default();
        let worker = Worker::from_environment(&mut environment);
        environment.finish()?;
        let worker = worker?;
        let work = async |event: LambdaEvent<QueueEvent>| {
            Ok::<Outcome, Error>(invoked(event, async |event| worker.work(event).await).await)
        };
        run(service_fn(work)).await
    })
}
