use api::Environment;
use api::gateway::start_logging;
use dispatch::{Outcome, StreamEvent, dispatch, from_environment};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};

fn main() -> Result<(), Error> {
    start_logging();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut environment = Environment::default();
        let built = from_environment(&mut environment);
        environment.finish()?;
        let built = built?;
        let work = async |event: LambdaEvent<StreamEvent>| Ok::<Outcome, Error>(dispatch(&built, event.payload).await);
        run(service_fn(work)).await
    })
}
