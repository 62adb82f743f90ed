use api::gateway::{Function, serve};
use chat::ChatContext;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let chat = ChatContext::from_environment(environment)?;
        let store = chat.context.store.clone();
        Ok(Function {
            installation: chat.context.installation.clone(),
            warm_up: Some(Box::pin(async move { store.warm_up().await })),
            routes: chat::routes(chat),
        })
    })
}
