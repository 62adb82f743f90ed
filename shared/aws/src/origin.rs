//! The request from which work originates. A request's jobs in queues and events in the outbox carry the request's id,
//! so that the log lines of the later work can be found by it.

use std::sync::Arc;

use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static ORIGIN: Arc<str>;
}

/// Runs `work` as part of the request or invocation with this id, or on its behalf. An empty id means that it is
/// unknown. This is not an async function, because the future of one would contain `work` twice.
pub fn within<F: Future>(id: &str, work: F) -> TaskLocalFuture<Arc<str>, F> {
    ORIGIN.scope(id.into(), work)
}

/// Returns the id of the request from which the running work originates; `None` if it is unknown.
pub fn current() -> Option<String> {
    ORIGIN.try_with(|id| id.to_string()).ok().filter(|id| !id.is_empty())
}
