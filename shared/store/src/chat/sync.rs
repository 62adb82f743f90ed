//! Runs of template syncs: the lease of the worker that executes a run, and the run's outcome.

use std::time::Duration;

use domain::id::ChatBusinessProfileId;
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::engine::change::{Change, Refused, fail_with, stale};
use crate::engine::commit::Committed;
use crate::engine::expression::Update;
use crate::engine::failure_text::failure_to_text;
use crate::engine::item::{entity, number, value};
use crate::{OrganizationStore, Quota, keys};

/// How long a run may wait in the queue before its job begins.
const QUEUED: Duration = Duration::from_secs(15 * 60);
/// A run whose worker has not renewed its lease for this long is abandoned.
const LEASE: Duration = Duration::from_secs(60);
/// How long an outcome is kept for a request to collect it.
const OUTCOME_KEPT: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SyncState {
    Running,
    Done,
    Failed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncOutcome {
    pub added: u32,
    pub updated: u32,
    pub removed: u32,
    pub total: u32,
}

/// A run. Its counts increase in the transactions that they count, so that they are right even if the run is
/// interrupted.
#[skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncRun {
    pub run: String,
    pub state: SyncState,
    #[serde(flatten)]
    pub outcome: SyncOutcome,
    /// The failure as JSON text.
    pub failure: Option<String>,
}

/// The state in which a request finds a sync.
pub enum SyncStart {
    /// A new run was started, which needs a job.
    Started,
    /// A run is in progress, or finished and its outcome not collected yet.
    Found(SyncRun),
}

impl OrganizationStore {
    /// Starts the run `run`, unless another run is in progress or its outcome is not collected yet. The transaction
    /// also spends the quota of syncs: a rejected sync leaves no record.
    pub async fn start_sync(
        &self,
        profile: &ChatBusinessProfileId,
        dry_run: bool,
        run: &str,
        now: Timestamp,
    ) -> Result<SyncStart, Failure> {
        let key = keys::template_sync(&self.organization, profile, dry_run);
        let update = Update::new(key.clone())
            .set("run", &run)?
            .set("state", &SyncState::Running)?
            .set_value("leaseUntil", number(now.plus(QUEUED).millis()))
            .set("v", &1)?
            .set("added", &0)?
            .set("updated", &0)?
            .set("removed", &0)?
            .set("total", &0)?
            .remove("failure")
            .remove("endedAt")
            .remove("isCollected")
            .when(
                "attribute_not_exists(PK) OR (#state = :running AND #leaseUntil <= :now) OR #state = :failed \
                 OR (#state = :done AND (attribute_exists(#isCollected) OR #endedAt <= :old))",
            )
            .value(":running", value(&SyncState::Running)?)
            .value(":done", value(&SyncState::Done)?)
            .value(":failed", value(&SyncState::Failed)?)
            .value(":now", number(now.millis()))
            .value(":old", number(now.minus(OUTCOME_KEPT).millis()));

        let mut change = Change::new(&self.organization);
        // First, because a run in progress is reported before a used-up quota, and spends nothing.
        change.update(update, stale());
        change.spend(&Quota::syncs(profile), 1, now)?;
        if !matches!(self.table.commit(&change).await?, Committed::Stale) {
            return Ok(SyncStart::Started);
        }

        let found = self.table.get(&key).await?.map(entity).transpose()?;
        found.map(SyncStart::Found).ok_or_else(|| Failure::internal("a sync in progress has no record"))
    }

    /// Renews the lease of a run. `false` if another run has begun or this one has ended.
    pub async fn keep_sync(
        &self,
        profile: &ChatBusinessProfileId,
        dry_run: bool,
        run: &str,
        now: Timestamp,
    ) -> Result<bool, Failure> {
        let update = Update::new(keys::template_sync(&self.organization, profile, dry_run))
            .set_value("leaseUntil", number(now.plus(LEASE).millis()));
        Ok(self.table.try_update(running(update, run)?).await?.is_ok())
    }

    /// Ends a run with a failure, unless another run has begun or this one has ended.
    pub async fn fail_sync(
        &self,
        profile: &ChatBusinessProfileId,
        dry_run: bool,
        run: &str,
        failure: &Failure,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let text = failure_to_text(failure)?;
        let update = Update::new(keys::template_sync(&self.organization, profile, dry_run))
            .set_value("endedAt", number(now.millis()))
            .set("state", &SyncState::Failed)?
            .set("failure", &text)?;
        self.table.try_update(running(update, run)?).await.map(|_| ())
    }

    /// Marks the outcome of a run as collected, so that the next request begins a new run.
    pub async fn collect_sync(&self, profile: &ChatBusinessProfileId, dry_run: bool, run: &str) -> Result<(), Failure> {
        let update = Update::new(keys::template_sync(&self.organization, profile, dry_run))
            .set("isCollected", &true)?
            .when("#run = :run")
            .value(":run", value(&run)?);
        self.table.try_update(update).await.map(|_| ())
    }
}

impl Change {
    /// Adds the templates that this change writes to the counts of the run. Fails if the run has ended or another run
    /// has taken over.
    pub fn count_sync(
        &mut self,
        profile: &ChatBusinessProfileId,
        run: &str,
        done: &SyncOutcome,
    ) -> Result<(), Failure> {
        let update = Update::new(keys::template_sync(&self.organization, profile, false))
            .add("added", done.added.into())
            .add("updated", done.updated.into())
            .add("removed", done.removed.into());
        self.update(
            running(update, run)?,
            fail_with(|| Failure::conflict("Another run has taken over this sync. Retry to get its result.")),
        );
        Ok(())
    }

    /// Ends a run. Already done if the run has ended or another run has taken over.
    pub fn end_sync(
        &mut self,
        profile: &ChatBusinessProfileId,
        run: &str,
        total: u32,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let update = Update::new(keys::template_sync(&self.organization, profile, false))
            .set_value("endedAt", number(now.millis()))
            .set("state", &SyncState::Done)?
            .set("total", &total)?;
        self.update(running(update, run)?, Box::new(|_| Refused::AlreadyDone));
        Ok(())
    }

    /// Ends a dry run with its outcome. Already done if the run has ended or another run has taken over.
    pub fn end_dry_sync(
        &mut self,
        profile: &ChatBusinessProfileId,
        run: &str,
        outcome: &SyncOutcome,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let update = Update::new(keys::template_sync(&self.organization, profile, true))
            .set_value("endedAt", number(now.millis()))
            .set("state", &SyncState::Done)?
            .set("added", &outcome.added)?
            .set("updated", &outcome.updated)?
            .set("removed", &outcome.removed)?
            .set("total", &outcome.total)?;
        self.update(running(update, run)?, Box::new(|_| Refused::AlreadyDone));
        Ok(())
    }
}

/// Makes an update conditional on `run` being the current run, still in progress.
fn running(update: Update, run: &str) -> Result<Update, Failure> {
    Ok(update
        .when("#run = :run AND #state = :running")
        .value(":run", value(&run)?)
        .value(":running", value(&SyncState::Running)?))
}
