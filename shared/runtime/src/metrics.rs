//! Metrics of our own: lines of CloudWatch's embedded metric format in the log, which CloudWatch counts by itself. No dimension
//! names a tenant: each would be a metric that is paid for.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use domain::Timestamp;
use serde_json::json;

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

    pub fn unit(self) -> &'static str {
        match self {
            Metric::OldestDueSeconds => "Seconds",
            _ => "Count",
        }
    }
}

/// Where metrics go, and under which namespace.
#[derive(Clone)]
pub struct Metrics {
    namespace: Arc<str>,
    output: Arc<Mutex<dyn Write + Send>>,
}

impl Metrics {
    pub fn new(namespace: &str, output: impl Write + Send + 'static) -> Self {
        Metrics { namespace: namespace.into(), output: Arc::new(Mutex::new(output)) }
    }

    /// A line is one write, so that none is torn. Where it cannot be written nobody can be told.
    pub(crate) fn publish(&self, metric: Metric, value: u64, at: Timestamp) {
        let declared = json!({
            "Namespace": &*self.namespace,
            "Dimensions": [[]],
            "Metrics": [{"Name": metric.name(), "Unit": metric.unit()}],
        });
        let line = json!({
            "_aws": {"Timestamp": at.millis(), "CloudWatchMetrics": [declared]},
            (metric.name()): value,
        });
        let line = format!("{line}\n");
        let _ = self.output.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
