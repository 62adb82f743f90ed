//! The list items of a message: one in the list of its number, and one in each conversation that it belongs to. They are
//! written in the message's own transactions and hold what lists are filtered by, so that a filter reads no messages.
//!
//! They are small, whatever the message is: each write of one costs the least that a write can cost. Of the caller's
//! reference they hold a digest. An item of a conversation does not hold the outcome, because the outcome changes with
//! almost every message that is sent, and would be written to one more item; the item in the number's list holds it.

use domain::credential::hex;
use domain::message::{Direction, MessageId, Outcome};
use domain::{Failure, Open, Timestamp};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::kind::MessageKind;
use super::stored::Stored;
use crate::change::{Change, never};
use crate::expression::Update;
use crate::item::NewItem;
use crate::keys;
use crate::keys::Key;

/// The bytes of a reference's digest: enough that a filter practically never reads another message in vain.
const DIGEST_BYTES: usize = 12;

#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListItem {
    pub(crate) message_id: MessageId,
    /// `None` in items from before lists had filters.
    pub(super) direction: Option<Direction>,
    pub(super) outcome: Option<Open<Outcome>>,
    pub(super) reference: Option<String>,
    pub(super) ttl: Option<i64>,
}

impl ListItem {
    fn of<M: MessageKind>(message: &Stored<M>) -> Self {
        ListItem {
            message_id: message.id().clone().into(),
            direction: Some(message.direction()),
            outcome: message.outcome().map(Open::from),
            reference: message.client_reference().map(reference_digest),
            ttl: message.ends_at.map(Timestamp::seconds),
        }
    }
}

pub(super) fn reference_digest(reference: &str) -> String {
    hex(&digest(&SHA256, reference.as_bytes()).as_ref()[..DIGEST_BYTES])
}

impl Change {
    /// Writes the list items of a message, as far as they differ. They need no conditions: the main item's revision
    /// guards them. They are written with all their attributes, so that an item that the table has removed at its end
    /// does not return in part; those of a new message are put, because no release can have written them before.
    pub(super) fn list_message<M: MessageKind>(
        &mut self,
        before: Option<&Stored<M>>,
        after: &Stored<M>,
    ) -> Result<(), Failure> {
        let number = after.number();
        let item = ListItem::of(after);
        if before.map(ListItem::of).as_ref() != Some(&item) {
            let key = keys::message_of_number(&self.organization, &number, &item.message_id);
            self.write_list_item(key, &item, before.is_none())?;
        }
        let item = ListItem { outcome: None, ..item };
        let known = before.map(|before| before.contacts()).unwrap_or_default();
        for contact in after.contacts().into_iter().filter(|contact| !known.contains(contact)) {
            let key = keys::message_of_contact(&self.organization, &number, contact, &item.message_id);
            self.write_list_item(key, &item, before.is_none())?;
        }
        Ok(())
    }

    fn write_list_item(&mut self, key: Key, item: &ListItem, is_new: bool) -> Result<(), Failure> {
        if is_new {
            self.put(NewItem::new(&key, item)?);
        } else {
            self.update(Update::overwriting(key, item, &["outcome", "reference", "ttl"])?, never());
        }
        Ok(())
    }
}
