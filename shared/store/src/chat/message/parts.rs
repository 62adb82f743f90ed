//! The related records of a chat message: how they are written.

use domain::Failure;
use serde::Serialize;

use super::data::DataItem;
use super::record::MessageReference;
use crate::engine::change::{Change, never};
use crate::engine::expression::Update;
use crate::engine::item::NewItem;
use crate::message::MessageKind as _;
use crate::{ChatRecord, StoredChat, keys};

impl Change {
    /// Makes the platform's id, which became known after the message was created, refer to it. This replaces a
    /// reference to another message, which an update that could not find this one may have created in the meantime.
    pub(super) fn rename_message(&mut self, stored: &StoredChat, platform_id: &str) -> Result<(), Failure> {
        self.put(self.reference(stored, platform_id)?);
        Ok(())
    }

    /// Returns the reference from the platform's id of a message to the message.
    pub(super) fn reference(&self, stored: &StoredChat, platform_id: &str) -> Result<NewItem, Failure> {
        let message = stored.message();
        let key = keys::message_of_platform(&self.organization, &message.chat_phone_number_id, platform_id);
        Ok(NewItem::new(&key, &MessageReference { message_id: message.id.clone() })?.ending(stored.ends_at))
    }

    /// Writes the related records, as far as they differ. They need no conditions: the main item's revision guards them.
    ///
    /// A status writes, in one transaction (`Change::update_message`):
    ///
    /// - `MSG`, the main item, if anything changes: times, outcome, error and revision. With its outcome known, the message
    ///   leaves the due index.
    /// - `RCPT#<id>`, the recipient, or `GROUP`, if the status is about a group as a whole. If it shows that two recipients of
    ///   a group are one person, the other record is deleted.
    /// - `WINDOW`, if it has new data on the conversation and its price.
    /// - `DATA`, if it has something that only `systemData` holds.
    /// - `MSGLIST`, the item in the number's list, if the outcome changes: the status came before the response, or shows that
    ///   a message with an unknown outcome, or a refused one, was sent.
    /// - `CONV`, an item in a conversation, if it names an identity of the contact that the message did not have.
    /// - `WAMID`, the reference from the platform's id, if the message did not have the id yet.
    /// - `EVT`, the event, if the recipient had no status of this kind; and the records of the contact, if the status is the
    ///   first to name phone number and user id together. The crate `inbound` adds these two.
    ///
    /// A repeated status changes nothing, so it writes nothing. A status of an unknown message creates it
    /// (`Change::create_revised_message`).
    pub(super) fn write_parts(&mut self, before: Option<&StoredChat>, after: &StoredChat) -> Result<(), Failure> {
        for recipient in &after.tracked.recipients {
            let known =
                before.and_then(|before| before.tracked.recipients.iter().find(|known| known.id == recipient.id));
            self.write_part(after, &keys::recipient_part(&recipient.id), known, Some(recipient))?;
        }
        for known in before.iter().flat_map(|before| &before.tracked.recipients) {
            if after.tracked.recipients.iter().all(|recipient| recipient.id != known.id) {
                self.write_part(after, &keys::recipient_part(&known.id), Some(known), None)?;
            }
        }

        let group = before.and_then(|before| before.tracked.group.as_ref());
        self.write_part(after, "GROUP", group, after.tracked.group.as_ref())?;
        let window = before.and_then(|before| before.tracked.window.as_ref());
        self.write_part(after, "WINDOW", window, after.tracked.window.as_ref())?;
        let referral = before.and_then(|before| before.referral.as_ref());
        self.write_part(after, "REFERRAL", referral, after.referral.as_ref())?;
        let order = before.and_then(|before| before.order.as_ref());
        self.write_part(after, "ORDER", order, after.order.as_ref())?;

        let data = |message: &StoredChat| (!message.data.is_empty()).then(|| DataItem::from(&message.data));
        self.write_part(after, "DATA", before.and_then(data).as_ref(), data(after).as_ref())
    }

    fn write_part<T: Serialize>(
        &mut self,
        message: &StoredChat,
        part: &str,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Result<(), Failure> {
        let key = keys::message_part(ChatRecord::CLASS, &self.organization, message.id(), part);
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
