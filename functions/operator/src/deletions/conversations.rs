//! The messages, contacts and groups of numbers, including those of deleted numbers.

use domain::deletion::DeletionStep;
use domain::id::ChatPhoneNumberId;
use domain::message::MessageId;
use domain::number::NumberId;

use super::steps::{AT_ONCE, Exhausted, Run, Stopped, first};

impl Run<'_> {
    /// Deletes the messages, contacts and groups of all numbers. Returns whether all are deleted.
    pub(super) async fn conversations(&mut self) -> Result<bool, Exhausted> {
        let numbers = self.org.present_and_former_numbers().await;
        let Some(numbers) = self.found(DeletionStep::Messages, numbers) else { return Ok(false) };
        let mut is_done = true;
        for number in numbers {
            let messages = self.messages(&number).await;
            is_done &= self.note(DeletionStep::Messages, messages)?;
            if let NumberId::Chat(number) = &number {
                let contacts = self.contacts(number).await;
                is_done &= self.note(DeletionStep::Contacts, contacts)?;
                let groups = self.groups(number).await;
                is_done &= self.note(DeletionStep::Groups, groups)?;
            }
        }
        Ok(is_done)
    }

    /// Deletes the messages of a number. A message that cannot be deleted does not block the others: the next page
    /// begins after it.
    async fn messages(&mut self, number: &NumberId) -> Result<bool, Stopped> {
        let (mut are_gone, mut after) = (true, None);
        loop {
            let messages = self.org.page_of_messages(number, after.as_deref()).await?;
            let Some((last, _)) = messages.last().cloned() else { return Ok(are_gone) };
            self.page()?;
            let mut is_page_gone = true;
            for (_, id) in messages {
                let deleted = self.message(number, &id).await;
                is_page_gone &= self.note(DeletionStep::Messages, deleted)?;
            }
            if !is_page_gone {
                (are_gone, after) = (false, Some(last));
            }
        }
    }

    /// Deletes a message with its file. Returns `false` if it has changed concurrently.
    async fn message(&mut self, number: &NumberId, id: &MessageId) -> Result<bool, Stopped> {
        let message = self.org.message_to_erase(number, id).await?;
        if let Some(id) = message.file_of() {
            self.bucket()?.delete_inbound(self.organization(), id).await?;
            self.deleted.media += 1;
        }
        if let NumberId::Chat(number) = number {
            self.org.delete_contacts(number, message.people()).await?;
        }
        let is_erased = self.org.erase_message(&message, None, self.now()).await?;
        self.deleted.messages += u64::from(is_erased);
        Ok(is_erased)
    }

    async fn contacts(&mut self, number: &ChatPhoneNumberId) -> Result<bool, Stopped> {
        while self.org.delete_listed_contacts(number).await? {
            self.page()?;
        }
        Ok(true)
    }

    async fn groups(&mut self, number: &ChatPhoneNumberId) -> Result<bool, Stopped> {
        let (mut are_gone, mut request) = (true, first(AT_ONCE));
        loop {
            let page = self.org.groups_of_number(number, &request).await?;
            if !page.items.is_empty() {
                self.page()?;
            }
            for group in page.items {
                let deleted = self.org.delete_group(&group).await.map(|()| true);
                self.deleted.groups += u64::from(deleted.is_ok());
                are_gone &= self.note(DeletionStep::Groups, deleted.map_err(Stopped::from))?;
            }
            request.before = page.next;
            if request.before.is_none() {
                break;
            }
        }
        if are_gone {
            // The list is deleted last, because it leads to the groups.
            self.org.delete_list_of_groups(number).await?;
        }
        Ok(are_gone)
    }
}
