use api::gateway::{Function, serve};
use notifications::NotificationContext;

fn main() -> Result<(), lambda_http::Error> {
    serve(|environment| {
        let notifications = NotificationContext::from_environment(environment)?;
        let context = notifications.inbox.context.clone();
        Ok(Function {
            installation: context.installation.clone(),
            store: Some(context.store),
            router: notifications::routes(notifications),
        })
    })
}
