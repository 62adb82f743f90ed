//! A message is a collection of items: itself, and its related records. Lists and statuses touch only the first, which is
//! why what may be long (JSON of the platform's own making) lies beside it.

use std::collections::HashMap;
use std::time::Duration;

use domain::chat::status::Tracked;
use domain::chat::{ChatMessage, ChatMessageDetails, MessageData, Order, Recipient, Referral};
use domain::id::{ChatMessageId, ChatPhoneNumberId};
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::change::{Change, fail_with, stale};
use crate::expression::Update;
use crate::item::{DUE_AT, DUE_PARTITION, Item, NewItem, SORT, due_partition, entities, entity, number};
use crate::page::{Page, PageRequest};
use crate::table::Range;
use crate::{Reads, keys};

/// How long fetching may take before somebody looks after it.
const MEDIA_JOB: Duration = Duration::from_secs(15 * 60);

/// The bytes of an inbound medium: at the platform under `id`, here until `expires_at`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboundMedia {
    pub id: String,
    pub expires_at: Option<Timestamp>,
    /// When it was last tried to fetch them in vain.
    pub asked_at: Option<Timestamp>,
    /// The bytes are gone, as their retention wants.
    #[serde(default)]
    pub is_removed: bool,
    /// Why the bytes will not come.
    pub failure: Option<String>,
}

/// A message and everything that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredMessage {
    pub tracked: Tracked,
    pub referral: Option<Referral>,
    pub order: Option<Order>,
    pub data: MessageData,
    pub kept: Kept,
}

/// What is kept beside a message and not shown.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    pub provider_message_id: Option<String>,
    pub inbound_media: Option<InboundMedia>,
    /// Whether an echo has said what an outbound message holds.
    #[serde(default)]
    pub is_filled: bool,
    #[serde(default)]
    pub revision: u64,
}

#[derive(Serialize, Deserialize)]
struct MessageItem {
    #[serde(flatten)]
    message: ChatMessage,
    #[serde(flatten)]
    kept: Kept,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageReference {
    message_id: ChatMessageId,
}

/// JSON of the platform's own making, as text.
#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DataItem {
    contacts_data: Option<String>,
    template_data: Option<String>,
    interactive_data: Option<String>,
    system_data: Option<String>,
}

impl From<&MessageData> for DataItem {
    fn from(data: &MessageData) -> Self {
        let text = |value: &Option<serde_json::Value>| value.as_ref().map(ToString::to_string);
        DataItem {
            contacts_data: text(&data.contacts_data),
            template_data: text(&data.template_data),
            interactive_data: text(&data.interactive_data),
            system_data: text(&data.system_data),
        }
    }
}

impl TryFrom<DataItem> for MessageData {
    type Error = Failure;

    fn try_from(item: DataItem) -> Result<Self, Failure> {
        let value = |text: Option<String>| text.map(|text| serde_json::from_str(&text)).transpose();
        Ok(MessageData {
            contacts_data: value(item.contacts_data).map_err(Failure::internal)?,
            template_data: value(item.template_data).map_err(Failure::internal)?,
            interactive_data: value(item.interactive_data).map_err(Failure::internal)?,
            system_data: value(item.system_data).map_err(Failure::internal)?,
        })
    }
}

impl StoredMessage {
    pub fn new(message: ChatMessage) -> Self {
        StoredMessage {
            tracked: Tracked { message, recipients: Vec::new(), window: None },
            referral: None,
            order: None,
            data: MessageData::default(),
            kept: Kept { revision: 1, ..Kept::default() },
        }
    }

    /// As the API shows it.
    pub fn details(self) -> ChatMessageDetails {
        ChatMessageDetails {
            message: self.tracked.message,
            recipients: self.tracked.recipients,
            referral: self.referral,
            order: self.order,
            conversation_window: self.tracked.window,
            data: self.data,
        }
    }

    pub fn message(&self) -> &ChatMessage {
        &self.tracked.message
    }

    fn from_items(items: Vec<Item>) -> Result<Option<Self>, Failure> {
        let mut parts: HashMap<String, Item> = HashMap::new();
        let mut recipients = Vec::new();
        for item in items {
            match item.get(SORT).and_then(|key| key.as_s().ok()).cloned().unwrap_or_default() {
                key if keys::is_recipient_part(&key) => recipients.push(entity::<Recipient>(item)?),
                key => {
                    parts.insert(key, item);
                }
            }
        }
        let Some(main) = parts.remove("MSG") else { return Ok(None) };
        let MessageItem { message, kept } = entity(main)?;
        recipients.sort_by(|a, b| a.id.cmp(&b.id));
        let data = parts.remove("DATA").map(entity::<DataItem>).transpose()?;
        Ok(Some(StoredMessage {
            tracked: Tracked { message, recipients, window: part(&mut parts, "WINDOW")? },
            referral: part(&mut parts, "REFERRAL")?,
            order: part(&mut parts, "ORDER")?,
            data: data.map(MessageData::try_from).transpose()?.unwrap_or_default(),
            kept,
        }))
    }

    fn main_item(&self) -> MessageItem {
        MessageItem { message: self.tracked.message.clone(), kept: self.kept.clone() }
    }
}

fn part<T: serde::de::DeserializeOwned>(parts: &mut HashMap<String, Item>, name: &str) -> Result<Option<T>, Failure> {
    parts.remove(name).map(entity).transpose()
}

/// Messages with where their bytes are; `None` where there is no such number.
pub type MessagePage = Option<Page<(ChatMessage, Option<InboundMedia>)>>;

impl Reads {
    /// A message with its related records, in one query.
    pub async fn chat_message(&self, id: &ChatMessageId) -> Result<Option<StoredMessage>, Failure> {
        StoredMessage::from_items(self.table.query(Range::whole(keys::message_parts(&self.organization, id))).await?)
    }

    /// Our id of the platform's message.
    pub async fn message_id_of_platform(
        &self,
        number: &ChatPhoneNumberId,
        platform_id: &str,
    ) -> Result<Option<ChatMessageId>, Failure> {
        let item = self.table.get(&keys::message_of_platform(&self.organization, number, platform_id)).await?;
        Ok(item.map(entity::<MessageReference>).transpose()?.map(|reference| reference.message_id))
    }

    /// A page of a number's messages without their related records, newest first.
    /// `None`: there is no such number.
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
    /// A message with everything that belongs to it. The platform's message known meanwhile is stale.
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
        self.create(main, fail_with(|| Failure::internal("a fresh message id exists already")));
        self.create_entity(
            &keys::chat_message_of_number(&self.organization, number, id),
            &MessageReference { message_id: id.clone() },
        )?;
        let none = StoredMessage::new(message.clone());
        self.write_parts(&none, stored)
    }

    /// What differs between two states, if the message still has the revision that was seen.
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

    /// The revision of the message itself guards its parts.
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
                    self.update(update, crate::change::never());
                }
            }
        }
        Ok(())
    }
}

impl StoredMessage {
    pub fn is_waiting_for_media(&self) -> bool {
        let media = self.kept.inbound_media.as_ref();
        media.is_some_and(|media| media.expires_at.is_none() && media.failure.is_none())
    }

    /// When to look whether the job that fetches the bytes has come; once they are here, when they must go.
    fn due_at(&self) -> Option<Timestamp> {
        let media = self.kept.inbound_media.as_ref()?;
        if media.is_removed {
            return None;
        }
        let asked_at = media.asked_at.unwrap_or(self.message().created_at);
        media.expires_at.or(self.is_waiting_for_media().then(|| asked_at.plus(MEDIA_JOB)))
    }
}
