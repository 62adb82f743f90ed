//! Chat messages. A message is an item collection: the main item and the items of its related records. Lists read only
//! the main items, and every status update writes the main item, so fields that may be long (JSON that the platform
//! produced) are in items of their own.

mod data;
mod media;
mod named;
mod record;
mod revisions;

use domain::Failure;
use serde::Serialize;

use self::data::DataItem;
use crate::change::{Change, never};
use crate::expression::Update;
use crate::item::NewItem;
use crate::message::MessageKind as _;
use crate::{StoredChat, keys};

pub use media::InboundMedia;
pub use named::NamedMessage;
pub use record::{ChatRecord, InboundRecord, Reported};
pub use revisions::{EarlyRevisions, Revisions};

impl Change {
    /// Creates a message that was edited or revoked before it was known. `early` is what was stored of that.
    pub fn create_revised_message(
        &mut self,
        message: &StoredChat,
        early: Option<&EarlyRevisions>,
    ) -> Result<(), Failure> {
        if let Some(platform_id) = &message.message().provider_message_id {
            self.name_message(message, platform_id, early)?;
        }
        self.create_main(message)?;
        self.write_parts(None, message)
    }

    /// Writes the related records. They need no conditions: the main item's revision guards them.
    fn write_parts(&mut self, before: Option<&StoredChat>, after: &StoredChat) -> Result<(), Failure> {
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
