//! Imports the histories that wait, one part after the other. Each number has one job at a time, so histories take few of
//! the worker's invocations, however long they are, and leave the others to updates of today.

use std::time::Duration;

use domain::Failure;
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::job::{Job, VERSION};
use inbound::{Inbox, in_lanes};
use store::HistoryPart;

use crate::Worker;

/// How long a job imports before it leaves the rest to the next one.
const JOB_BUDGET: Duration = Duration::from_secs(60);
/// After how long without progress the sweep queues another job.
const HELD: Duration = Duration::from_secs(15 * 60);

impl Worker {
    /// Imports the waiting history of a number. A repeated job changes nothing.
    pub(crate) async fn import_history(
        &self,
        organization: &OrganizationId,
        number: &ChatPhoneNumberId,
    ) -> Result<(), Failure> {
        let context = &self.inbox.context;
        let org = context.store.of(organization);
        let until = context.now().plus(JOB_BUDGET);
        while let Some(line) = org.history_line(number).await? {
            let Some(part) = org.next_history_part(number).await? else {
                if org.end_history(number, line).await? {
                    return Ok(());
                }
                continue;
            };
            self.import_part(organization, &part).await?;
            org.forget_history_part(number, &part.id).await?;
            if context.now() >= until {
                org.hold_history(number, context.now().plus(HELD)).await?;
                let (organization_id, number_id) = (organization.clone(), number.clone());
                return self.jobs.queue.send(&[Job::ImportHistory { v: VERSION, organization_id, number_id }]).await;
            }
        }
        Ok(())
    }

    /// Imports the messages of a part. One that can never be imported becomes a dead letter and does not keep the others
    /// waiting.
    async fn import_part(&self, organization: &OrganizationId, part: &HistoryPart) -> Result<(), Failure> {
        let messages: Vec<String> = part.updates.clone();
        let failures = in_lanes(
            messages,
            |text| Inbox::lane_of_history(text),
            |text| async move { self.import_message(organization, &text).await.err() },
        )
        .await;
        failures.into_iter().next().map_or(Ok(()), Err)
    }

    async fn import_message(&self, organization: &OrganizationId, text: &str) -> Result<(), Failure> {
        let job = match self.inbox.import(text).await {
            Err(failure) if failure.is_permanent() => return self.bury_message(organization, text, failure).await,
            imported => imported?,
        };
        let Some(job) = job else { return Ok(()) };
        // The medium is fetched here, because a job of its own would compete with those of today's media.
        let fetched = match &job {
            Job::FetchMedia { profile_id, message_id, .. } => {
                self.fetch_media(organization, profile_id, message_id).await
            }
            _ => Err(Failure::internal("a message of a history has a job of an unknown kind")),
        };
        match fetched {
            Ok(()) => Ok(()),
            Err(_) => self.jobs.queue.send(&[job]).await,
        }
    }

    async fn bury_message(&self, organization: &OrganizationId, text: &str, failure: Failure) -> Result<(), Failure> {
        if self.bury_update(&Some(organization.clone()), text, &failure).await { Ok(()) } else { Err(failure) }
    }
}
