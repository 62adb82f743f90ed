use std::convert::Infallible;

use delivery::{Dispatcher, StreamRecords};
use runtime::serve_events;

fn main() -> Result<(), lambda_runtime::Error> {
    serve_events(Dispatcher::from_environment, async |dispatcher: &Dispatcher, records: StreamRecords| {
        Ok::<_, Infallible>(dispatcher.work(records).await)
    })
}
