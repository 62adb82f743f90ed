//! The stored data of an SMS message beside the state of sending it.

use domain::id::{AppId, SmsMessageId};
use domain::message::status::MessageStatus;
use domain::message::{Direction, Outcome};
use domain::number::NumberId;
use domain::sms::{SmsMessage, SmsStatus};
use domain::{E164, Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::keys::KeyClass;
use crate::message::{Facts, MessageKind, MessageKindId, Related, sms_channel};

/// An SMS message with the carrier's data.
#[derive(Clone, Debug, PartialEq)]
pub struct SmsRecord {
    pub message: SmsMessage,
    pub carried: Carried,
}

/// The carrier's data, which the API does not show.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Carried {
    /// The carrier's id of the message.
    pub carrier_message_id: Option<String>,
}

/// The SMS message's attributes of the main item.
#[derive(Serialize, Deserialize)]
pub struct SmsAttributes {
    #[serde(flatten)]
    message: SmsMessage,
    #[serde(flatten)]
    carried: Carried,
}

/// Returns the stored form of a message: all versions store the time of acceptance by the carrier under `queuedAt`.
fn to_stored(message: &SmsMessage) -> SmsMessage {
    SmsMessage { queued_at: message.taken_at, ..message.clone() }
}

/// Returns a message with the `queuedAt` that the API shows: an outbound message was queued when it was stored.
fn from_stored(message: SmsMessage) -> SmsMessage {
    let queued_at = (message.direction == Direction::Outbound).then_some(message.created_at);
    SmsMessage { taken_at: message.queued_at, queued_at, ..message }
}

impl SmsRecord {
    pub fn new(message: SmsMessage) -> Self {
        SmsRecord { message, carried: Carried::default() }
    }
}

impl MessageKindId for SmsMessageId {
    type Kind = SmsRecord;
}

impl MessageKind for SmsRecord {
    type Id = SmsMessageId;
    type Attributes = SmsAttributes;
    const CLASS: KeyClass = KeyClass::SmsMessage;

    fn from_parts(attributes: SmsAttributes, _: Related) -> Result<Self, Failure> {
        Ok(SmsRecord { message: from_stored(attributes.message), carried: attributes.carried })
    }

    fn attributes(&self) -> SmsAttributes {
        SmsAttributes { message: to_stored(&self.message), carried: self.carried.clone() }
    }

    fn set_attributes(&mut self, attributes: SmsAttributes) {
        (self.message, self.carried) = (from_stored(attributes.message), attributes.carried);
    }

    fn facts(attributes: &SmsAttributes) -> Facts {
        let message = &attributes.message;
        Facts {
            channel: sms_channel(&message.kind),
            contact: Some(message.contact().clone()),
            parts: message.parts,
            price: message.price.clone(),
            is_sent: message.sent_at.is_some(),
            is_delivered: message.delivered_at.is_some(),
            ..Facts::default()
        }
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

    fn direction(&self) -> Direction {
        self.message.direction
    }

    fn client_reference(&self) -> Option<&str> {
        self.message.client_reference.as_deref()
    }

    fn created_at(&self) -> Timestamp {
        self.message.created_at
    }

    fn failed_at(&self) -> Option<Timestamp> {
        self.message.failed_at
    }

    fn error_code(&self) -> Option<&str> {
        self.message.error_code.as_deref()
    }

    fn status(&self) -> MessageStatus {
        match self.message.status.known() {
            Some(SmsStatus::Received) => MessageStatus::Received,
            Some(SmsStatus::Sent) => MessageStatus::Sent,
            Some(SmsStatus::Delivered) => MessageStatus::Delivered,
            Some(SmsStatus::Failed) => MessageStatus::Failed,
            Some(SmsStatus::Queued) | None => MessageStatus::Queued,
        }
    }

    fn has_reached(&self) -> bool {
        self.message.delivered_at.is_some()
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

    fn set_refused(&mut self, failure: &Failure, now: Timestamp) {
        self.message.refuse(failure, now);
    }

    fn expire(&mut self, now: Timestamp) {
        self.message.expire(now);
    }
}
