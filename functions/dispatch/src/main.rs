use api::Environment;
use api::gateway::start_logging;
use api::invocation::invoked;
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
        let work = async |event: LambdaEvent<StreamEvent>| {
            Ok::<Outcome, Error>(invoked(event, async |event| dispatch(&built, event).await).await)
        };
        run(service_fn(work)).await
    })
}
