use api::Environment;
use api::gateway::start_logging;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use operator::{Operator, Request};

fn main() -> Result<(), Error> {
    start_logging();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut environment = Environment::default();
        let connection = environment.connection()?;
        let store = environment.store(&connection);
        environment.finish()?;
        let operator = Operator::new(store);
        run(service_fn(|event: LambdaEvent<Request>| operator.perform(event.payload))).await
    })
}
