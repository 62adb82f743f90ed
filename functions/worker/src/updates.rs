//! Deferred platform updates.

use aws::queue::Job;
use domain::Failure;
use domain::id::OrganizationId;
use inbound::{Routed, in_lanes};
use runtime::logging::about;
use tracing::Instrument as _;

use crate::Worker;

impl Worker {
    /// Applies the updates. Failed ones are queued again in messages of their own, so that they do not block the others.
    pub(crate) async fn apply_updates(&self, updates: Vec<String>) -> Result<(), Failure> {
        let is_single = updates.len() == 1;
        let lane =
            |text: &String| serde_json::from_str::<Routed>(text).map(|routed| routed.update.lane()).unwrap_or_default();
        let failed = in_lanes(updates, lane, |text| async move {
            let failure = self.apply_update(&text).await.err()?;
            Some((text, failure))
        });
        let mut failed: Vec<(String, Failure)> = failed.await;
        if is_single {
            return failed.pop().map_or(Ok(()), |(_, failure)| Err(failure));
        }
        let retries: Vec<Job> =
            failed.into_iter().map(|(text, _)| Job::Updates { v: aws::queue::VERSION, updates: vec![text] }).collect();
        if retries.is_empty() { Ok(()) } else { self.inbox.queue.send(&retries).await }
    }

    async fn apply_update(&self, text: &str) -> Result<(), Failure> {
        let routed: Routed = serde_json::from_str(text)
            .map_err(|error| Failure::internal(format!("the update is malformed: {:?}", error.classify())))?;
        let about = about(&routed.route.organization_id, None);
        self.inbox.apply(&routed).instrument(about).await
    }
}

/// Returns the organization that a job belongs to. Unknown for a job with several updates, which may belong to several.
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
