//! Custom metrics: log lines in CloudWatch's embedded metric format, from which CloudWatch extracts the metrics. No
//! dimension names a tenant, because every combination of dimensions is billed as a metric of its own.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use domain::Timestamp;
use serde_json::json;

/// A custom metric; docs/runbook.md explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    AcceptedNotifications,
    RefusedSignatures,
    DisabledWebhooks,
    OldestDueSeconds,
    FailedDueItems,
    SecretsWithoutProfile,
}

impl Metric {
    pub const ALL: [Metric; 6] = [
        Metric::AcceptedNotifications,
        Metric::RefusedSignatures,
        Metric::DisabledWebhooks,
        Metric::OldestDueSeconds,
        Metric::FailedDueItems,
        Metric::SecretsWithoutProfile,
    ];

    /// Returns the name in CloudWatch.
    pub fn name(self) -> &'static str {
        match self {
            Metric::AcceptedNotifications => "AcceptedNotifications",
            Metric::RefusedSignatures => "RefusedSignatures",
            Metric::DisabledWebhooks => "DisabledWebhooks",
            Metric::OldestDueSeconds => "OldestDueSeconds",
            Metric::FailedDueItems => "FailedDueItems",
            Metric::SecretsWithoutProfile => "SecretsWithoutProfile",
        }
    }

    /// Returns the unit in CloudWatch.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::OldestDueSeconds => "Seconds",
            _ => "Count",
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
    pub(crate) fn publish(&self, metric: Metric, value: u64, at: Timestamp) {
        let declaration = json!({
            "Namespace": &*self.namespace,
            "Dimensions": [[]],
            "Metrics": [{"Name": metric.name(), "Unit": metric.unit()}],
        });
        let line = json!({
            "_aws": {"Timestamp": at.millis(), "CloudWatchMetrics": [declaration]},
            (metric.name()): value,
        });
        let line = format!("{line}\n");
        let _ = self.output.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
