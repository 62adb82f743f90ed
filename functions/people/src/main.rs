use api::gateway::{Function, serve};
use people::PeopleContext;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let people = PeopleContext::from_environment(environment)?;
        let store = people.context.store.clone();
        Ok(Function {
            installation: people.context.installation.clone(),
            warm_up: Some(Box::pin(async move { store.warm_up().await })),
            routes: people::routes(people),
        })
    })
}
