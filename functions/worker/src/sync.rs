//! Syncs templates: stores the platform's templates where they differ from the stored ones. All pages are read before
//! anything is written. Each transaction holds some changes together with their events; a run that stops between two
//! transactions leaves the rest to the next run.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use domain::chat::{ChatBusinessProfile, Template};
use domain::event::{Audience, EventName};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use domain::{ErrorCode, Failure, Mode, Timestamp};
use platform::{PlatformError, PlatformTemplate};
use runtime::event;
use store::{Change, Committed, StoredTemplate, SyncOutcome};
use tokio::time::sleep;

use crate::Worker;

/// Templates per transaction: a template and its event are two of the hundred writes that a transaction may hold, and the
/// counters of the run are one.
const TEMPLATES_PER_TRANSACTION: usize = 49;
/// Less than half the limit of a transaction: a template is written twice, in its item and in its event.
const TRANSACTION_BYTES: usize = 1_500_000;
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

/// The change of one stored template.
enum Edit {
    Add(StoredTemplate),
    Change(Box<(StoredTemplate, StoredTemplate)>),
    Remove(StoredTemplate),
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
        // Read before the platform's templates: a template that a notification changes meanwhile has a newer revision then,
        // so the sync does not overwrite it.
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
        let line = self.worker.platforms.line(profile).await?;
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
            let (kind, template) = match edit {
                Edit::Add(new) => {
                    change.create_template(new)?;
                    (EventName::TemplatesChatCreated, &new.template)
                }
                Edit::Change(states) => {
                    let (before, after) = states.as_ref();
                    change.update_template(before, after)?;
                    (EventName::TemplatesChatUpdated, &after.template)
                }
                Edit::Remove(gone) => {
                    change.delete_template(gone);
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

/// Whether the queue retries the job. Any other failure is the result of the run, and is reported to the caller.
fn is_retryable(failure: &Failure) -> bool {
    failure.status() >= 429 && failure.code().is_none_or(|code| code == ErrorCode::RateLimitExceeded)
}

fn edits(
    stored: Vec<StoredTemplate>,
    listed: &BTreeMap<String, PlatformTemplate>,
    profile: &ChatBusinessProfileId,
    now: Timestamp,
) -> Vec<Edit> {
    let mut stored: BTreeMap<String, StoredTemplate> =
        stored.into_iter().map(|stored| (stored.template.id.clone(), stored)).collect();
    let mut edits = Vec::new();
    for listed in listed.values() {
        let template = template(listed, profile, now);
        match stored.remove(&listed.id) {
            None => edits.push(Edit::Add(to_store(template, 1, now))),
            Some(before) if before.template.differs_from(&template) => {
                let template = Template { created_at: before.template.created_at, ..template };
                let after = to_store(template, before.revision + 1, now);
                edits.push(Edit::Change(Box::new((before, after))));
            }
            Some(_) => {}
        }
    }
    edits.extend(stored.into_values().map(Edit::Remove));
    edits
}

fn to_store(template: Template, revision: u64, now: Timestamp) -> StoredTemplate {
    StoredTemplate { template, status_at: now, quality_at: now, category_at: now, revision }
}

fn count(edits: &[Edit]) -> SyncOutcome {
    let mut counts = SyncOutcome::default();
    for edit in edits {
        match edit {
            Edit::Add(_) => counts.added += 1,
            Edit::Change(_) => counts.updated += 1,
            Edit::Remove(_) => counts.removed += 1,
        }
    }
    counts
}

fn template(listed: &PlatformTemplate, profile: &ChatBusinessProfileId, now: Timestamp) -> Template {
    Template {
        id: listed.id.clone(),
        chat_business_profile_id: profile.clone(),
        name: listed.name.clone(),
        language: listed.language.clone(),
        category: listed.category.clone(),
        status: listed.status.clone(),
        components: listed.components.clone(),
        parameter_format: listed.parameter_format.clone(),
        quality_score: listed.quality_score.clone(),
        rejected_reason: listed.rejected_reason.clone(),
        created_at: now,
        updated_at: now,
    }
}

impl Edit {
    /// Returns about how many bytes the template takes in a transaction.
    fn bytes(&self) -> usize {
        let stored = match self {
            Edit::Add(stored) | Edit::Remove(stored) => stored,
            Edit::Change(states) => &states.1,
        };
        stored.template.components.to_string().len() + 1000
    }
}

/// Splits the changes into transactions.
fn transactions(edits: Vec<Edit>) -> Vec<Vec<Edit>> {
    let mut transactions: Vec<Vec<Edit>> = Vec::new();
    let mut bytes = 0;
    for edit in edits {
        let size = edit.bytes();
        match transactions.last_mut() {
            Some(last) if last.len() < TEMPLATES_PER_TRANSACTION && bytes + size <= TRANSACTION_BYTES => {
                last.push(edit);
                bytes += size;
            }
            _ => {
                transactions.push(vec![edit]);
                bytes = size;
            }
        }
    }
    transactions
}
