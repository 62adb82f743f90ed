use api::gateway::{Function, serve};
use chat::ChatContext;

fn main() -> Result<(), lambda_http::Error> {
    serve(|environment| {
        let chat = ChatContext::from_environment(environment)?;
        Ok(Function {
            installation: chat.context.installation.clone(),
            store: Some(chat.context.store.clone()),
            router: chat::routes(chat),
        })
    })
}
