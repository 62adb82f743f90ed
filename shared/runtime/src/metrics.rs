//! Custom metrics: log lines in CloudWatch's embedded metric format, from which CloudWatch extracts the metrics. The
//! only dimension is the class of due work. No dimension names a tenant, because every combination of dimensions is
//! billed as a metric of its own. For the same reason, essential monitoring combines metrics; the log line keeps the
//! metric's own name.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use domain::Timestamp;
use domain::due::DueClass;
use serde_json::{Value, json};

/// A custom metric; docs/runbook.md explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    AcceptedNotifications,
    RefusedSignatures,
    DisabledWebhooks,
    OldestDueSeconds,
    MeterLagSeconds,
    UncountedChanges,
    FailedDueItems,
    LateDueItems,
    UnknownDueItems,
    SecretsWithoutProfile,
    DeadLetters,
    PutBackMessages,
    UnfetchedMedia,
    UnknownPlatformValues,
    DroppedStatuses,
    UnreadablePlatformFields,
    MisdirectedUpdates,
    PlatformErrors,
    DroppedCarrierUpdates,
    UnknownCarrierValues,
    SpendLimitRefusals,
    OptOutRefusals,
    AppProblems,
    TokenProblems,
    AccountProblems,
    NumberProblems,
    UncheckedProfiles,
    UnrecordedKeyUses,
    DeniedRequests,
}

/// Which metrics the functions publish: the template's parameter `Monitoring`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monitoring {
    /// A few metrics, each of which counts everything that one alarm watches.
    Essential,
    /// Each metric by itself, and those of due work by class.
    Full,
}

/// The combined metrics of essential monitoring. Each has one alarm, so all metrics in it share a threshold.
const POSTPONED_WORK: &str = "PostponedWork";
const PROBLEMS: &str = "Problems";
const FREQUENT_PROBLEMS: &str = "FrequentProblems";

/// The dimension that names the class of due work.
const CLASS: &str = "Class";

impl Metric {
    pub const ALL: [Metric; 29] = [
        Metric::AcceptedNotifications,
        Metric::RefusedSignatures,
        Metric::DisabledWebhooks,
        Metric::OldestDueSeconds,
        Metric::MeterLagSeconds,
        Metric::UncountedChanges,
        Metric::FailedDueItems,
        Metric::LateDueItems,
        Metric::UnknownDueItems,
        Metric::SecretsWithoutProfile,
        Metric::DeadLetters,
        Metric::PutBackMessages,
        Metric::UnfetchedMedia,
        Metric::UnknownPlatformValues,
        Metric::DroppedStatuses,
        Metric::UnreadablePlatformFields,
        Metric::MisdirectedUpdates,
        Metric::PlatformErrors,
        Metric::DroppedCarrierUpdates,
        Metric::UnknownCarrierValues,
        Metric::SpendLimitRefusals,
        Metric::OptOutRefusals,
        Metric::AppProblems,
        Metric::TokenProblems,
        Metric::AccountProblems,
        Metric::NumberProblems,
        Metric::UncheckedProfiles,
        Metric::UnrecordedKeyUses,
        Metric::DeniedRequests,
    ];

