//! A function that does nothing but answer.

use lambda_http::{Body, Error, Request, Response, run, service_fn};

fn main() -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run(service_fn(|_: Request| async { Ok::<_, Error>(Response::new(Body::from("{}"))) })))
}
