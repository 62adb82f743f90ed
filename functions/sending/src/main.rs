use api::gateway::{Function, serve};
use sending::SendingContext;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let sending = SendingContext::from_environment(environment)?;
        let (store, vault) = (sending.context().store.clone(), sending.outbound.platforms.vault.clone());
        Ok(Function {
            installation: sending.context().installation.clone(),
            // An installation without an app at the platform has no secret to read.
            warm_up: Some(Box::pin(async move {
                store.warm_up().await;
                vault.warm_up().await;
            })),
            routes: sending::routes(sending),
        })
    })
}
