use std::convert::Infallible;

use dispatch::{StreamEvent, dispatch, from_environment};
use runtime::serve_events;

fn main() -> Result<(), lambda_runtime::Error> {
    serve_events(from_environment, async |dispatcher: &_, records: StreamEvent| {
        Ok::<_, Infallible>(dispatch(dispatcher, records).await)
    })
}
