//! The stored form of a message: its main item and the items of its related records.

use std::collections::HashMap;
use std::time::Duration;

use domain::chat::outgoing::USER_ID_LENGTH;
use domain::chat::status::Tracked;
use domain::chat::{ChatMessage, ChatMessageDetails, MessageData, Order, Recipient, Referral};
use domain::due::DueClass;
use domain::event::EventName;
use domain::id::{AppId, ChatMessageId, MediaId, OrganizationId};
use domain::message::{Direction, MessageId, Outcome};
use domain::number::NumberId;
use domain::organization::MessageRetention;
use domain::{E164, Failure, Json, Open, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::revisions::EarlyRevisions;
use crate::OrganizationStore;
use crate::change::Change;
use crate::item::{Item, SORT, ends_at, entity};
use crate::keys::{self, Key};
use crate::message::{Kept, MainItem, Message, QueuedContent};

/// A message of a page, with its inbound medium.
pub type ListedMessage = (ChatMessage, Option<InboundMedia>);

/// How long the job that fetches the bytes may take before the sweep schedules another one.
const MEDIA_JOB: Duration = Duration::from_secs(15 * 60);

/// The state of an inbound medium's bytes: the platform has them under `id`, the bucket until `expires_at`. What a
/// simulated user sends is an upload of an app, whose own item says until when its bytes exist.
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
    /// Whether the bytes are those of the upload `id`. The message has none of its own then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_upload: bool,
}

impl InboundMedia {
    /// Returns the id of the upload, if that is what the user has sent.
    pub fn upload(&self) -> Option<MediaId> {
        self.id.parse().ok().filter(|_| self.is_upload)
    }

    /// Returns whether the message has bytes of its own in the bucket, or may have.
    pub fn has_own_bytes(&self) -> bool {
        !self.is_removed && !self.is_upload
    }
}

/// A message with its related records and internal fields.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredMessage {
    pub tracked: Tracked,
    pub referral: Option<Referral>,
    pub order: Option<Order>,
    pub data: MessageData,
    /// What a queued message will send.
    pub queued: Option<QueuedContent>,
    pub kept: Kept,
    pub reported: Reported,
    /// When the message ends, by the retention that applied when it was stored. `None` for messages from before there
    /// was one.
    pub ends_at: Option<Timestamp>,
}

/// What the platform's updates supply beside the message itself.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reported {
    pub inbound_media: Option<InboundMedia>,
    /// Whether the content of an outbound message is known: it was sent here, or an echo has supplied it.
    #[serde(default)]
    pub is_filled: bool,
    /// What was reported of a message before its content.
    pub early_revisions: Option<EarlyRevisions>,
}

/// The part of a message's main item that concerns its medium.
#[derive(Clone, Debug, Deserialize)]
pub struct InboundRecord {
    #[serde(flatten)]
    pub reported: Reported,
    #[serde(default)]
    pub revision: u64,
}

#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
pub struct ChatItem {
    #[serde(flatten)]
    pub(super) message: ChatMessage,
    #[serde(flatten)]
    pub(super) kept: Kept,
    #[serde(flatten)]
    pub(super) reported: Reported,
    /// The attribute for the table's TTL: when the message ends, in seconds since 1970.
    pub(super) ttl: Option<i64>,
}

impl MainItem for ChatItem {
    type Listed = ListedMessage;

    fn id(&self) -> MessageId {
        self.message.id.clone().into()
    }

    fn direction(&self) -> Direction {
        self.message.direction
    }

    fn outcome(&self) -> Option<Outcome> {
        self.message.outcome.as_ref().and_then(Open::known)
    }

    fn client_reference(&self) -> Option<&str> {
        self.message.client_reference.as_deref()
    }

    fn ends_at(&self) -> Option<Timestamp> {
        self.ttl.map(ends_at)
    }

    fn listed(self) -> ListedMessage {
        (self.message.with_derived_times(), self.reported.inbound_media)
    }
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
        let text = |json: &Option<Json>| json.as_ref().map(ToString::to_string);
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
        let json = |text: Option<String>| text.map(|text| text.parse::<Json>()).transpose();
        Ok(MessageData {
            contacts_data: json(item.contacts_data).map_err(Failure::internal)?,
            template_data: json(item.template_data).map_err(Failure::internal)?,
            interactive_data: json(item.interactive_data).map_err(Failure::internal)?,
            system_data: json(item.system_data).map_err(Failure::internal)?,
        })
    }
}

impl StoredMessage {
    /// Returns a message without related records, at revision 1, which ends with the organization's retention.
    pub fn new(message: ChatMessage, retention: MessageRetention) -> Self {
        StoredMessage {
            ends_at: Some(retention.end_of(message.created_at)),
            tracked: Tracked { message, recipients: Vec::new(), group: None, window: None },
            referral: None,
            order: None,
            data: MessageData::default(),
            queued: None,
            kept: Kept { revision: 1, ..Kept::default() },
            reported: Reported::default(),
        }
    }

    /// Returns the message as the API shows it.
    pub fn details(self) -> ChatMessageDetails {
        ChatMessageDetails {
            recipients: self.tracked.shown_recipients(),
            message: self.tracked.message,
            referral: self.referral,
            order: self.order,
            conversation_window: self.tracked.window,
            data: self.data,
        }
    }

    pub fn message(&self) -> &ChatMessage {
        &self.tracked.message
    }

