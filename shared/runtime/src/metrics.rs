//! Custom metrics: log lines in CloudWatch's embedded metric format, from which CloudWatch extracts the metrics. The
//! only dimension is the class of due work. No dimension names a tenant, because every combination of dimensions is
//! billed as a metric of its own.

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
    FailedDueItems,
    UnknownDueItems,
    SecretsWithoutProfile,
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
}

/// The dimension that names the class of due work.
const CLASS: &str = "Class";

impl Metric {
    pub const ALL: [Metric; 23] = [
        Metric::AcceptedNotifications,
        Metric::RefusedSignatures,
        Metric::DisabledWebhooks,
        Metric::OldestDueSeconds,
        Metric::FailedDueItems,
        Metric::UnknownDueItems,
        Metric::SecretsWithoutProfile,
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
    ];

    /// Returns the name in CloudWatch.
    pub fn name(self) -> &'static str {
        match self {
            Metric::AcceptedNotifications => "AcceptedNotifications",
            Metric::RefusedSignatures => "RefusedSignatures",
            Metric::DisabledWebhooks => "DisabledWebhooks",
            Metric::OldestDueSeconds => "OldestDueSeconds",
            Metric::FailedDueItems => "FailedDueItems",
            Metric::UnknownDueItems => "UnknownDueItems",
            Metric::SecretsWithoutProfile => "SecretsWithoutProfile",
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
        }
    }

    /// Returns the unit in CloudWatch.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::OldestDueSeconds => "Seconds",
            _ => "Count",
        }
    }

    /// Returns the sets of dimensions under which CloudWatch stores the metric. Metrics that count items by class of
    /// due work are also stored without a dimension, so that an alarm can watch the sum over all classes. The age of
    /// the oldest item is not, because its maximum over all classes would hide that one of them was not read.
    pub fn dimensions(self) -> Value {
        match self {
            Metric::OldestDueSeconds => json!([[CLASS]]),
            Metric::FailedDueItems | Metric::UnknownDueItems => json!([[CLASS], []]),
            _ => json!([[]]),
        }
    }
}

/// The output of metrics, and their namespace.
#[derive(Clone)]
pub struct Metrics {
    namespace: Arc<str>,
    output: Arc<Mutex<dyn Write + Send>>,
}

impl Metrics {
    /// Publishes metrics under `namespace` to `output`, which is stdout except in tests.
    pub fn new(namespace: &str, output: impl Write + Send + 'static) -> Self {
        Metrics { namespace: namespace.into(), output: Arc::new(Mutex::new(output)) }
    }

    /// Writes a line in one call, so that lines do not interleave. If stdout fails, there is nowhere to report it.
    pub(crate) fn publish(&self, metric: Metric, class: Option<DueClass>, value: u64, at: Timestamp) {
        let declaration = json!({
            "Namespace": &*self.namespace,
            "Dimensions": metric.dimensions(),
            "Metrics": [{"Name": metric.name(), "Unit": metric.unit()}],
        });
        let mut line = json!({
            "_aws": {"Timestamp": at.millis(), "CloudWatchMetrics": [declaration]},
            (metric.name()): value,
        });
        if let Some(class) = class {
            line[CLASS] = json!(class);
        }
        let line = format!("{line}\n");
        let _ = self.output.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
