use api::gateway::{Function, serve};
use bucket::Bucket;
use chat::{ChatContext, SYNC_PATIENCE};
use jobs::Queue;

fn main() -> Result<(), lambda_http::Error> {
    serve(|environment| {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let chat = ChatContext {
            context: context.clone(),
            platforms: platform::from_environment(&connection, |name| environment.required(name))?,
            bucket: Bucket::new(&connection, environment.required("BUCKET_NAME")),
            queue: Queue::new(&connection, environment.required("QUEUE_URL")),
            sync_patience: SYNC_PATIENCE,
        };
        Ok(Function {
            installation: context.installation.clone(),
            store: Some(context.store.clone()),
            router: chat::routes(chat),
        })
    })
}
