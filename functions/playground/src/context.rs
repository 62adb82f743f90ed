//! What the handlers of the playground have.

use axum::extract::FromRef;
use domain::credential::hex;
use domain::port::random_bytes;
use inbound::Inbox;
use runtime::Context;

/// The dependencies of the playground's handlers.
#[derive(Clone)]
pub struct PlaygroundContext {
    /// Applies what the simulated platform and the simulated carrier report.
    pub inbox: Inbox,
}

impl FromRef<PlaygroundContext> for Context {
    fn from_ref(playground: &PlaygroundContext) -> Self {
        playground.inbox.context.clone()
    }
}

/// Returns what distinguishes a simulated message. `request` identifies the request and its input, if it has an
/// `Idempotency-Key`: a repeated request reports the same message, in case an earlier one was stopped before its response
/// was recorded.
pub(crate) fn own_part(context: &Context, request: Option<&str>) -> String {
    request.map_or_else(|| hex(&random_bytes::<12>(context.random())), |request| request[..24].to_owned())
}
