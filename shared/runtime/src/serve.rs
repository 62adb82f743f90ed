//! The life of a function: it is built once from its environment, then serves invocations one after another.

use std::fmt::Debug;

use lambda_runtime::{Diagnostic, Error, LambdaEvent, run, service_fn};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Builder;

use crate::{Environment, logging};

/// Builds a function from its environment and runs `serve` on it until the execution environment shuts down.
pub fn start<F>(
    build: impl FnOnce(&mut Environment) -> Result<F, String>,
    serve: impl AsyncFnOnce(F) -> Result<(), Error>,
) -> Result<(), Error> {
    logging::start();
    // Lambda sends one invocation at a time, so one thread is enough.
    Builder::new_current_thread().enable_all().build()?.block_on(async {
        let mut environment = Environment::default();
        let function = build(&mut environment);
        environment.finish()?;
        serve(function?).await
    })
}

/// Serves invocations that do not come from the gateway: from queues, the table's stream, schedules and direct calls.
pub fn serve_events<F, I, O, E>(
    build: impl FnOnce(&mut Environment) -> Result<F, String>,
    work: impl AsyncFn(&F, I) -> Result<O, E>,
) -> Result<(), Error>
where
    I: DeserializeOwned,
    O: Serialize,
    E: Into<Diagnostic> + Debug,
{
    start(build, async |function| {
        let serve = async |event: LambdaEvent<I>| invoked(event, async |input| work(&function, input).await).await;
        run(service_fn(serve)).await
    })
}

/// Runs `work` on one invocation. Its log lines carry the invocation's request id, as Lambda's own lines do.
pub async fn invoked<I, T>(event: LambdaEvent<I>, work: impl AsyncFnOnce(I) -> T) -> T {
    logging::traced(&event.context.request_id, work(event.payload)).await
}
