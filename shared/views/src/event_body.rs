//! Events in the form in which they are sent to receivers.

use domain::events::delivery::event_of_app;
use domain::events::event::{EventName, OutboxEvent};
use domain::id::{AppId, EventId, OrganizationId};
use domain::{Failure, Mode, Open, Timestamp};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// An event in the form in which an app's webhooks and its feed contain it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventBody<'a> {
    /// The number in the feed; absent in deliveries.
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<u64>,
    id: EventId,
    #[serde(rename = "type")]
    kind: &'a Open<EventName>,
    created_at: Timestamp,
    organization_id: &'a OrganizationId,
    app_id: &'a AppId,
    mode: Mode,
    /// Present in the samples of test deliveries only.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<bool>,
    data: &'a RawValue,
}

impl<'a> EventBody<'a> {
    /// Returns the event in the app's form. The same arguments give the same bytes.
    pub fn of(organization: &'a OrganizationId, app: &'a AppId, event: &'a OutboxEvent) -> Result<Self, Failure> {
        Ok(EventBody {
            sequence: None,
            id: event_of_app(&event.id, app),
            kind: &event.kind,
            created_at: event.created_at,
            organization_id: organization,
            app_id: app,
            mode: event.mode,
            test: event.is_test().then_some(true),
            data: serde_json::from_str(&event.data).map_err(Failure::internal)?,
        })
    }

    /// Returns the event with its number in a feed.
    pub fn numbered(self, sequence: u64) -> Self {
        EventBody { sequence: Some(sequence), ..self }
    }
}

/// The document describes each event by itself, and all of them as one schema.
impl PartialSchema for EventBody<'_> {
    fn schema() -> RefOr<Schema> {
        RefOr::Ref(Ref::from_schema_name("Event"))
    }
}

impl ToSchema for EventBody<'_> {}
