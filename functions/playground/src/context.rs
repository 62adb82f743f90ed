//! The dependencies of the playground's handlers.

use axum::extract::FromRef;
use domain::identity::credential::hex;
use domain::port::random_bytes;
use inbound::Inbox;
use runtime::Context;

/// The dependencies of the playground's handlers.
#[derive(Clone)]
pub struct PlaygroundContext {
    /// Applies the reports of the simulated platform and the simulated carrier.
    pub inbox: Inbox,
}

impl FromRef<PlaygroundContext> for Context {
    fn from_ref(playground: &PlaygroundContext) -> Self {
        playground.inbox.context.clone()
    }
}

/// Returns the unique part of a simulated message's id. `request` identifies the request and its input, if it has an
/// `Idempotency-Key`: a repeated request reports the same message, in case an earlier one was interrupted before its
/// response was recorded.
pub(crate) fn own_part(context: &Context, request: Option<&str>) -> String {
    request.map_or_else(|| hex(&random_bytes::<12>(context.random())), |request| request[..24].to_owned())
}
