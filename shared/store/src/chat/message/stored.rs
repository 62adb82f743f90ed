//! The stored form of a message: its main item and the items of its related records.

use std::collections::HashMap;
use std::time::Duration;

use domain::chat::status::Tracked;
use domain::chat::{ChatMessage, ChatMessageDetails, MessageData, Order, Recipient, Referral};
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::item::{Item, SORT, entity};
use crate::keys;

/// How long the job that fetches the bytes may take before the sweep schedules another one.
const MEDIA_JOB: Duration = Duration::from_secs(15 * 60);

/// The state of an inbound medium's bytes: the platform has them under `id`, the bucket until `expires_at`.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboundMedia {
    pub id: String,
    /// `None` until the bytes are in the bucket.
    pub expires_at: Option<Timestamp>,
    /// When the last fruitless attempt to fetch the bytes was made.
    pub asked_at: Option<Timestamp>,
    /// Whether the bytes were removed at the end of their retention.
    #[serde(default)]
    pub is_removed: bool,
    /// Why the bytes cannot be fetched.
    pub failure: Option<String>,
}

/// A message with its related records and internal fields.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredMessage {
    pub tracked: Tracked,
    pub referral: Option<Referral>,
    pub order: Option<Order>,
    pub data: MessageData,
    pub kept: Kept,
}

/// The internal fields of a message, which the API does not show.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    pub provider_message_id: Option<String>,
    pub inbound_media: Option<InboundMedia>,
    /// Whether an echo has supplied the content of an outbound message.
    #[serde(default)]
    pub is_filled: bool,
    #[serde(default)]
    pub revision: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct MessageItem {
    #[serde(flatten)]
    pub(super) message: ChatMessage,
    #[serde(flatten)]
    pub(super) kept: Kept,
}

/// JSON that the platform produced, kept as text.
#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DataItem {
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
    /// Returns a message without related records, at revision 1.
    pub fn new(message: ChatMessage) -> Self {
        StoredMessage {
            tracked: Tracked { message, recipients: Vec::new(), window: None },
            referral: None,
            order: None,
            data: MessageData::default(),
            kept: Kept { revision: 1, ..Kept::default() },
        }
    }

    /// Returns the message as the API shows it.
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

    pub(super) fn from_items(items: Vec<Item>) -> Result<Option<Self>, Failure> {
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

    pub(super) fn main_item(&self) -> MessageItem {
        MessageItem { message: self.tracked.message.clone(), kept: self.kept.clone() }
    }

    /// Returns whether the bytes of its medium are still to be fetched.
    pub fn is_waiting_for_media(&self) -> bool {
        let media = self.kept.inbound_media.as_ref();
        media.is_some_and(|media| media.expires_at.is_none() && media.failure.is_none())
    }

    /// Returns when the sweep must act: before the bytes are fetched, when the job for them is overdue; afterwards,
    /// when their retention ends.
    pub(super) fn due_at(&self) -> Option<Timestamp> {
        let media = self.kept.inbound_media.as_ref()?;
        if media.is_removed {
            return None;
        }
        let asked_at = media.asked_at.unwrap_or(self.message().created_at);
        media.expires_at.or(self.is_waiting_for_media().then(|| asked_at.plus(MEDIA_JOB)))
    }
}

fn part<T: serde::de::DeserializeOwned>(parts: &mut HashMap<String, Item>, name: &str) -> Result<Option<T>, Failure> {
    parts.remove(name).map(entity).transpose()
}
