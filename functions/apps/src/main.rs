use api::gateway::{Function, serve};
use apps::AppsContext;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let apps = AppsContext::from_environment(environment)?;
        let store = apps.context.store.clone();
        Ok(Function {
            installation: apps.context.installation.clone(),
            warm_up: Some(Box::pin(async move { store.warm_up().await })),
            routes: apps::routes(apps),
        })
    })
}
