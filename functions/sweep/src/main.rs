use api::Environment;
use api::gateway::start_logging;
use api::invocation::invoked;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use sweep::{Sweeper, Swept};

fn main() -> Result<(), Error> {
    start_logging();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut environment = Environment::default();
        let built = Sweeper::from_environment(&mut environment);
        environment.finish()?;
        let built = built?;
        let work = async |event: LambdaEvent<serde_json::Value>| {
            Ok::<Swept, Error>(invoked(event, async |_| built.sweep().await).await)
        };
        run(service_fn(work)).await
    })
}
