//! Updates that were put off.

use aws::queue::Job;
use domain::Failure;
use domain::id::OrganizationId;
use inbound::{Routed, in_lanes};
use runtime::logging::about;
use tracing::Instrument as _;

use crate::Worker;

impl Worker {
    /// One bad update must not hold the others up: those that fail go on alone.
    pub(crate) async fn apply_updates(&self, updates: Vec<String>) -> Result<(), Failure> {
        let is_alone = updates.len() == 1;
        let lane =
            |text: &String| serde_json::from_str::<Routed>(text).map(|routed| routed.update.lane()).unwrap_or_default();
        let failed = in_lanes(updates, lane, |text| async move {
            let failure = self.apply_update(&text).await.err()?;
            Some((text, failure))
        });
        let mut failed: Vec<(String, Failure)> = failed.await;
        if is_alone {
            return failed.pop().map_or(Ok(()), |(_, failure)| Err(failure));
        }
        let alone: Vec<Job> =
            failed.into_iter().map(|(text, _)| Job::Updates { v: aws::queue::VERSION, updates: vec![text] }).collect();
        if alone.is_empty() { Ok(()) } else { self.inbox.queue.send(&alone).await }
    }

    async fn apply_update(&self, text: &str) -> Result<(), Failure> {
        let routed: Routed = serde_json::from_str(text)
            .map_err(|error| Failure::internal(format!("an update of an unknown form: {:?}", error.classify())))?;
        let about = about(&routed.route.organization_id, None);
        self.inbox.apply(&routed).instrument(about).await
    }
}

/// Whose a job is: its updates may be of several organizations, unless it holds one alone.
pub(crate) fn organization_of(job: &Job) -> Option<OrganizationId> {
    match job {
        Job::SyncTemplates { organization_id, .. } | Job::FetchMedia { organization_id, .. } => {
            Some(organization_id.clone())
        }
        Job::Updates { updates, .. } => match updates.as_slice() {
            [text] => serde_json::from_str::<Routed>(text).ok().map(|routed| routed.route.organization_id),
            _ => None,
        },
    }
}
