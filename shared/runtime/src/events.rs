//! Events for the outbox; their data is the resource as the API returns it.

use aws::origin;
use domain::events::event::{Audience, EventName, OutboxEvent};
use domain::id::EventId;
use domain::port::Random;
use domain::{Failure, Mode, Timestamp};
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
    event_at(context.now(), context.random(), kind, mode, audience, data)
}

/// Returns a new event like [`event`], for callers without a context: created `now`, with an id from `random`.
pub fn event_at(
    now: Timestamp,
    random: &dyn Random,
    kind: EventName,
    mode: Mode,
    audience: Audience,
    data: &impl Serialize,
) -> Result<OutboxEvent, Failure> {
    let data = serde_json::to_string(data).map_err(Failure::internal)?;
    Ok(OutboxEvent {
        id: EventId::mint(now, random),
        kind: kind.into(),
        mode,
        audience,
        data,
        created_at: now,
        request_id: origin::current(),
    })
}
