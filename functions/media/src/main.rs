use api::gateway::{Function, serve};
use media::MediaContext;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let media = MediaContext::from_environment(environment)?;
        let store = media.context.store.clone();
        Ok(Function {
            installation: media.context.installation.clone(),
            warm_up: Some(Box::pin(async move { store.warm_up().await })),
            routes: media::routes(media),
        })
    })
}
