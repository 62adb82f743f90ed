//! The metrics of a sweep.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::Timestamp;
use runtime::{Context, Metric};
use store::DueItem;

/// Observations that all partitions of the index collect concurrently.
#[derive(Default)]
pub(crate) struct Report {
    oldest_due: AtomicU64,
    kept_secrets: AtomicU64,
}

impl Report {
    pub(crate) fn note_found(&self, found: &[DueItem], now: Timestamp) {
        let oldest = found.iter().map(|item| item.at.seconds_until(now)).max();
        self.oldest_due.fetch_max(oldest.unwrap_or(0), Ordering::Relaxed);
    }

    pub(crate) fn note_kept_secret(&self) {
        self.kept_secrets.fetch_add(1, Ordering::Relaxed);
    }

    /// Publishes the metrics. The age of the oldest due item is omitted if a partition could not be read, because an unread
    /// item may be older; the alarm treats the missing value as a fault.
    pub(crate) fn publish(&self, context: &Context, unread: usize, failed: usize) {
        if unread == 0 {
            context.publish(Metric::OldestDueSeconds, self.oldest_due.load(Ordering::Relaxed));
        }
        context.publish(Metric::FailedDueItems, failed as u64);
        context.publish(Metric::SecretsWithoutProfile, self.kept_secrets.load(Ordering::Relaxed));
    }
}
