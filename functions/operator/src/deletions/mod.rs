//! The deletion of organizations ([ADR 42](../../../../docs/adr/0042-erasure.md)). An invocation ends all access at
//! once, deletes a bounded number of pages, and reports its progress; the operator's program repeats it until the
//! deletion is done. Only this function, which only the owner can invoke, has permission to delete an organization's
//! items.

mod accounts;
mod conversations;
mod credentials;
mod steps;

use domain::audit::TargetKind;
use domain::deletion::{Deletion, SETTLING};
use domain::erasure::{BACKUPS_KEPT, EVENTS_KEPT, ErasureStatus, MARKERS_KEPT, QUEUES_KEPT, RESPONSES_KEPT};
use domain::id::OrganizationId;
use domain::{Failure, Mode};
use store::{Change, Committed};

use crate::shown::{Remaining, ShownDeletion};
use crate::{Operator, Reply};
use steps::{Exhausted, Run};

const KEPT: &[&str] = &[
    "The organization's opt-out list at the carrier: it protects people from further messages.",
    "This receipt, and those of erased contacts.",
    "The requestId with which the organization was created, so that repeating that request is noticed.",
    "When each of its live accounts was released, so that what Meta reported before reaches no other organization.",
];

impl Operator {
    /// Ends all access to an organization and deletes a part of it. Repeating the request continues, and returns the receipt
    /// once the deletion is done.
    pub(crate) async fn delete_organization(
        &self,
        organization: &OrganizationId,
        confirm: &str,
    ) -> Result<Reply, Failure> {
        let before = self.begin_deletion(organization, confirm).await?;
        if !before.is_running() {
            return Ok(shown(organization, before, Vec::new()));
        }
        tracing::info!(%organization, "an organization is being deleted");

        let org = self.store.of(organization);
        let mut run = Run::new(self, org, &before);
        let (ended, deleted) = match run.end_access().await {
            Ok(is_ended) => (is_ended, run.delete().await.unwrap_or(false)),
            // The invocation has no page left for anything else.
            Err(Exhausted) => (false, false),
        };

        let access_ended_at = before.access_ended_at.or(ended.then(|| self.clock.now()));
        let failed = std::mem::take(&mut run.failed);
        let mut after =
            Deletion { access_ended_at, deleted: run.deleted, failed, revision: before.revision + 1, ..before.clone() };
        let now = self.clock.now();
        let is_done = ended && deleted && after.has_settled(now);

        let mut change = Change::new(organization);
        if is_done {
            (after.status, after.finished_at) = (ErasureStatus::Done, Some(now));
            change.delete_organization(&after.slug);
        }
        change.advance_deletion(&before, &after)?;
        if matches!(self.store.commit(&change).await?, Committed::Stale) {
            return Err(Failure::conflict("Another invocation is deleting this organization. Repeat the request."));
        }
        Ok(shown(organization, after, run.still_connected))
    }

    async fn begin_deletion(&self, organization: &OrganizationId, confirm: &str) -> Result<Deletion, Failure> {
        let (org, now) = (&self.store.of(organization), self.clock.now());
        let begin = || async move {
            let mut change = Change::new(organization);
            let known = org.deletion().await?;
            let slug = match &known {
                Some(known) => known.slug.clone(),
                None => {
                    let found = org.organization().await?;
                    found.ok_or_else(|| Failure::not_found("organizationId", "organization"))?.slug
                }
            };
            if confirm != slug {
                let message = "confirm must be the slug of the organization to delete. A deletion cannot be undone.";
                return Err(Failure::invalid("confirm", message));
            }
            let Some(known) = known else {
                let begun = Deletion::begin(&slug, now);
                change.begin_deletion(&begun, now)?;
                let entry = self.entry("operator.deleteOrganization", Mode::Live);
                change.enter(&entry.about(TargetKind::Organization, organization))?;
                return Ok((change, begun));
            };
            Ok((change, known))
        };
        self.store.settle(begin).await
    }
}

fn shown(organization: &OrganizationId, deletion: Deletion, still_connected: Vec<String>) -> Reply {
    let remaining = [
        ("Events, feeds, deliveries, simulations and counts of use.", EVENTS_KEPT),
        ("Responses stored for Idempotency-Key, and announced uploads that were never made.", RESPONSES_KEPT),
        ("Markers of applied updates, of erased messages and of signups.", MARKERS_KEPT),
        ("Messages in queues and dead-letter queues.", QUEUES_KEPT),
        ("Backups of the table: of what was deleted now.", BACKUPS_KEPT),
        ("Backups of the table: of events, feeds and deliveries.", EVENTS_KEPT + BACKUPS_KEPT),
    ];

    let until = |kept| deletion.finished_at.map(|at| at.plus(kept));
    let remaining = remaining.into_iter().map(|(what, kept)| Remaining { what: what.to_owned(), until: until(kept) });
    let not_before = deletion.access_ended_at.filter(|_| deletion.is_running()).map(|at| at.plus(SETTLING));
    Reply::Deletion(Box::new(ShownDeletion {
        organization_id: organization.clone(),
        remaining: remaining.collect(),
        slug: deletion.slug,
        status: deletion.status,
        requested_at: deletion.requested_at,
        access_ended_at: deletion.access_ended_at,
        not_before,
        finished_at: deletion.finished_at,
        deleted: deletion.deleted,
        failed: deletion.failed,
        still_connected,
        kept: KEPT,
    }))
}
