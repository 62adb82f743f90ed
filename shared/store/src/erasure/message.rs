//! Finding and erasing messages. A message is erased in one transaction, with its list items and everything else that
//! refers to it, so that no reader sees half of it. Its file is deleted before, because only the message leads to it.

use std::time::Duration;

use domain::id::{ChatMessageId, ChatPhoneNumberId};
use domain::identity::credential::hex;
use domain::message::{Direction, MessageId};
use domain::number::NumberId;
use domain::{E164, Failure, Timestamp};
use ring::digest::{SHA256, digest};

use crate::engine::change::{Change, Refused, absent_or, stale};
use crate::engine::commit::Committed;
use crate::engine::expression::Condition;
use crate::engine::item::{Item, NewItem, entities, key_of, number as number_value, value};
use crate::engine::page::sort_key;
use crate::engine::table::Range;
use crate::keys::{self, Key};
use crate::message::{ListItem, MessageKind as _};
use crate::{ChatRecord, InboundMedia, NamedMessage, OrganizationStore, Reads, StoredChat, StoredSms};

/// How long the marker of an erased message is kept: as long as the platform may report its statuses.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 3600);
/// How many related records a transaction deletes.
const PARTS: usize = 80;

/// A message to erase, as it was read.
#[derive(Debug)]
pub struct MessageToErase {
    id: MessageId,
    number: NumberId,
    /// The revision; `None` if the main item no longer exists.
    revision: Option<u64>,
    /// The keys of its items, except the main item.
    parts: Vec<Key>,
    /// The identities of the person in whose conversations it is listed.
    contacts: Vec<String>,
    /// All identities of the person that it names, including those of messages in groups.
    people: Vec<String>,
    /// The platform's user id of that person.
    user_id: Option<String>,
    platform_id: Option<String>,
    /// Whether it was sent elsewhere, so that the platform's updates about it do not contain this API's id.
    was_sent_elsewhere: bool,
    /// Whether the bucket has, or might still get, a file of it.
    has_file: bool,
}

impl MessageToErase {
    /// Returns all identities of the person that the message names.
    pub fn people(&self) -> &[String] {
        &self.people
    }

    pub fn user_id(&self) -> Option<&str> {
        self.user_id.as_deref()
    }

    /// Returns the id of the message if the bucket may have a file of it.
    pub fn file_of(&self) -> Option<&ChatMessageId> {
        match &self.id {
            MessageId::Chat(id) if self.has_file => Some(id),
            _ => None,
        }
    }
}

/// A message of a group, with the fields that the search for a person needs.
#[derive(Debug)]
pub struct GroupMessage {
    pub id: ChatMessageId,
    pub direction: Direction,
    /// The identities of the sender of a received message.
    pub sender: Vec<String>,
}

/// Returns the key of the marker that a message was erased.
fn erased_key(org: &Reads, number: &ChatPhoneNumberId, platform_id: &str) -> Key {
    keys::erased_message(&org.organization, number, &hex(digest(&SHA256, platform_id.as_bytes()).as_ref()))
}

impl Reads {
    /// Returns whether the message with this id at the platform was erased recently.
    pub async fn was_erased(&self, number: &ChatPhoneNumberId, platform_id: &str) -> Result<bool, Failure> {
        Ok(self.table.get(&erased_key(self, number, platform_id)).await?.is_some())
    }
}

impl OrganizationStore {
    /// Returns up to `limit` messages between a number and a contact after a position, oldest first, each with its position.
    pub async fn conversation_after(
        &self,
        number: &NumberId,
        identity: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, MessageId)>, Failure> {
        self.listed_after(keys::messages_of_contact(&self.organization, number, identity), after, limit).await
    }

    /// Returns up to `limit` messages of a number after a position, oldest first, each with its position.
    pub async fn messages_after(
        &self,
        number: &NumberId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, MessageId)>, Failure> {
        self.listed_after(keys::messages_of_number(&self.organization, number), after, limit).await
    }

    async fn listed_after(
        &self,
        partition: String,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, MessageId)>, Failure> {
        // Sorts after this ksuid and before every higher one.
        let from = after.map(|after| format!("{after}-"));
        let range = Range { from: from.as_deref(), limit: Some(limit), ..Range::whole(partition) };
        let items = self.table.query(range).await?;
        let positions: Vec<String> = items.iter().map(|item| sort_key(item).to_owned()).collect();
        Ok(positions.into_iter().zip(entities::<ListItem>(items)?.into_iter().map(|item| item.message_id)).collect())
    }

    /// Returns those of the messages that were sent to or received from groups.
    pub async fn group_messages(&self, ids: &[MessageId]) -> Result<Vec<GroupMessage>, Failure> {
        let chat = ids.iter().filter_map(|id| ChatMessageId::try_from(id.clone()).ok());
        let keys: Vec<Key> = chat.map(|id| keys::message(ChatRecord::CLASS, &self.organization, &id)).collect();
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let stored = StoredChat::from_main_items(self.table.get_all(&keys).await?)?;
        let of_group = stored.into_iter().filter(|stored| stored.message().group_id.is_some());
        Ok(of_group
            .map(|stored| GroupMessage {
                direction: stored.message().direction,
                sender: identities(&stored, Direction::Inbound),
                id: stored.message().id.clone(),
            })
            .collect())
    }

