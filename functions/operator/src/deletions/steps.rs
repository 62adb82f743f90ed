//! The steps of a deletion, in their order. Each deletes what it finds, a page at a time.

use domain::chat::ChatBusinessProfile;
use domain::deletion::Deleted;
use domain::id::OrganizationId;
use domain::number::NumberId;
use domain::{Failure, Mode, Timestamp};
use store::{AppToDelete, Change, Committed, OrganizationStore, PageRequest};

use crate::Operator;
use crate::holdings::Holdings;

/// How many pages an invocation deletes at most. A page has up to 50 items.
const PAGES: u32 = 60;
/// How many apps, numbers or groups are read at once.
const AT_ONCE: usize = 10;

/// One invocation.
pub(super) struct Run<'a> {
    operator: &'a Operator,
    org: OrganizationStore,
    pub(super) deleted: Deleted,
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
    pub(super) fn new(operator: &'a Operator, org: OrganizationStore, deleted: Deleted) -> Self {
        Run { operator, org, deleted, pages: PAGES }
    }

    fn organization(&self) -> &OrganizationId {
        self.org.organization_id()
    }

    fn now(&self) -> Timestamp {
        self.operator.clock.now()
    }

    fn page(&mut self) -> Result<(), Exhausted> {
        self.pages = self.pages.checked_sub(1).ok_or(Exhausted)?;
        Ok(())
    }

    /// Deletes all credentials: admin keys, sessions, and apps with their keys.
    pub(super) async fn end_access(&mut self) -> Result<(), Stopped> {
        for mode in Mode::ALL {
            while self.org.delete_admin_keys(mode).await? {
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

    /// Deletes everything else. Returns whether all is gone; a number that is being unlinked takes a minute or two.
    pub(super) async fn delete(&mut self) -> Result<bool, Stopped> {
        let are_numbers_gone = self.phone_numbers().await?;
        self.accounts().await?;
        for number in self.org.present_and_former_numbers().await? {
            self.number(&number).await?;
        }
        self.files().await?;
        if are_numbers_gone {
            self.org.delete_own_lists().await?;
        }
        Ok(are_numbers_gone)
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

    /// Deletes chat numbers and profiles with their claims, templates and tokens.
    async fn accounts(&mut self) -> Result<(), Stopped> {
        loop {
            let numbers = self.org.chat_phone_numbers(&Mode::ALL, &first(AT_ONCE)).await?.items;
            if numbers.is_empty() {
                break;
            }
            self.page()?;
            for number in numbers {
                self.org.delete_chat_number(&number, self.now()).await?;
                self.deleted.chat_phone_numbers += 1;
            }
        }
        loop {
            let profiles = self.org.chat_business_profiles(&Mode::ALL, &first(AT_ONCE)).await?.items;
            if profiles.is_empty() {
                return Ok(());
            }
            for profile in profiles {
                self.page()?;
                self.account(&profile).await?;
            }
        }
    }

    async fn account(&mut self, profile: &ChatBusinessProfile) -> Result<(), Stopped> {
        loop {
            let deleted = self.org.delete_templates(&profile.id).await?;
            if deleted == 0 {
                break;
            }
            self.deleted.templates += deleted;
            self.page()?;
        }
        // The token goes before the profile, which leads to it.
        if !profile.mode.is_test() {
            self.holdings()?.vault.discard(&profile.id).await?;
        }
        self.org.delete_profile(profile).await?;
        self.deleted.chat_business_profiles += 1;
        Ok(())
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
                    self.holdings()?.bucket.delete_inbound(self.organization(), id).await?;
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
            let found = self.holdings()?.bucket.objects_of(self.organization()).await?;
            if found.is_empty() {
                return Ok(());
            }
            self.page()?;
            for object in found {
                self.holdings()?.bucket.delete_object(&object).await?;
                if let Some(id) = object.media {
                    self.org.delete_media_item(&id).await?;
                }
                self.deleted.media += 1;
            }
        }
    }

    fn holdings(&self) -> Result<&Holdings, Failure> {
        self.operator.holdings.as_ref().ok_or_else(|| Failure::internal("the operator has no bucket and no vault"))
    }
}

fn first(limit: usize) -> PageRequest {
    PageRequest { limit, before: None }
}
