//! Events for the outbox; their data is the resource as the API returns it.

use aws::origin;
use domain::event::{Audience, EventName, OutboxEvent};
use domain::id::EventId;
use domain::{Failure, Mode};
use serde::Serialize;

use crate::context::Context;

/// Returns a new event with the given data, created now.
pub fn event(
    context: &Context,
    kind: EventName,
    mode: Mode,
    audience: Audience,
    data: &impl Serialize,
) -> Result<OutboxEvent, Failure> {
    let now = context.now();
    let data = serde_json::to_string(data).map_err(Failure::internal)?;
    Ok(OutboxEvent {
        id: EventId::mint(now, context.random()),
        kind: kind.into(),
        mode,
        audience,
        data,
        created_at: now,
        request_id: origin::current(),
    })
}
