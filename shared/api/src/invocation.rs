//! What holds for every function that has no gateway before it: queues, the table's stream, the schedule.

use lambda_runtime::LambdaEvent;
use tracing::Instrument as _;

use crate::logging;

/// Lines of the work say which invocation it was, by the id that Lambda's own lines have.
pub async fn invoked<E, T>(event: LambdaEvent<E>, work: impl AsyncFnOnce(E) -> T) -> T {
    let span = logging::request(&event.context.request_id);
    work(event.payload).instrument(span).await
}
