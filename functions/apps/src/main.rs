use api::gateway::{Function, serve};

fn main() -> Result<(), lambda_http::Error> {
    serve(|environment| {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        Ok(Function {
            installation: context.installation.clone(),
            store: Some(context.store.clone()),
            router: apps::routes(context),
        })
    })
}
