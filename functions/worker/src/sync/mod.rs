//! Syncs templates: stores the platform's templates where they differ from the stored ones. All pages are read before
//! anything is written. Each transaction holds some changes together with their events; a run that stops between two
//! transactions leaves the rest to the next run.

mod edits;

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use domain::chat::ChatBusinessProfile;
use domain::events::event::{Audience, EventName};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::{ErrorCode, ErrorKind, Failure, Mode, Timestamp};
use platform::{PlatformError, PlatformTemplate};
use runtime::event;
use store::{Change, Committed, SyncOutcome};
use tokio::time::sleep;

use self::edits::{Edit, EditKind, count, edits, transactions};
use crate::Worker;

const HEARTBEAT: Duration = Duration::from_secs(15);

/// One run of a sync.
pub(crate) struct Sync<'a> {
    pub(crate) worker: &'a Worker,
    pub(crate) organization: &'a OrganizationId,
    pub(crate) profile: &'a ChatBusinessProfileId,
    pub(crate) dry_run: bool,
    pub(crate) run: &'a str,
}

/// The outcome of a run, and when it read the platform's templates.
struct Synced {
    counts: SyncOutcome,
    asked_at: Timestamp,
}

impl Sync<'_> {
    /// Runs the sync to its end. Does nothing if another run has taken over or this one has ended.
    pub(crate) async fn perform(&self) -> Result<(), Failure> {
        if !self.renew_lease().await? {
            return Ok(());
        }
        let outcome = tokio::select! {
            outcome = self.templates() => outcome,
            lost = self.heartbeat() => return lost,
        };
        match outcome {
            Ok(synced) => self.end(&synced).await,
            Err(failure) if is_retryable(&failure) => Err(failure),
            Err(failure) => self.end_failed(failure).await,
        }
    }

    /// Returns `false` if the run no longer holds its lease.
    async fn renew_lease(&self) -> Result<bool, Failure> {
        let context = &self.worker.inbox.context;
        context.store.of(self.organization).keep_sync(self.profile, self.dry_run, self.run, context.now()).await
    }

    /// Renews the lease until the run no longer holds it.
    async fn heartbeat(&self) -> Result<(), Failure> {
        loop {
            sleep(HEARTBEAT).await;
            if !self.renew_lease().await? {
                return Ok(());
            }
        }
    }

    async fn profile(&self) -> Result<ChatBusinessProfile, Failure> {
        let profile = self.worker.inbox.context.store.of(self.organization).chat_business_profile(self.profile).await?;
        profile.ok_or_else(|| Failure::not_found("chatBusinessProfileId", "chat business profile"))
    }

    /// Reads and stores the templates.
    async fn templates(&self) -> Result<Synced, Failure> {
        let context = &self.worker.inbox.context;
        let profile = self.profile().await?;
        // Read before the platform's templates: if a notification changes a template in the meantime, it has a newer
        // revision, and the sync does not overwrite it.
        let stored = context.store.of(self.organization).all_templates(self.profile).await?;
        let asked_at = context.now();
        let listed = self.pages(&profile).await?;

        let edits = edits(stored, &listed, self.profile, asked_at);
        let total = u32::try_from(listed.len()).unwrap_or(u32::MAX);
        let counts = SyncOutcome { total, ..count(&edits) };
        if !self.dry_run {
            for edits in transactions(edits) {
                self.write(profile.mode, &edits).await?;
            }
        }
        Ok(Synced { counts, asked_at })
    }

    /// Reads all pages. Fails if a cursor repeats, because the list would never end.
    async fn pages(&self, profile: &ChatBusinessProfile) -> Result<BTreeMap<String, PlatformTemplate>, Failure> {
        let context = &self.worker.inbox.context;
        let org = context.store.of(self.organization);
        let line = self.worker.outbound.platforms.line_of_account(&org, profile, context.now()).await?;
        let (mut listed, mut seen, mut after) = (BTreeMap::new(), HashSet::new(), None::<String>);
        loop {
            let page = line.platform.templates(&line.token, &profile.provider_waba_id, after.as_deref()).await;
            let page = match page {
                Ok(page) => page,
                Err(error) => return Err(line.failure(error, &profile.provider_waba_id).await),
            };
            listed.extend(page.templates.into_iter().map(|template| (template.id.clone(), template)));
            match page.after {
                None => return Ok(listed),
                Some(next) if seen.insert(next.clone()) => after = Some(next),
                Some(_) => return Err(PlatformError::repeated_cursor().into()),
            }
        }
    }

    /// Writes the changes in one transaction. If a template was changed concurrently, each change is written separately, so
    /// that only the outdated ones are left out.
    async fn write(&self, mode: Mode, edits: &[Edit]) -> Result<(), Failure> {
        if self.commit(mode, edits).await? {
            return Ok(());
        }
        for edit in edits {
            self.commit(mode, std::slice::from_ref(edit)).await?;
        }
        Ok(())
    }

    /// Returns `false` if a template was changed concurrently.
    async fn commit(&self, mode: Mode, edits: &[Edit]) -> Result<bool, Failure> {
        let context = &self.worker.inbox.context;
        let mut change = Change::new(self.organization);
        for edit in edits {
            let (kind, template) = match &edit.kind {
                EditKind::Add(new) => {
                    change.create_template(new, edit.name)?;
                    (EventName::TemplatesChatCreated, &new.template)
                }
                EditKind::Change(states) => {
                    change.update_template(&states.before, &states.after, edit.name)?;
                    (EventName::TemplatesChatUpdated, &states.after.template)
                }
                EditKind::Name(states) => {
                    change.update_template(&states.before, &states.after, edit.name)?;
                    continue;
                }
                EditKind::Remove(gone) => {
                    change.delete_template(gone, edit.name)?;
                    (EventName::TemplatesChatDeleted, &gone.template)
                }
            };
            change.emit(&event(context, kind, mode, Audience::AllApps, template)?)?;
        }

        change.count_sync(self.profile, self.run, &count(edits))?;
        Ok(!matches!(context.store.commit(&change).await?, Committed::Stale))
    }

    async fn end(&self, synced: &Synced) -> Result<(), Failure> {
        let context = &self.worker.inbox.context;
        let mut change = Change::new(self.organization);
        if self.dry_run {
            change.end_dry_sync(self.profile, self.run, &synced.counts, context.now())?;
            return context.store.commit(&change).await.map(|_| ());
        }

        let decide = || async move {
            let before = self.profile().await?;
            let is_simulated = before.mode == Mode::Test;
            let after = ChatBusinessProfile {
                templates_synced_at: Some(synced.asked_at),
                // The number of syncs determines what the simulated platform lists next.
                simulated_syncs: before.simulated_syncs + u32::from(is_simulated),
                revision: before.revision + 1,
                ..before.clone()
            };
            let mut change = Change::new(self.organization);
            change.end_sync(self.profile, self.run, synced.counts.total, context.now())?;
            change.update_chat_business_profile(&before, &after)?;
            Ok((change, ()))
        };

        context.store.settle(decide).await
    }

    async fn end_failed(&self, failure: Failure) -> Result<(), Failure> {
        let context = &self.worker.inbox.context;
        context
            .store
            .of(self.organization)
            .fail_sync(self.profile, self.dry_run, self.run, &failure, context.now())
            .await
    }
}

/// Returns whether the queue retries the job. Any other failure is the result of the run, and is reported to the
/// caller.
fn is_retryable(failure: &Failure) -> bool {
    let may_pass = failure.kind().is_fault() || failure.kind() == ErrorKind::TooManyRequests;
    may_pass && failure.code().is_none_or(|code| code == ErrorCode::RateLimitExceeded)
}
