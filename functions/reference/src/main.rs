use api::gateway::{Function, serve};
use reference::ReferenceContext;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let context = ReferenceContext::from_environment(environment);
        Ok(Function { installation: context.installation.clone(), routes: reference::routes(context), warm_up: None })
    })
}
