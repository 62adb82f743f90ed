//! One run of a template sync: who works on it, until when that is believed, and how it ended.

use std::time::Duration;

use domain::id::ChatBusinessProfileId;
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::change::{Change, Refused, fail_with};
use crate::expression::Update;
use crate::item::{entity, number, value};
use crate::{OrganizationStore, Reads, keys};

/// Until its job is begun a run may wait in the queue for so long.
const QUEUED: Duration = Duration::from_secs(15 * 60);
/// A run is given up when nothing was heard of it for so long.
const LEASE: Duration = Duration::from_secs(60);
/// For how long an outcome waits for somebody who asks.
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

/// What it has done counts up in the transactions that do it, so that a run that was interrupted counts right.
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

/// What a request finds.
pub enum SyncStart {
    /// A new run, to be worked on.
    Started,
    /// A run under way, or a finished one that nobody has heard of yet.
    Found(SyncRun),
}

impl Reads {
    pub async fn sync_run(&self, profile: &ChatBusinessProfileId, dry_run: bool) -> Result<Option<SyncRun>, Failure> {
        self.table.get(&keys::template_sync(&self.organization, profile, dry_run)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    pub async fn start_sync(
        &self,
        profile: &ChatBusinessProfileId,
        dry_run: bool,
        run: &str,
        now: Timestamp,
    ) -> Result<SyncStart, Failure> {
        let update = Update::new(keys::template_sync(&self.organization, profile, dry_run))
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
        match self.table.try_update(update).await? {
            Ok(_) => Ok(SyncStart::Started),
            // The SDK repeats a call whose answer was lost: then it meets its own run.
            Err(Some(item)) if item.get("run") == Some(&value(&run)?) => Ok(SyncStart::Started),
            Err(Some(item)) => Ok(SyncStart::Found(entity(item)?)),
            Err(None) => Err(Failure::internal("a sync was refused without its item")),
        }
    }

    /// Keeps the run alive. `false`: another run has begun, or this one has ended.
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

    pub async fn fail_sync(
        &self,
        profile: &ChatBusinessProfileId,
        dry_run: bool,
        run: &str,
        failure: &Failure,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let text = serde_json::to_string(failure).map_err(Failure::internal)?;
        let update = Update::new(keys::template_sync(&self.organization, profile, dry_run))
            .set_value("endedAt", number(now.millis()))
            .set("state", &SyncState::Failed)?
            .set("failure", &text)?;
        self.table.try_update(running(update, run)?).await.map(|_| ())
    }

    /// Somebody has heard how it ended; the next request begins a new run.
    pub async fn collect_sync(&self, profile: &ChatBusinessProfileId, dry_run: bool, run: &str) -> Result<(), Failure> {
        let update = Update::new(keys::template_sync(&self.organization, profile, dry_run))
            .set("isCollected", &true)?
            .when("#run = :run")
            .value(":run", value(&run)?);
        self.table.try_update(update).await.map(|_| ())
    }
}

impl Change {
    /// Counts what this change does for the run. A run that has given way to another one does nothing more.
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
        self.update(running(update, run)?, fail_with(|| Failure::conflict("Another run has taken over this sync.")));
        Ok(())
    }

    /// A run that has ended, or given way to another one, is already done.
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

    /// The end of a run that has only counted.
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

fn running(update: Update, run: &str) -> Result<Update, Failure> {
    Ok(update
        .when("#run = :run AND #state = :running")
        .value(":run", value(&run)?)
        .value(":running", value(&SyncState::Running)?))
}
