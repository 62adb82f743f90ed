//! An invocation of a deletion, and the steps other than those for credentials, accounts and messages. Each step
//! deletes what it finds, one page at a time. If a step fails, the failure is recorded, and the next steps run.

use std::time::Instant;

use aws::bucket::Bucket;
use domain::deletion::{Deleted, Deletion, DeletionStep, FailedStep};
use domain::id::{AppId, OrganizationId};
use domain::number::PhoneNumber;
use domain::{Failure, Mode, Timestamp};
use store::{AppToDelete, Change, Committed, OrganizationStore, PageRequest};

use crate::Operator;

/// The highest number of pages that an invocation deletes.
const PAGES: u32 = 60;
/// How many apps, numbers or groups are read at once.
pub(super) const AT_ONCE: usize = 10;

/// One invocation.
pub(super) struct Run<'a> {
    pub(super) operator: &'a Operator,
    pub(super) org: OrganizationStore,
    pub(super) deleted: Deleted,
    /// The steps that have failed.
    pub(super) failed: Vec<FailedStep>,
    /// The accounts whose subscription the platform has not ended yet.
    pub(super) still_connected: Vec<String>,
    pub(super) is_past_patience: bool,
    pub(super) since: Instant,
    pages: u32,
}

/// The invocation has deleted [`PAGES`] pages.
pub(super) struct Exhausted;

/// Why a step stopped before everything was deleted.
pub(super) enum Stopped {
    Exhausted,
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Stopped::Failed(failure)
    }
}

impl From<Exhausted> for Stopped {
    fn from(_: Exhausted) -> Self {
        Stopped::Exhausted
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(operator: &'a Operator, org: OrganizationStore, deletion: &Deletion) -> Self {
        Run {
            operator,
            org,
            deleted: deletion.deleted,
            failed: Vec::new(),
            still_connected: Vec::new(),
            is_past_patience: deletion.is_past_patience(operator.clock.now()),
            since: Instant::now(),
            pages: PAGES,
        }
    }

    pub(super) fn organization(&self) -> &OrganizationId {
        self.org.organization_id()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.operator.clock.now()
    }

    pub(super) fn page(&mut self) -> Result<(), Exhausted> {
        self.pages = self.pages.checked_sub(1).ok_or(Exhausted)?;
        Ok(())
    }

    /// Returns whether a step, or its work on one object, has deleted everything. A failure is recorded, and the
    /// following steps run nevertheless.
    pub(super) fn note(&mut self, step: DeletionStep, outcome: Result<bool, Stopped>) -> Result<bool, Exhausted> {
        match outcome {
            Ok(is_done) => Ok(is_done),
            Err(Stopped::Exhausted) => Err(Exhausted),
            Err(Stopped::Failed(failure)) => {
                tracing::error!(organization = %self.organization(), ?step, "a deletion failed: {}", failure.log_text());
                if !self.failed.iter().any(|failed| failed.step == step) {
                    self.failed.push(FailedStep { step: step.into(), reason: failure.message().to_owned() });
                }
                Ok(false)
            }
        }
    }

    /// Deletes everything but the credentials. Returns whether everything is deleted. Unlinking a number takes a minute
    /// or two, and the platform might not end a subscription at once.
    pub(super) async fn delete(&mut self) -> Result<bool, Exhausted> {
        let mut is_done = self.apps().await?;
        let numbers = self.phone_numbers().await;
        is_done &= self.note(DeletionStep::PhoneNumbers, numbers)?;
        is_done &= self.accounts().await?;
        is_done &= self.conversations().await?;
        let media = self.media().await;
        is_done &= self.note(DeletionStep::Media, media)?;
        if is_done {
            // Deleted after the messages, because the last list leads to the messages of former numbers.
            let entry = self.operator.entry("operator.deleteOrganization", Mode::Live);
            let limit = self.operator.store.limit_organization(self.organization(), None, &entry).await;
            is_done &= self.note(DeletionStep::Lists, limit.map(|()| true).map_err(Stopped::from))?;
            let lists = self.org.delete_own_lists().await;
            is_done &= self.note(DeletionStep::Lists, lists.map(|()| true).map_err(Stopped::from))?;
        }
        Ok(is_done)
    }

    /// Deletes apps with the rest of their keys, and with their webhooks.
    async fn apps(&mut self) -> Result<bool, Exhausted> {
        let mut is_done = true;
        for mode in Mode::ALL {
            let ids = self.org.app_ids(mode).await;
            let Some(ids) = self.found(DeletionStep::Apps, ids) else {
                is_done = false;
                continue;
            };
            for ids in ids.chunks(AT_ONCE) {
                self.page()?;
                for id in ids {
                    let deleted = self.app(id).await.map_err(Stopped::from);
                    is_done &= self.note(DeletionStep::Apps, deleted)?;
                }
            }
        }
        Ok(is_done)
    }

    /// Returns the objects that a step has found. A failure is recorded.
    pub(super) fn found<T>(&mut self, step: DeletionStep, found: Result<T, Failure>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(failure) => {
                // Recording a failure deletes no page.
                let _ = self.note(step, Err(failure.into()));
                None
            }
        }
    }

