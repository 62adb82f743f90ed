//! The steps of a deletion, in their order. Each deletes what it finds, a page at a time.

use std::time::Instant;

use aws::bucket::Bucket;
use domain::deletion::{Deleted, Deletion};
use domain::id::OrganizationId;
use domain::number::NumberId;
use domain::{Failure, Mode, Timestamp};
use store::{AppToDelete, Change, Committed, OrganizationStore, PageRequest};

use crate::Operator;

/// How many pages an invocation deletes at most. A page has up to 50 items.
const PAGES: u32 = 60;
/// How many apps, numbers or groups are read at once.
pub(super) const AT_ONCE: usize = 10;

/// One invocation.
pub(super) struct Run<'a> {
    pub(super) operator: &'a Operator,
    pub(super) org: OrganizationStore,
    pub(super) deleted: Deleted,
    /// The accounts whose subscription the platform has not ended yet.
    pub(super) still_connected: Vec<String>,
    pub(super) is_past_patience: bool,
    pub(super) since: Instant,
    pages: u32,
}

/// The invocation has deleted as many pages as it may.
pub(super) struct Exhausted;

/// Why an invocation stopped before everything was deleted.
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

    /// Deletes all credentials: admin keys, onboarding links, sessions, and apps with their keys.
    pub(super) async fn end_access(&mut self) -> Result<(), Stopped> {
        for mode in Mode::ALL {
            while self.org.delete_admin_keys(mode).await? {
                self.page()?;
            }
            while self.org.delete_onboarding_links(mode).await? {
                self.page()?;
            }
        }
        self.operator.revoke_all_sessions(self.organization()).await?;
        loop {
            let apps = self.org.apps(&Mode::ALL, &first(AT_ONCE)).await?.items;
            if apps.is_empty() {
                return Ok(());
            }
            self.page()?;
            for app in apps {
                let (keys, webhooks) = self.org.app_dependents(&app.id).await?;
                let simulated_number = match &app.simulated_chat_number {
                    Some(own) => self.org.chat_phone_number(&own.id).await?,
                    None => None,
                };
                let app = AppToDelete { app, keys, webhooks, simulated_number };
                self.operator.store.remember_numbers_of_app(self.organization(), &app.app, self.now()).await?;
                let mut change = Change::new(self.organization());
                change.delete_app(&app, self.now())?;
                // Stale if it has changed: the next turn of the loop reads it again.
                if !matches!(self.operator.store.commit(&change).await?, Committed::Stale) {
                    self.deleted.apps += 1;
                    let leftovers = app.leftovers();
                    self.operator.store.clear_deleted_app(self.organization(), &leftovers, self.now()).await?;
                }
            }
        }
    }

    /// Deletes everything else. Returns whether all is gone: a number that is being unlinked takes a minute or two, and the
    /// platform may not end a subscription at once.
    pub(super) async fn delete(&mut self) -> Result<bool, Stopped> {
        let are_numbers_gone = self.phone_numbers().await?;
        let are_accounts_gone = self.accounts().await?;
        for number in self.org.present_and_former_numbers().await? {
            self.number(&number).await?;
        }
        self.files().await?;
        let is_done = are_numbers_gone && are_accounts_gone;
        if is_done {
            self.org.delete_own_lists().await?;
        }
        Ok(is_done)
    }

    /// Deletes phone numbers; linked ones are unlinked first.
    async fn phone_numbers(&mut self) -> Result<bool, Stopped> {
        let (mut are_gone, mut request) = (true, first(AT_ONCE));
        loop {
            let page = self.org.phone_numbers(&Mode::ALL, &request).await?;
            for number in &page.items {
                are_gone &= number.carrier.is_none();
                let is_deleted = number.is_deleted;
                let mut change = Change::new(self.organization());
                change.delete_phone_number(number, [], self.now())?;
                let committed = self.operator.store.commit(&change).await?;
                are_gone &= !matches!(committed, Committed::Stale);
                self.deleted.phone_numbers += u64::from(!is_deleted && !matches!(committed, Committed::Stale));
            }
            let Some(before) = page.next else { return Ok(are_gone) };
            self.page()?;
            request.before = Some(before);
        }
    }

    /// Deletes the messages, contacts and groups of a number.
    async fn number(&mut self, number: &NumberId) -> Result<(), Stopped> {
        loop {
            let messages = self.org.first_messages(number).await?;
            if messages.is_empty() {
                break;
            }
            self.page()?;
            for id in messages {
                let message = self.org.message_to_erase(number, &id).await?;
                if let Some(id) = message.file_of() {
                    self.bucket()?.delete_inbound(self.organization(), id).await?;
                    self.deleted.media += 1;
                }
                if let NumberId::Chat(number) = number {
                    self.org.delete_contacts(number, message.people()).await?;
                }
                if self.org.erase_message(&message, None, self.now()).await? {
                    self.deleted.messages += 1;
                }
            }
        }
        if let NumberId::Chat(id) = number {
            while self.org.delete_listed_contacts(id).await? {
                self.page()?;
            }
            loop {
                let groups = self.org.groups_of_number(id, &first(AT_ONCE)).await?.items;
                if groups.is_empty() {
                    break;
                }
                self.page()?;
                for group in groups {
                    self.org.delete_group(&group).await?;
                    self.deleted.groups += 1;
                }
            }
            self.org.delete_list_of_groups(id).await?;
        }
        Ok(())
    }

    /// Deletes the files of the organization with their items.
    async fn files(&mut self) -> Result<(), Stopped> {
        loop {
            let found = self.bucket()?.objects_of(self.organization()).await?;
            if found.is_empty() {
                return Ok(());
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

    fn bucket(&self) -> Result<&Bucket, Failure> {
        self.operator.bucket.as_ref().ok_or_else(|| Failure::internal("the operator has no bucket"))
    }
}

pub(super) fn first(limit: usize) -> PageRequest {
    PageRequest { limit, before: None }
}
