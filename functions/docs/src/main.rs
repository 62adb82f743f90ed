use api::gateway::{Function, serve};
use docs::DocsContext;

fn main() -> Result<(), lambda_runtime::Error> {
    serve(|environment| {
        let context = DocsContext::from_environment(environment);
        Ok(Function { installation: context.installation.clone(), router: docs::routes(context), warm_up: None })
    })
}