    /// Deletes an app. Returns `false` if it has changed concurrently.
    async fn app(&mut self, id: &AppId) -> Result<bool, Failure> {
        let store = &self.operator.store;
        let Some(app) = self.org.app(id).await? else { return Ok(true) };
        let (keys, webhooks) = self.org.app_dependents(id).await?;
        let simulated_number = match &app.simulated_chat_number {
            Some(own) => self.org.chat_phone_number(&own.id).await?,
            None => None,
        };
        let system_numbers = self.org.system_numbers_of(&app).await?;
        let app = AppToDelete { app, keys, webhooks, simulated_number, system_numbers };
        store.remember_numbers_of_app(self.organization(), &app.app, self.now()).await?;

        let mut change = Change::new(self.organization());
        change.delete_app(&app, self.now())?;
        if matches!(store.commit(&change).await?, Committed::Stale) {
            return Ok(false);
        }
        store.clear_deleted_app(self.organization(), &app.leftovers(), self.now()).await?;
        self.deleted.apps += 1;
        Ok(true)
    }

    /// Deletes phone numbers; linked ones are unlinked first.
    async fn phone_numbers(&mut self) -> Result<bool, Stopped> {
        let (mut are_gone, mut request) = (true, first(AT_ONCE));
        loop {
            let page = self.org.phone_numbers(&Mode::ALL, &request).await?;
            for number in &page.items {
                let deleted = self.phone_number(number).await.map_err(Stopped::from);
                are_gone &= self.note(DeletionStep::PhoneNumbers, deleted)?;
            }
            let Some(before) = page.next else { return Ok(are_gone) };
            self.page()?;
            request.before = Some(before);
        }
    }

    async fn phone_number(&mut self, number: &PhoneNumber) -> Result<bool, Failure> {
        let mut change = Change::new(self.organization());
        change.delete_phone_number(number, [], self.now())?;
        let is_committed = !matches!(self.operator.store.commit(&change).await?, Committed::Stale);
        self.deleted.phone_numbers += u64::from(!number.is_deleted && is_committed);
        Ok(number.carrier.is_none() && is_committed)
    }

    /// Deletes the files of the organization with their items.
    async fn media(&mut self) -> Result<bool, Stopped> {
        loop {
            let found = self.bucket()?.objects_of(self.organization()).await?;
            if found.is_empty() {
                return Ok(true);
            }
            self.page()?;
            for object in found {
                self.bucket()?.delete_object(&object).await?;
                if let Some(id) = object.media {
                    self.org.delete_media_item(&id).await?;
                }
                self.deleted.media += 1;
            }
        }
    }

    pub(super) fn bucket(&self) -> Result<&Bucket, Failure> {
        self.operator.bucket.as_ref().ok_or_else(|| Failure::internal("the operator has no bucket"))
    }
}

pub(super) fn first(limit: usize) -> PageRequest {
    PageRequest { limit, before: None }
}
