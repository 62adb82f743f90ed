//! The query parameters of the delivery list.

use api::filter_values::{one_of, period, time};
use api::{Filters, SentFilters};
use domain::events::delivery::DeliveryStatus;
use domain::events::event::EventName;
use domain::events::webhook::event_name;
use domain::id::WebhookId;
use domain::{Failure, Timestamp};
use store::DeliveryFilter;
use utoipa::IntoParams;

/// The filters of a webhook's deliveries.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeliveryFilters {
    /// Only deliveries with this status.
    status: Option<DeliveryStatus>,
    /// Only deliveries of this event.
    #[param(rename = "eventType")]
    event_type: Option<EventName>,
    /// Only deliveries of events that occurred at this time or later.
    since: Option<Timestamp>,
    /// Only deliveries of events that occurred before this time.
    until: Option<Timestamp>,
    /// Identifies the filters in cursors.
    #[param(ignore)]
    digest: Option<String>,
}

impl Filters for DeliveryFilters {
    const NAMES: &'static [&'static str] = &["status", "eventType", "since", "until"];

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        let filters = DeliveryFilters {
            status: sent.get("status", |text, name| one_of(text, name, "PENDING, DELIVERED, FAILED or SKIPPED"))?,
            event_type: sent.get("eventType", event_name)?,
            since: sent.get("since", time)?,
            until: sent.get("until", time)?,
            digest: sent.digest(""),
        };
        period(filters.since, filters.until)?;
        Ok(filters)
    }
}

impl DeliveryFilters {
    /// Returns the name of the list with its filters, which its cursors contain.
    pub(super) fn list_of(&self, webhook: &WebhookId) -> String {
        format!("deliveries/{webhook}/{}", self.digest.as_deref().unwrap_or_default())
    }

    pub(super) fn filter(&self) -> DeliveryFilter {
        DeliveryFilter { status: self.status, event_type: self.event_type, since: self.since, until: self.until }
    }
}
