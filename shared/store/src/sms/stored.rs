//! The stored form of an SMS message.

use domain::event::EventName;
use domain::id::{AppId, OrganizationId, SmsMessageId};
use domain::message::{Direction, MessageId, Outcome};
use domain::number::NumberId;
use domain::organization::MessageRetention;
use domain::sms::SmsMessage;
use domain::{E164, Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::OrganizationStore;
use crate::change::Change;
use crate::item::{Item, SORT, ends_at, entity};
use crate::keys::{self, Key};
use crate::message::{Kept, MainItem, Message, QueuedContent};

/// What the carrier supplies, which the API does not show.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Carried {
    /// The carrier's id of the message.
    pub carrier_message_id: Option<String>,
}

/// An SMS message with its internal fields.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSms {
    pub message: SmsMessage,
    /// What a queued message will send.
    pub queued: Option<QueuedContent>,
    pub kept: Kept,
    pub carried: Carried,
    /// When the message ends, by the retention that applied when it was stored.
    pub ends_at: Option<Timestamp>,
}

#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
pub struct SmsItem {
    #[serde(flatten)]
    message: SmsMessage,
    #[serde(flatten)]
    kept: Kept,
    #[serde(flatten)]
    carried: Carried,
    /// The attribute for the table's TTL: when the message ends, in seconds since 1970.
    ttl: Option<i64>,
}

impl MainItem for SmsItem {
    type Listed = SmsMessage;

    fn id(&self) -> MessageId {
        self.message.id.clone().into()
    }

    fn direction(&self) -> Direction {
        self.message.direction
    }

    fn outcome(&self) -> Option<Outcome> {
        self.message.outcome()
    }

    fn client_reference(&self) -> Option<&str> {
        self.message.client_reference.as_deref()
    }

    fn ends_at(&self) -> Option<Timestamp> {
        self.ttl.map(ends_at)
    }

    fn listed(self) -> SmsMessage {
        from_stored(self.message)
    }
}

/// Returns a message as it is stored: under `queuedAt`, all versions keep when the carrier took it.
fn to_stored(message: &SmsMessage) -> SmsMessage {
    SmsMessage { queued_at: message.taken_at, ..message.clone() }
}

/// Returns a message with `queuedAt` as it is shown: a message that is sent was queued when it was stored.
fn from_stored(message: SmsMessage) -> SmsMessage {
    let queued_at = (message.direction == Direction::Outbound).then_some(message.created_at);
    SmsMessage { taken_at: message.queued_at, queued_at, ..message }
}

impl StoredSms {
    /// Returns a message at revision 1, which ends with the organization's retention.
    pub fn new(message: SmsMessage, retention: MessageRetention) -> Self {
        StoredSms {
            ends_at: Some(retention.end_of(message.created_at)),
            message,
            queued: None,
            kept: Kept { revision: 1, ..Kept::default() },
            carried: Carried::default(),
        }
    }

    pub(crate) fn from_items(items: Vec<Item>) -> Result<Option<Self>, Failure> {
        let (mut main, mut queued) = (None, None);
        for item in items {
            match item.get(SORT).and_then(|key| key.as_s().ok()).map(String::as_str) {
                Some("SMS") => main = Some(entity::<SmsItem>(item)?),
                Some(keys::SEND_PART) => queued = Some(entity(item)?),
                _ => {}
            }
        }
        let stored = |main: SmsItem| StoredSms {
            ends_at: MainItem::ends_at(&main),
            message: from_stored(main.message),
            queued,
            kept: main.kept,
            carried: main.carried,
        };
        Ok(main.map(stored))
    }
}

impl Message for StoredSms {
    type Id = SmsMessageId;
    type Main = SmsItem;
    type Shown = SmsMessage;
    const FAILED: EventName = EventName::MessagesSmsFailed;

    fn key(organization: &OrganizationId, id: &SmsMessageId) -> Key {
        keys::sms_message(organization, id)
    }

    fn part_key(organization: &OrganizationId, id: &SmsMessageId, part: &str) -> Key {
        keys::sms_part(organization, id, part)
    }

    async fn read(org: &OrganizationStore, id: &SmsMessageId) -> Result<Option<Self>, Failure> {
        org.sms_message(id).await
    }

    fn create(&self, change: &mut Change) -> Result<(), Failure> {
        change.create_sms_message(self)
    }

    fn update(&self, before: &Self, change: &mut Change) -> Result<(), Failure> {
        change.update_sms_message(before, self)
    }

    fn id(&self) -> &SmsMessageId {
        &self.message.id
    }

    fn number(&self) -> NumberId {
        self.message.phone_number_id.clone().into()
    }

    fn app(&self) -> Option<&AppId> {
        self.message.app_id.as_ref()
    }

    fn contacts(&self) -> Vec<&str> {
        vec![E164::as_str(self.message.contact())]
    }

    fn created_at(&self) -> Timestamp {
        self.message.created_at
    }

    fn ends_at(&self) -> Option<Timestamp> {
        self.ends_at
    }

    fn main_item(&self) -> SmsItem {
        SmsItem {
            message: to_stored(&self.message),
            kept: self.kept.clone(),
            carried: self.carried.clone(),
            ttl: self.ends_at.map(Timestamp::seconds),
        }
    }

    fn set_main(&mut self, main: SmsItem) {
        (self.message, self.kept, self.carried) = (from_stored(main.message), main.kept, main.carried);
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

    fn shown(&self) -> SmsMessage {
        self.message.clone()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.message.outcome()
    }

    fn accept(&mut self, provider_id: &str, now: Timestamp) {
        self.carried.carrier_message_id.get_or_insert_with(|| provider_id.to_owned());
        self.message.accept(now);
    }

    fn mark_unknown(&mut self, now: Timestamp) {
        self.message.mark_unknown(now);
    }

    fn refuse(&mut self, failure: &Failure, now: Timestamp) {
        self.message.refuse(failure, now);
    }

    fn expire(&mut self, now: Timestamp) {
        self.message.expire(now);
    }
}
