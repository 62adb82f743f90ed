use api::gateway::{Function, serve};

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let store = context.store.clone();
        Ok(Function {
            installation: context.installation.clone(),
            warm_up: Some(Box::pin(async move { store.warm_up().await })),
            routes: insight::routes(context),
        })
    })
}
