//! Keys of the counters of usage.

use domain::Mode;
use domain::id::{AppId, OrganizationId};
use domain::usage::{Group, Period, UsageKind};

use super::class::KeyClass;
use super::key::Key;

/// The partition of the counters of one length of periods.
pub(crate) fn usage(organization: &OrganizationId, mode: Mode, kind: UsageKind, period: Period) -> String {
    KeyClass::Usage.partition(&[organization, &mode.as_str(), &kind.as_str(), &period.as_str()])
}

/// The beginning of the sort keys of a period's counters.
pub(crate) fn counters_of(period_name: &str) -> String {
    format!("{period_name}#")
}

/// The beginning of the sort keys of a period's counters of an app, which comes first in their groups.
pub(crate) fn counters_of_app(period_name: &str, app: &AppId) -> String {
    format!("{}{app}", counters_of(period_name))
}

pub(crate) fn usage_counter(partition: String, period_name: &str, group: &Group) -> Key {
    Key::new(partition, format!("{}{}", counters_of(period_name), group.as_str()))
}

/// The partition of the positions up to which the table's stream is counted, one for each shard of the stream.
pub(crate) fn meter_positions() -> String {
    KeyClass::MeterPosition.partition(&[&"ALL"])
}

pub(crate) fn meter_position(shard: &str) -> Key {
    Key::new(meter_positions(), shard)
}

/// What `meter` may have missed when the table was restored.
pub(crate) fn meter_gaps() -> Key {
    Key::new(KeyClass::MeterPosition.partition(&[&"GAPS"]), "GAPS")
}

/// The item that the sweep writes every minute, so that `meter` has something to count.
pub(crate) fn heartbeat() -> Key {
    Key::new(KeyClass::Heartbeat.partition(&[&"ALL"]), KeyClass::Heartbeat.as_str())
}

pub(crate) fn rate_card(organization: &OrganizationId) -> Key {
    Key::alone(KeyClass::RateCard, &[organization])
}

/// The partitions of all counters of an organization.
pub(super) fn all_usage(organization: &OrganizationId) -> impl Iterator<Item = String> {
    Mode::ALL.into_iter().flat_map(move |mode| {
        UsageKind::ALL
            .into_iter()
            .flat_map(move |kind| Period::ALL.map(|period| usage(organization, mode, kind, period)))
    })
}
