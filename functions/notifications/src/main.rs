use api::gateway::{Function, serve};
use notifications::NotificationContext;
use tokio::join;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let notifications = NotificationContext::from_environment(environment)?;
        let (context, vault) = (notifications.inbox.context.clone(), notifications.vault.clone());
        Ok(Function {
            installation: context.installation.clone(),
            warm_up: Some(Box::pin(async move {
                join!(context.store.warm_up(), vault.warm_up());
            })),
            routes: notifications::routes(notifications),
        })
    })
}