    pub(crate) fn from_items(items: Vec<Item>) -> Result<Option<Self>, Failure> {
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
        let main: ChatItem = entity(main)?;
        recipients.sort_by(|a, b| a.id.cmp(&b.id));
        let data = parts.remove("DATA").map(entity::<DataItem>).transpose()?;
        Ok(Some(StoredMessage {
            ends_at: MainItem::ends_at(&main),
            tracked: Tracked {
                message: main.message.with_derived_times(),
                recipients,
                group: part(&mut parts, "GROUP")?,
                window: part(&mut parts, "WINDOW")?,
            },
            referral: part(&mut parts, "REFERRAL")?,
            order: part(&mut parts, "ORDER")?,
            data: data.map(MessageData::try_from).transpose()?.unwrap_or_default(),
            queued: part(&mut parts, keys::SEND_PART)?,
            kept: main.kept,
            reported: main.reported,
        }))
    }

    /// Returns whether the bytes of its medium are still to be fetched.
    pub fn is_waiting_for_media(&self) -> bool {
        let media = self.reported.inbound_media.as_ref();
        media.is_some_and(|media| media.expires_at.is_none() && media.failure.is_none() && !media.is_upload)
    }

    /// Returns when the sweep must act on the medium: before the bytes are fetched, when the job for them is overdue;
    /// afterwards, when their retention ends.
    fn media_due_at(&self) -> Option<Timestamp> {
        let media = self.reported.inbound_media.as_ref()?;
        if !media.has_own_bytes() {
            return None;
        }
        let asked_at = media.asked_at.unwrap_or(self.message().created_at);
        media.expires_at.or(self.is_waiting_for_media().then(|| asked_at.plus(MEDIA_JOB)))
    }
}

impl Message for StoredMessage {
    type Id = ChatMessageId;
    type Main = ChatItem;
    type Shown = ChatMessageDetails;
    const FAILED: EventName = EventName::MessagesChatFailed;

    fn key(organization: &OrganizationId, id: &ChatMessageId) -> Key {
        keys::chat_message(organization, id)
    }

    fn part_key(organization: &OrganizationId, id: &ChatMessageId, part: &str) -> Key {
        keys::message_part(organization, id, part)
    }

    async fn read(org: &OrganizationStore, id: &ChatMessageId) -> Result<Option<Self>, Failure> {
        org.chat_message(id).await
    }

    fn create(&self, change: &mut Change) -> Result<(), Failure> {
        change.create_chat_message(self)
    }

    fn update(&self, before: &Self, change: &mut Change) -> Result<(), Failure> {
        change.update_chat_message(before, self)
    }

    fn id(&self) -> &ChatMessageId {
        &self.message().id
    }

    fn number(&self) -> NumberId {
        self.message().chat_phone_number_id.clone().into()
    }

    fn app(&self) -> Option<&AppId> {
        self.message().app_id.as_ref()
    }

    /// The phone number, the user id, or both. A message of a group belongs to no conversation with one contact.
    fn contacts(&self) -> Vec<&str> {
        let message = self.message();
        let (number, user_id) = match message.direction {
            Direction::Inbound => (&message.from_phone_number, &message.from_user_id),
            Direction::Outbound => (&message.to_phone_number, &message.to_user_id),
        };
        let identities = number.as_ref().map(E164::as_str).into_iter().chain(user_id.as_deref());
        identities.filter(|identity| message.group_id.is_none() && identity.len() <= USER_ID_LENGTH).collect()
    }

    fn created_at(&self) -> Timestamp {
        self.message().created_at
    }

    fn ends_at(&self) -> Option<Timestamp> {
        self.ends_at
    }

    fn main_item(&self) -> ChatItem {
        ChatItem {
            message: self.tracked.message.clone().without_derived_times(),
            kept: self.kept.clone(),
            reported: self.reported.clone(),
            ttl: self.ends_at.map(Timestamp::seconds),
        }
    }

    fn set_main(&mut self, main: ChatItem) {
        self.tracked.message = main.message.with_derived_times();
        (self.kept, self.reported) = (main.kept, main.reported);
    }

    fn kept(&self) -> &Kept {
        &self.kept
    }

    fn kept_mut(&mut self) -> &mut Kept {
        &mut self.kept
    }

    fn queued(&self) -> Option<&QueuedContent> {
        self.queued.as_ref()
    }

    fn set_queued(&mut self, content: QueuedContent) {
        self.queued = Some(content);
    }

    fn shown(&self) -> ChatMessageDetails {
        self.clone().details()
    }

    fn other_due(&self) -> Option<(DueClass, Timestamp)> {
        self.media_due_at().map(|at| (DueClass::Media, at))
    }

    fn outcome(&self) -> Option<Outcome> {
        self.tracked.outcome()
    }

    fn accept(&mut self, provider_id: &str, now: Timestamp) {
        self.tracked.accept(provider_id, now);
    }

    fn mark_unknown(&mut self, now: Timestamp) {
        self.tracked.mark_unknown(now);
    }

    fn refuse(&mut self, failure: &Failure, now: Timestamp) {
        self.tracked.refuse(failure, now);
    }

    fn expire(&mut self, now: Timestamp) {
        self.tracked.expire(now);
    }
}

fn part<T: serde::de::DeserializeOwned>(parts: &mut HashMap<String, Item>, name: &str) -> Result<Option<T>, Failure> {
    parts.remove(name).map(entity).transpose()
}
