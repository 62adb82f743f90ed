//! E7: the platform's templates, written where they differ. Every page is read before anything is written; each transaction
//! holds the changes with their events; a stop between two leaves the rest for the next run.

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

/// A template and its event are two writes of the hundred that a transaction takes; the run's count is one.
const IN_A_TRANSACTION: usize = 49;
/// Half of what a transaction takes: a template is written with its event.
const TRANSACTION_BYTES: usize = 1_500_000;
const HEARTBEAT: Duration = Duration::from_secs(15);

pub(crate) struct Sync<'a> {
    pub(crate) worker: &'a Worker,
    pub(crate) o: &'a OrganizationId,
    pub(crate) profile: &'a ChatBusinessProfileId,
    pub(crate) dry_run: bool,
    pub(crate) run: &'a str,
}

/// What a run has found to do, and when it asked the platform.
struct Done {
    counts: SyncOutcome,
    asked_at: Timestamp,
}

/// What has to be done with one template.
enum Edit {
    Add(StoredTemplate),
    Change(Box<(StoredTemplate, StoredTemplate)>),
    Remove(StoredTemplate),
}

impl Sync<'_> {
    /// Another run has taken over, or this one has ended: then there is nothing to do.
    pub(crate) async fn perform(&self) -> Result<(), Failure> {
        if !self.keep().await? {
            return Ok(());
        }
        let outcome = tokio::select! {
            outcome = self.templates() => outcome,
            lost = self.heartbeat() => return lost,
        };
        match outcome {
            Ok(done) => self.end(&done).await,
            Err(failure) if is_ours(&failure) => Err(failure),
            Err(failure) => self.end_failed(failure).await,
        }
    }

    async fn keep(&self) -> Result<bool, Failure> {
        let context = &self.worker.inbox.context;
        context.store.of(self.o).keep_sync(self.profile, self.dry_run, self.run, context.now()).await
    }

    /// Ends when the run is no longer ours.
    async fn heartbeat(&self) -> Result<(), Failure> {
        loop {
            sleep(HEARTBEAT).await;
            if !self.keep().await? {
                return Ok(());
            }
        }
    }

    async fn profile(&self) -> Result<ChatBusinessProfile, Failure> {
        let found = self.worker.inbox.context.store.of(self.o).chat_business_profile(self.profile).await?;
        found.ok_or_else(|| Failure::not_found("chatBusinessProfileId", "chat business profile"))
    }

    /// Everything but the end of the run.
    async fn templates(&self) -> Result<Done, Failure> {
        let context = &self.worker.inbox.context;
        let profile = self.profile().await?;
        // Read before the platform is asked: what a notification changes meanwhile has another revision then, and stays.
        let known = context.store.of(self.o).all_templates(self.profile).await?;
        let asked_at = context.now();
        let found = self.pages(&profile).await?;
        let edits = edits(known, &found, (self.profile, asked_at));
        let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
        let counts = SyncOutcome { total, ..count(&edits) };
        if !self.dry_run {
            for edits in transactions(edits) {
                self.write_together(profile.mode, &edits).await?;
            }
        }
        Ok(Done { counts, asked_at })
    }

    /// All pages; a cursor that was seen before leads nowhere.
    async fn pages(&self, profile: &ChatBusinessProfile) -> Result<BTreeMap<String, PlatformTemplate>, Failure> {
        let line = self.worker.platforms.line(profile).await?;
        let (mut found, mut seen, mut after) = (BTreeMap::new(), HashSet::new(), None::<String>);
        loop {
            let page = line.platform.templates(&line.token, &profile.provider_waba_id, after.as_deref()).await;
            let page = match page {
                Ok(page) => page,
                Err(error) => return Err(line.failure(error, &profile.provider_waba_id).await),
            };
            found.extend(page.templates.into_iter().map(|template| (template.id.clone(), template)));
            match page.after {
                None => return Ok(found),
                Some(next) if seen.insert(next.clone()) => after = Some(next),
                Some(_) => return Err(PlatformError::repeated_cursor().into()),
            }
        }
    }

    /// Where one has changed since it was read, the others are written by themselves.
    async fn write_together(&self, mode: Mode, edits: &[Edit]) -> Result<(), Failure> {
        if self.commit(mode, edits).await? {
            return Ok(());
        }
        for edit in edits {
            self.commit(mode, std::slice::from_ref(edit)).await?;
        }
        Ok(())
    }

    async fn commit(&self, mode: Mode, edits: &[Edit]) -> Result<bool, Failure> {
        let context = &self.worker.inbox.context;
        let mut change = Change::new(self.o);
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

    async fn end(&self, done: &Done) -> Result<(), Failure> {
        let context = &self.worker.inbox.context;
        let mut change = Change::new(self.o);
        if self.dry_run {
            change.end_dry_sync(self.profile, self.run, &done.counts, context.now())?;
            return context.store.commit(&change).await.map(|_| ());
        }
        let decide = || async move {
            let before = self.profile().await?;
            let is_simulated = before.mode == Mode::Test;
            let after = ChatBusinessProfile {
                templates_synced_at: Some(done.asked_at),
                // The simulated platform moves on with each sync.
                simulated_syncs: before.simulated_syncs + u32::from(is_simulated),
                revision: before.revision + 1,
                ..before.clone()
            };
            let mut change = Change::new(self.o);
            change.end_sync(self.profile, self.run, done.counts.total, context.now())?;
            change.update_chat_business_profile(&before, &after)?;
            Ok((change, ()))
        };
        context.store.settle(decide).await
    }

    async fn end_failed(&self, failure: Failure) -> Result<(), Failure> {
        let context = &self.worker.inbox.context;
        context.store.of(self.o).fail_sync(self.profile, self.dry_run, self.run, &failure, context.now()).await
    }
}

