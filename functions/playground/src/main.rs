use api::gateway::{Function, serve};
use aws::queue::Queue;
use inbound::Inbox;
use playground::PlaygroundContext;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let connection = environment.connection()?;
        let context = environment.context(&connection);
        let store = context.store.clone();
        let queue = Queue::new(&connection, environment.required("QUEUE_URL"));
        Ok(Function {
            installation: context.installation.clone(),
            warm_up: Some(Box::pin(async move { store.warm_up().await })),
            routes: playground::routes(PlaygroundContext { inbox: Inbox { context, queue } }),
        })
    })
}
