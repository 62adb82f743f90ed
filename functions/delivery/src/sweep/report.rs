//! The counts of a round.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::due::DueClass;
use runtime::{Context, Metric};

/// Observations of items that are processed concurrently.
#[derive(Default)]
pub(crate) struct Report {
    kept_secrets: AtomicU64,
    late: AtomicU64,
}

impl Report {
    pub(crate) fn note_kept_secret(&self) {
        self.kept_secrets.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an item that shows that a queue or the stream is behind.
    pub(crate) fn note_late(&self) {
        self.late.fetch_add(1, Ordering::Relaxed);
    }

    /// Publishes the counts that are not zero.
    pub(crate) fn publish(&self, context: &Context, class: DueClass, failed: usize, unknown: usize) {
        let late = self.late.load(Ordering::Relaxed);
        for (metric, count) in [
            (Metric::FailedDueItems, failed as u64),
            (Metric::LateDueItems, late),
            (Metric::UnknownDueItems, unknown as u64),
        ] {
            if count > 0 {
                context.publish_due(metric, class, count);
            }
        }
        let kept_secrets = self.kept_secrets.load(Ordering::Relaxed);
        if kept_secrets > 0 {
            context.publish(Metric::SecretsWithoutProfile, kept_secrets);
        }
    }
}