/// What the queue should try again; everything else is the answer to whoever asked.
fn is_ours(failure: &Failure) -> bool {
    failure.status() >= 429 && failure.code().is_none_or(|code| code == ErrorCode::RateLimitExceeded)
}

fn edits(
    known: Vec<StoredTemplate>,
    found: &BTreeMap<String, PlatformTemplate>,
    (profile, now): (&ChatBusinessProfileId, Timestamp),
) -> Vec<Edit> {
    let mut known: BTreeMap<String, StoredTemplate> =
        known.into_iter().map(|stored| (stored.template.id.clone(), stored)).collect();
    let mut edits = Vec::new();
    for sent in found.values() {
        let template = template(sent, profile, now);
        match known.remove(&sent.id) {
            None => edits.push(Edit::Add(stored(template, 1, now))),
            Some(before) if before.template.differs_from(&template) => {
                let template = Template { created_at: before.template.created_at, ..template };
                let after = stored(template, before.revision + 1, now);
                edits.push(Edit::Change(Box::new((before, after))));
            }
            Some(_) => {}
        }
    }
    edits.extend(known.into_values().map(Edit::Remove));
    edits
}

fn stored(template: Template, revision: u64, now: Timestamp) -> StoredTemplate {
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

fn template(sent: &PlatformTemplate, profile: &ChatBusinessProfileId, now: Timestamp) -> Template {
    Template {
        id: sent.id.clone(),
        chat_business_profile_id: profile.clone(),
        name: sent.name.clone(),
        language: sent.language.clone(),
        category: sent.category.clone(),
        status: sent.status.clone(),
        components: sent.components.clone(),
        parameter_format: sent.parameter_format.clone(),
        quality_score: sent.quality_score.clone(),
        rejected_reason: sent.rejected_reason.clone(),
        created_at: now,
        updated_at: now,
    }
}

impl Edit {
    fn bytes(&self) -> usize {
        let stored = match self {
            Edit::Add(stored) | Edit::Remove(stored) => stored,
            Edit::Change(states) => &states.1,
        };
        stored.template.components.to_string().len() + 1000
    }
}

fn transactions(edits: Vec<Edit>) -> Vec<Vec<Edit>> {
    let mut transactions: Vec<Vec<Edit>> = Vec::new();
    let mut bytes = 0;
    for edit in edits {
        let size = edit.bytes();
        match transactions.last_mut() {
            Some(last) if last.len() < IN_A_TRANSACTION && bytes + size <= TRANSACTION_BYTES => {
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
