//! Chat messages. A message is an item collection: the main item and the items of its related records. Lists and
//! statuses touch only the main item, so fields that may be long (JSON that the platform produced) are in items of
//! their own.

mod stored;

use domain::Failure;
use domain::chat::ChatMessage;
use domain::id::{ChatMessageId, ChatPhoneNumberId};
use serde::{Deserialize, Serialize};

use self::stored::{DataItem, MessageItem};
use crate::change::{Change, fail_with, never, stale};
use crate::expression::Update;
use crate::item::{DUE_AT, DUE_PARTITION, NewItem, due_partition, entities, entity, number};
use crate::page::{Page, PageRequest};
use crate::table::Range;
use crate::{Reads, keys};

pub use stored::{InboundMedia, Kept, StoredMessage};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageReference {
    message_id: ChatMessageId,
}

/// A page of messages, each with its inbound medium; `None` if there is no such number.
pub type MessagePage = Option<Page<(ChatMessage, Option<InboundMedia>)>>;

impl Reads {
    /// Returns a message with its related records, in one query.
    pub async fn chat_message(&self, id: &ChatMessageId) -> Result<Option<StoredMessage>, Failure> {
        StoredMessage::from_items(self.table.query(Range::whole(keys::message_parts(&self.organization, id))).await?)
    }

    /// Returns the id of the message that has this id at the platform.
    pub async fn message_id_of_platform(
        &self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
    ) -> Result<Option<ChatMessageId>, Failure> {
        let item = self.table.get(&keys::message_of_platform(&self.organization, number, platform_id)).await?;
        Ok(item.map(entity::<MessageReference>).transpose()?.map(|reference| reference.message_id))
    }

    /// Returns a page of a number's messages without their related records, newest first. `None` if there is no such
    /// number.
    pub async fn chat_messages(&self, number: &ChatPhoneNumberId, page: &PageRequest) -> Result<MessagePage, Failure> {
        let markers: Page<MessageReference> =
            self.table.page(vec![keys::chat_messages_of_number(&self.organization, number)], page).await?;
        let ids: Vec<_> = markers.items.into_iter().map(|marker| marker.message_id).collect();
        let keys: Vec<_> = ids.iter().map(|id| keys::chat_message(&self.organization, id)).collect();
        let mut items: Vec<MessageItem> = entities(self.table.get_all(&keys).await?)?;
        items.sort_by_key(|item| ids.iter().position(|id| *id == item.message.id));
        if items.is_empty() && self.chat_phone_number(number).await?.is_none() {
            return Ok(None);
        }
        let items = items.into_iter().map(|item| (item.message, item.kept.inbound_media)).collect();
        Ok(Some(Page { items, next: markers.next }))
    }
}

impl Change {
    /// Creates a message with all related records. Stale if a message with the same platform id has been created
    /// concurrently.
    pub fn create_chat_message(&mut self, stored: &StoredMessage) -> Result<(), Failure> {
        let message = stored.message();
        let (id, number) = (&message.id, &message.chat_phone_number_id);
        if let Some(platform_id) = &stored.kept.provider_message_id {
            let reference = MessageReference { message_id: id.clone() };
            self.create(
                NewItem::new(&keys::message_of_platform(&self.organization, number, platform_id), &reference)?,
                stale(),
            );
        }
        let mut main = NewItem::new(&keys::chat_message(&self.organization, id), &stored.main_item())?;
        if let Some(at) = stored.due_at() {
            main = main.due(at);
        }
        self.create(main, fail_with(|| Failure::internal("a newly minted message id already exists")));
        self.create_entity(
            &keys::chat_message_of_number(&self.organization, number, id),
            &MessageReference { message_id: id.clone() },
        )?;
        let none = StoredMessage::new(message.clone());
        self.write_parts(&none, stored)
    }

    /// Writes the differences between two states of a message. Stale if its revision has changed.
    pub fn update_chat_message(&mut self, before: &StoredMessage, after: &StoredMessage) -> Result<(), Failure> {
        let key = keys::chat_message(&self.organization, &before.message().id);
        let due = due_partition(&key.partition).to_string();
        let mut update = Update::between(key, &before.main_item(), &after.main_item(), &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.kept.revision));
        match (before.due_at(), after.due_at()) {
            (before, after) if before == after => {}
            (_, None) => update = update.remove(DUE_PARTITION).remove(DUE_AT),
            (_, Some(at)) => update = update.set(DUE_PARTITION, &due)?.set_value(DUE_AT, number(at.millis())),
        }
        self.update(update, stale());
        self.write_parts(before, after)
    }

    /// Writes the related records. They need no conditions: the main item's revision guards them.
    fn write_parts(&mut self, before: &StoredMessage, after: &StoredMessage) -> Result<(), Failure> {
        let id = &after.message().id;
        for recipient in &after.tracked.recipients {
            let known = before.tracked.recipients.iter().find(|known| known.id == recipient.id);
            self.write_part(id, &keys::recipient_part(&recipient.id), (known, Some(recipient)))?;
        }
        self.write_part(id, "WINDOW", (before.tracked.window.as_ref(), after.tracked.window.as_ref()))?;
        self.write_part(id, "REFERRAL", (before.referral.as_ref(), after.referral.as_ref()))?;
        self.write_part(id, "ORDER", (before.order.as_ref(), after.order.as_ref()))?;
        let data = |message: &StoredMessage| (!message.data.is_empty()).then(|| DataItem::from(&message.data));
        self.write_part(id, "DATA", (data(before).as_ref(), data(after).as_ref()))
    }

    fn write_part<T: Serialize>(
        &mut self,
        id: &ChatMessageId,
        part: &str,
        (before, after): (Option<&T>, Option<&T>),
    ) -> Result<(), Failure> {
        let key = keys::message_part(&self.organization, id, part);
        match (before, after) {
            (_, None) => {}
            (None, Some(after)) => self.put(NewItem::new(&key, after)?),
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