    /// Returns the name in CloudWatch.
    pub fn name(self) -> &'static str {
        match self {
            Metric::AcceptedNotifications => "AcceptedNotifications",
            Metric::RefusedSignatures => "RefusedSignatures",
            Metric::DisabledWebhooks => "DisabledWebhooks",
            Metric::OldestDueSeconds => "OldestDueSeconds",
            Metric::MeterLagSeconds => "MeterLagSeconds",
            Metric::UncountedChanges => "UncountedChanges",
            Metric::FailedDueItems => "FailedDueItems",
            Metric::LateDueItems => "LateDueItems",
            Metric::UnknownDueItems => "UnknownDueItems",
            Metric::SecretsWithoutProfile => "SecretsWithoutProfile",
            Metric::DeadLetters => "DeadLetters",
            Metric::PutBackMessages => "PutBackMessages",
            Metric::UnfetchedMedia => "UnfetchedMedia",
            Metric::UnknownPlatformValues => "UnknownPlatformValues",
            Metric::DroppedStatuses => "DroppedStatuses",
            Metric::UnreadablePlatformFields => "UnreadablePlatformFields",
            Metric::MisdirectedUpdates => "MisdirectedUpdates",
            Metric::PlatformErrors => "PlatformErrors",
            Metric::DroppedCarrierUpdates => "DroppedCarrierUpdates",
            Metric::UnknownCarrierValues => "UnknownCarrierValues",
            Metric::SpendLimitRefusals => "SpendLimitRefusals",
            Metric::OptOutRefusals => "OptOutRefusals",
            Metric::AppProblems => "AppProblems",
            Metric::TokenProblems => "TokenProblems",
            Metric::AccountProblems => "AccountProblems",
            Metric::NumberProblems => "NumberProblems",
            Metric::UncheckedProfiles => "UncheckedProfiles",
            Metric::UnrecordedKeyUses => "UnrecordedKeyUses",
            Metric::DeniedRequests => "DeniedRequests",
        }
    }

    /// Returns the name under which essential monitoring publishes the metric. `None` for a metric that does not report
    /// lost or late work: it is only in the log.
    pub fn essential_name(self) -> Option<&'static str> {
        match self {
            Metric::AcceptedNotifications | Metric::OldestDueSeconds | Metric::DeadLetters => Some(self.name()),
            Metric::FailedDueItems | Metric::PutBackMessages => Some(POSTPONED_WORK),
            Metric::LateDueItems
            | Metric::UnknownDueItems
            | Metric::DisabledWebhooks
            | Metric::UncountedChanges
            | Metric::SecretsWithoutProfile
            | Metric::UnknownPlatformValues
            | Metric::DroppedStatuses
            | Metric::DroppedCarrierUpdates
            | Metric::UnknownCarrierValues
            | Metric::SpendLimitRefusals
            | Metric::AppProblems
            | Metric::TokenProblems
            | Metric::AccountProblems
            | Metric::NumberProblems => Some(PROBLEMS),
            Metric::RefusedSignatures
            | Metric::UnfetchedMedia
            | Metric::UnreadablePlatformFields
            | Metric::MisdirectedUpdates
            | Metric::PlatformErrors
            | Metric::UncheckedProfiles => Some(FREQUENT_PROBLEMS),
            // The lag is part of the age of the oldest due item.
            Metric::MeterLagSeconds => None,
            Metric::OptOutRefusals | Metric::UnrecordedKeyUses | Metric::DeniedRequests => None,
        }
    }

    /// Returns the unit in CloudWatch.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::OldestDueSeconds | Metric::MeterLagSeconds => "Seconds",
            _ => "Count",
        }
    }

    /// Returns the sets of dimensions under which full monitoring stores the metric. Metrics that count items by class of
    /// due work are also stored without a dimension, so that an alarm can watch the sum over all classes. The age of the
    /// oldest item is not, because its maximum over all classes would hide that one of them was not read. (Essential
    /// monitoring has no dimensions: there, the sweep publishes no age unless it has read all classes.)
    pub fn dimensions(self) -> Value {
        match self {
            Metric::OldestDueSeconds => json!([[CLASS]]),
            Metric::FailedDueItems | Metric::LateDueItems | Metric::UnknownDueItems => json!([[CLASS], []]),
            _ => json!([[]]),
        }
    }
}

/// The output of metrics, and their namespace.
#[derive(Clone)]
pub struct Metrics {
    namespace: Arc<str>,
    monitoring: Monitoring,
    output: Arc<Mutex<dyn Write + Send>>,
}

impl Metrics {
    /// Publishes metrics under `namespace` to `output`, which is stdout except in tests.
    pub fn new(namespace: &str, monitoring: Monitoring, output: impl Write + Send + 'static) -> Self {
        Metrics { namespace: namespace.into(), monitoring, output: Arc::new(Mutex::new(output)) }
    }

    pub fn monitoring(&self) -> Monitoring {
        self.monitoring
    }

    pub(crate) fn publish(&self, metric: Metric, class: Option<DueClass>, value: u64, at: Timestamp) {
        let mut line = match (self.monitoring, metric.essential_name()) {
            (Monitoring::Full, _) => self.line(metric.name(), metric.unit(), &metric.dimensions(), value, at),
            (Monitoring::Essential, Some(name)) => {
                let mut line = self.line(name, metric.unit(), &json!([[]]), value, at);
                line["metric"] = json!(metric.name());
                line
            }
            (Monitoring::Essential, None) => json!({"metric": metric.name(), (metric.name()): value}),
        };
        if let Some(class) = class {
            line[CLASS] = json!(class);
        }
        self.write(&line);
    }

    /// Returns a line from which CloudWatch extracts one metric.
    fn line(&self, name: &str, unit: &str, dimensions: &Value, value: u64, at: Timestamp) -> Value {
        let declaration = json!({
            "Namespace": &*self.namespace,
            "Dimensions": dimensions,
            "Metrics": [{"Name": name, "Unit": unit}],
        });
        json!({
            "_aws": {"Timestamp": at.millis(), "CloudWatchMetrics": [declaration]},
            (name): value,
        })
    }

    /// Writes a line in one call, so that lines do not interleave. If stdout fails, there is nowhere to report it.
    fn write(&self, line: &Value) {
        let line = format!("{line}\n");
        let _ = self.output.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
