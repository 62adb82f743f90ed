//! Deferred platform updates.

use std::sync::atomic::{AtomicBool, Ordering};

use aws::origin;
use domain::Failure;
use domain::id::OrganizationId;
use domain::job::{Job, Queued as _};
use inbound::{Routed, in_lanes};
use runtime::logging::about;
use tracing::Instrument as _;

use crate::{Unfinished, Worker};

impl Worker {
    /// Applies the updates. Those that can never be applied become dead letters. Updates that fail for another reason
    /// of their own are queued again in separate messages, so that they do not block the others. After a temporary
    /// failure, the rest of the job is not attempted: it would only wait for the same outage.
    pub(crate) async fn apply_updates(
        &self,
        organization: Option<OrganizationId>,
        updates: Vec<String>,
    ) -> Result<(), Unfinished> {
        let is_single = updates.len() == 1;
        let is_interrupted = &AtomicBool::new(false);
        let lane =
            |text: &String| serde_json::from_str::<Routed>(text).map(|routed| routed.update.lane()).unwrap_or_default();
        let left: Vec<(String, Option<Failure>)> = in_lanes(updates, lane, |text| async move {
            if is_interrupted.load(Ordering::Relaxed) {
                return Some((text, None));
            }
            let failure = self.apply_update(&text).await.err()?;
            is_interrupted.fetch_or(failure.is_temporary(), Ordering::Relaxed);
            Some((text, Some(failure)))
        })
        .await;

        let (mut failed, mut waiting, mut cause) = (Vec::new(), Vec::new(), None);
        for (text, failure) in left {
            match failure {
                Some(failure)
                    if failure.is_permanent()
                        && !is_single
                        && self.bury_update(&organization, &text, &failure).await => {}
                Some(failure) if !failure.is_temporary() && is_single => {
                    return Err(Unfinished { left: Some(Job::updates(organization, vec![text])), failure });
                }
                Some(failure) if !failure.is_temporary() => failed.push(text),
                failure => {
                    cause = cause.or(failure);
                    waiting.push(text);
                }
            }
        }

        let alone: Vec<Job> =
            failed.iter().map(|text| Job::updates(organization.clone(), vec![text.clone()])).collect();
        if !alone.is_empty()
            && let Err(failure) = self.inbox.queue.send(&alone).await
        {
            waiting.extend(failed);
            cause = Some(failure);
        }
        let unfinished = |failure| Unfinished { left: Some(Job::updates(organization, waiting)), failure };
        cause.map_or(Ok(()), |failure| Err(unfinished(failure)))
    }

    /// Sends an update to the dead letters. Returns whether it is there.
    pub(crate) async fn bury_update(
        &self,
        organization: &Option<OrganizationId>,
        text: &str,
        failure: &Failure,
    ) -> bool {
        let job = Job::updates(organization.clone(), vec![text.to_owned()]);
        let Ok(body) = job.body(origin::current()) else { return false };
        tracing::error!("an update can never be applied: {}", failure.log_text());
        self.jobs.dead_letters.bury(body, organization.as_ref(), failure).await.is_ok()
    }

    async fn apply_update(&self, text: &str) -> Result<(), Failure> {
        let routed: Routed = serde_json::from_str(text)
            .map_err(|error| Failure::permanent(format!("the update is malformed: {:?}", error.classify())))?;
        let about = about(&routed.route.organization_id, None);
        self.inbox.apply(&routed).instrument(about).await
    }
}