    /// Deletes the records of recipients of a message to a group whose phone number or user id is one of these, and returns
    /// whether there were any.
    pub async fn erase_recipients(&self, id: &ChatMessageId, of: &[String]) -> Result<bool, Failure> {
        let Some(before) = self.message(id).await? else { return Ok(false) };
        let mut change = Change::new(&self.organization);
        let mut after = before.clone();
        after.tracked.recipients.retain(|recipient| {
            let number = recipient.phone_number.as_ref().map(E164::as_str);
            !number.into_iter().chain(recipient.user_id.as_deref()).any(|name| of.iter().any(|known| known == name))
                && !of.iter().any(|known| known.trim_start_matches('+') == recipient.id)
        });
        if after.tracked.recipients.len() == before.tracked.recipients.len() {
            return Ok(false);
        }

        after.kept.revision += 1;
        change.update_message(&before, &after)?;
        match self.table.commit(&change).await? {
            Committed::Stale => Err(Failure::unavailable("a message was changed while its recipients were erased")),
            _ => Ok(true),
        }
    }

    /// Reads a message to erase.
    pub async fn message_to_erase(&self, number: &NumberId, id: &MessageId) -> Result<MessageToErase, Failure> {
        let partition = keys::message_items(keys::class_of(id), &self.organization, id);
        let items = self.table.query(Range::whole(partition)).await?;
        let main = main_key(self, id);
        let mut found = MessageToErase {
            id: id.clone(),
            number: number.clone(),
            revision: None,
            parts: items.iter().filter_map(key_of).filter(|key| *key != main).collect(),
            contacts: Vec::new(),
            people: Vec::new(),
            user_id: None,
            platform_id: None,
            was_sent_elsewhere: false,
            has_file: false,
        };
        match id {
            MessageId::Chat(_) => found.read_chat(items)?,
            MessageId::Sms(_) => found.read_sms(items)?,
        }
        Ok(found)
    }

    /// Erases a message; `false` if it has changed since it was read. `found_in` is the identity in whose conversation it
    /// was found, if it was found in one.
    pub async fn erase_message(
        &self,
        message: &MessageToErase,
        found_in: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, Failure> {
        let (first, last) = message.parts.split_at(message.parts.len().saturating_sub(PARTS));
        for parts in first.chunks(PARTS) {
            let mut change = Change::new(&self.organization);
            parts.iter().for_each(|part| change.delete_any(part.clone()));
            self.table.commit(&change).await?;
        }

        let mut change = Change::new(&self.organization);
        if let Some(revision) = message.revision {
            let as_seen = Condition::new("#revision = :seen").value(":seen", number_value(revision));
            change.delete(main_key(self, &message.id), as_seen, stale());
        }
        last.iter().for_each(|part| change.delete_any(part.clone()));
        change.delete_any(keys::message_of_number(&self.organization, &message.number, &message.id));
        change.delete_any(keys::failed_message(&self.organization, &message.id));

        let mut listed: Vec<&str> = message.contacts.iter().map(String::as_str).chain(found_in).collect();
        listed.sort_unstable();
        listed.dedup();
        for identity in listed {
            change.delete_any(keys::message_of_contact(&self.organization, &message.number, identity, &message.id));
        }

        if let (NumberId::Chat(number), MessageId::Chat(id), Some(platform_id)) =
            (&message.number, &message.id, &message.platform_id)
        {
            self.forget_platform_id(&mut change, number, platform_id, id).await?;
            if message.was_sent_elsewhere {
                let marker = NewItem::marker(&erased_key(self, number, platform_id));
                change.put(marker.expiring(now.plus(REMEMBERED)));
            }
        }

        Ok(!matches!(self.table.commit(&change).await?, Committed::Stale))
    }

    /// Deletes the reference from the platform's id, unless it refers to another message.
    async fn forget_platform_id(
        &self,
        change: &mut Change,
        number: &ChatPhoneNumberId,
        platform_id: &str,
        own: &ChatMessageId,
    ) -> Result<(), Failure> {
        let key = keys::message_of_platform(&self.organization, number, platform_id);
        if self.message_of_platform(number, platform_id).await? == Some(NamedMessage::Known(own.clone())) {
            let is_own = Condition::new("#messageId = :own").value(":own", value(own)?);
            change.delete(key, is_own, absent_or(|| Failure::unavailable("a message was changed"), |_| Refused::Stale));
        }
        Ok(())
    }
}

fn main_key(org: &Reads, id: &MessageId) -> Key {
    keys::message(keys::class_of(id), &org.organization, id)
}

/// Returns the identities of the other side of a message of this direction.
fn identities(stored: &ChatRecord, direction: Direction) -> Vec<String> {
    let message = stored.message();
    let (number, user_id) = match direction {
        Direction::Inbound => (&message.from_phone_number, &message.from_user_id),
        Direction::Outbound => (&message.to_phone_number, &message.to_user_id),
    };
    number.as_ref().map(ToString::to_string).into_iter().chain(user_id.clone()).collect()
}

impl MessageToErase {
    fn read_chat(&mut self, items: Vec<Item>) -> Result<(), Failure> {
        let Some(stored) = StoredChat::from_items(items)? else { return Ok(()) };
        let message = stored.message();
        self.revision = Some(stored.kept.revision);
        self.contacts = stored.contacts().into_iter().map(str::to_owned).collect();
        self.people = identities(&stored, message.direction);
        self.user_id = match message.direction {
            Direction::Inbound => message.from_user_id.clone(),
            Direction::Outbound => message.to_user_id.clone(),
        };
        self.platform_id = message.provider_message_id.clone();
        self.was_sent_elsewhere = message.direction == Direction::Outbound && stored.kept.attempt_id.is_none();
        self.has_file = stored.reported.inbound_media.as_ref().is_some_and(InboundMedia::has_own_bytes);
        Ok(())
    }

    fn read_sms(&mut self, items: Vec<Item>) -> Result<(), Failure> {
        let Some(stored) = StoredSms::from_items(items)? else { return Ok(()) };
        self.revision = Some(stored.kept.revision);
        self.contacts = stored.contacts().into_iter().map(str::to_owned).collect();
        Ok(())
    }
}
