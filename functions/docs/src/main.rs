use api::gateway::{Function, serve};

fn main() -> Result<(), lambda_http::Error> {
    serve(|environment| {
        let installation = std::sync::Arc::new(environment.installation());
        Ok(Function { router: docs::routes(installation.clone()), installation, store: None })
    })
}
