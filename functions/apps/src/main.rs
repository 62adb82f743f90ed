use api::gateway::{Function, serve};
use apps::AppsContext;

fn main() -> Result<(), lambda_http::Error> {
    serve(|environment| {
        let apps = AppsContext::from_environment(environment)?;
        Ok(Function {
            installation: apps.context.installation.clone(),
            store: Some(apps.context.store.clone()),
            router: apps::routes(apps),
        })
    })
}
