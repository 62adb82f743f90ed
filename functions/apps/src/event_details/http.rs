//! The wire format of single events.

use api::{Admin, Answer, Path, Rejection};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::id::EventId;
use runtime::Context;
use serde::Serialize;
use utoipa::ToSchema;
use views::EventBody;

use super::{Found, find};
use crate::webhooks::deliveries::wire::DeliveryView;

/// An event and its deliveries.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventDetails)]
pub(crate) struct EventDetailsView<'a> {
    #[schema(inline)]
    event: EventBody<'a>,
    /// The deliveries to the app's webhooks, without those of deleted webhooks.
    deliveries: Vec<DeliveryView>,
}

/// Get an event
///
/// Returns an event of the last 30 days with its deliveries, by the id that webhooks receive as `webhook-id`.
#[utoipa::path(get, path = "/v1/organization/events/{eventId}",
    operation_id = "organization.events.get", tag = "Events", security(("adminKey" = [])),
    params(("eventId" = EventId, Path, description = "The id that webhooks receive as `webhook-id`.")),
    responses((status = 200, description = "The event", body = EventDetailsView)))]
pub(crate) async fn get_event(
    State(context): State<Context>,
    caller: Admin,
    Path((id,)): Path<(EventId,)>,
) -> Result<Response, Rejection> {
    let Found { scope, event, deliveries } = find(&context, &caller, &id).await?;
    let event = EventBody::of(&scope.organization, &scope.app, &event)?;
    let deliveries = deliveries.into_iter().map(DeliveryView::from).collect();
    Ok(Answer::ok(EventDetailsView { event, deliveries }).into_response())
}
