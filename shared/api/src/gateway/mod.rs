//! What stands between the gateway and a router: the event, the reply, and the runtime around them.

mod event;
mod reply;

use std::sync::Arc;

use axum::Router;
use futures_util::future::LocalBoxFuture;
use lambda_runtime::{Error, LambdaEvent, service_fn};

use crate::config::Environment;
use crate::context::Installation;
use crate::router::Api;

pub use crate::logging::start as start_logging;
pub use event::{GatewayEvent, RequestId};
pub use reply::GatewayReply;

/// A function ready to serve.
pub struct Function {
    pub router: Router,
    pub installation: Arc<Installation>,
    /// What is done during initialisation, so that the first request needs not: connections are opened.
    pub warm_up: Option<WarmUp>,
}

pub type WarmUp = LocalBoxFuture<'static, ()>;

/// Reads the environment, builds the function and serves events until the environment ends.
pub fn serve(build: impl FnOnce(&mut Environment) -> Result<Function, String>) -> Result<(), Error> {
    start_logging();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut environment = Environment::default();
        let function = build(&mut environment);
        environment.finish()?;
        let function = function?;
        if let Some(warm_up) = function.warm_up {
            warm_up.await;
        }
        let api = Api::new(function.router, function.installation);
        let service = service_fn(|event: LambdaEvent<GatewayEvent>| async {
            let request = event.payload.into_request()?;
            Ok::<_, Error>(GatewayReply::of(api.answer(request).await).await?)
        });
        lambda_runtime::run(service).await
    })
}
