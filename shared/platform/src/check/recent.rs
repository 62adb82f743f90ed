//! The last check of the installation's app. It is the same for all organizations. A call for each check would let a
//! single organization use up the platform's rate limit of the app.

use std::time::Duration;

use domain::Timestamp;
use domain::chat::Finding;
use tokio::sync::Mutex;

/// How long the findings of a check are reused, for all organizations.
const KEPT: Duration = Duration::from_secs(60);

/// The last check of the installation's app in this process.
#[derive(Debug, Default)]
pub(crate) struct AppCheck(Mutex<Option<Checked>>);

#[derive(Debug)]
struct Checked {
    at: Timestamp,
    findings: Vec<Finding>,
}

impl AppCheck {
    /// Returns the findings of the last minute, else those of `check`. Concurrent requests wait for the same check.
    pub(crate) async fn findings(&self, now: Timestamp, check: impl Future<Output = Vec<Finding>>) -> Vec<Finding> {
        let mut last = self.0.lock().await;
        if let Some(checked) = last.as_ref().filter(|checked| now < checked.at.plus(KEPT)) {
            return checked.findings.clone();
        }
        let findings = check.await;
        *last = Some(Checked { at: now, findings: findings.clone() });
        findings
    }
}
