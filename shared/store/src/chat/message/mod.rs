//! Chat messages. A message is an item collection: the main item and the items of its related records. Lists read only
//! the main items, and every status update writes the main item, so fields that may be long (JSON that the platform
//! produced) are in items of their own.

mod named;
mod revisions;
mod stored;

use domain::chat::ChatMessage;
use domain::id::ChatMessageId;
use domain::{Failure, Timestamp};
use serde::Serialize;

use self::stored::{ChatItem, DataItem};
use crate::change::{Change, never};
use crate::expression::Update;
use crate::item::{NewItem, entity};
use crate::message::MainItem as _;
use crate::table::Range;
use crate::{OrganizationStore, Reads, keys};

pub use named::NamedMessage;
pub use revisions::EarlyRevisions;
pub use stored::{InboundMedia, InboundRecord, ListedMessage, Reported, StoredMessage};

impl Reads {
    /// Returns a message without its related records, unless its retention has ended.
    pub async fn chat_message_alone(&self, id: &ChatMessageId, now: Timestamp) -> Result<Option<ChatMessage>, Failure> {
        let item = self.table.get(&keys::chat_message(&self.organization, id)).await?;
        let item = item.map(entity::<ChatItem>).transpose()?;
        Ok(item.filter(|item| item.ends_at().is_none_or(|end| end > now)).map(|item| item.message))
    }
}

impl OrganizationStore {
    /// Returns a message without its related records: to show its outcome, and not to change it.
    pub async fn chat_message_without_parts(&self, id: &ChatMessageId) -> Result<Option<StoredMessage>, Failure> {
        let item = self.table.get(&keys::chat_message(&self.organization, id)).await?;
        StoredMessage::from_items(item.into_iter().collect())
    }

    /// Returns a message with its related records, in one query.
    pub async fn chat_message(&self, id: &ChatMessageId) -> Result<Option<StoredMessage>, Failure> {
        StoredMessage::from_items(self.table.query(Range::whole(keys::message_parts(&self.organization, id))).await?)
    }
}

impl Change {
    /// Creates a message with all related records. Stale if a message with the same platform id has been created
    /// concurrently.
    pub fn create_chat_message(&mut self, stored: &StoredMessage) -> Result<(), Failure> {
        self.create_revised_chat_message(stored, None)
    }

    /// Creates a message that was edited or revoked before it was known. `early` is what was stored of that.
    pub fn create_revised_chat_message(
        &mut self,
        stored: &StoredMessage,
        early: Option<&EarlyRevisions>,
    ) -> Result<(), Failure> {
        if let Some(platform_id) = &stored.message().provider_message_id {
            self.name_chat_message(stored, platform_id, early)?;
        }
        self.create_record(stored)?;
        self.write_parts(None, stored)
    }

    /// Writes the differences between two states of a message. Stale if its revision has changed.
    pub fn update_chat_message(&mut self, before: &StoredMessage, after: &StoredMessage) -> Result<(), Failure> {
        self.update_record(before, after)?;
        if let Some(platform_id) = &after.message().provider_message_id
            && before.message().provider_message_id.is_none()
        {
            self.rename_chat_message(after, platform_id)?;
        }
        self.write_parts(Some(before), after)
    }

    /// Writes the related records. They need no conditions: the main item's revision guards them.
    fn write_parts(&mut self, before: Option<&StoredMessage>, after: &StoredMessage) -> Result<(), Failure> {
        for recipient in &after.tracked.recipients {
            let known =
                before.and_then(|before| before.tracked.recipients.iter().find(|known| known.id == recipient.id));
            self.write_part(after, &keys::recipient_part(&recipient.id), (known, Some(recipient)))?;
        }
        for known in before.iter().flat_map(|before| &before.tracked.recipients) {
            if after.tracked.recipients.iter().all(|recipient| recipient.id != known.id) {
                self.write_part(after, &keys::recipient_part(&known.id), (Some(known), None))?;
            }
        }
        let group = before.and_then(|before| before.tracked.group.as_ref());
        self.write_part(after, "GROUP", (group, after.tracked.group.as_ref()))?;
        let window = before.and_then(|before| before.tracked.window.as_ref());
        self.write_part(after, "WINDOW", (window, after.tracked.window.as_ref()))?;
        let referral = before.and_then(|before| before.referral.as_ref());
        self.write_part(after, "REFERRAL", (referral, after.referral.as_ref()))?;
        let order = before.and_then(|before| before.order.as_ref());
        self.write_part(after, "ORDER", (order, after.order.as_ref()))?;
        let data = |message: &StoredMessage| (!message.data.is_empty()).then(|| DataItem::from(&message.data));
        self.write_part(after, "DATA", (before.and_then(data).as_ref(), data(after).as_ref()))
    }

    fn write_part<T: Serialize>(
        &mut self,
        message: &StoredMessage,
        part: &str,
        (before, after): (Option<&T>, Option<&T>),
    ) -> Result<(), Failure> {
        let key = keys::message_part(&self.organization, &message.message().id, part);
        match (before, after) {
            (None, None) => {}
            (Some(_), None) => self.delete_any(key),
            (None, Some(after)) => self.put(NewItem::new(&key, after)?.ending(message.ends_at)),
            (Some(before), Some(after)) => {
                let update = Update::between(key, before, after, &[])?;
                if !update.changes_nothing() {
                    self.update(update, never());
                }
            }
        }
        Ok(())
    }
}
