//! The last check of the installation's app. It is the same for all organizations, and asking the platform each time would
//! let one of them spend the app's own limit of requests there.

use std::time::Duration;

use domain::Timestamp;
use domain::chat::Finding;
use tokio::sync::Mutex;

/// How long a check of the app is repeated to everybody.
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
    /// Returns the findings of the last minute, else those of `check`. Requests at the same time wait for one check.
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
