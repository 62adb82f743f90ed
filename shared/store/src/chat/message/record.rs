//! The stored data of a chat message beside the state of sending it: the message itself, in the main item; its related
//! records, in items of their own; and the reference under the platform's id, by which updates find the message.

use domain::chat::outgoing::USER_ID_LENGTH;
use domain::chat::{ChatMessage, ChatMessageDetails, MessageData, Order, Referral, Tracked};
use domain::due::DueClass;
use domain::id::{AppId, ChatMessageId};
use domain::message::status::MessageStatus;
use domain::message::{Direction, Outcome};
use domain::number::NumberId;
use domain::{E164, Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::data::{DataItem, part, recipients};
use super::media::InboundMedia;
use super::revisions::EarlyRevisions;
use crate::engine::change::Change;
use crate::keys::KeyClass;
use crate::message::{Facts, MessageKind, MessageKindId, Related, Stored};

/// A chat message with its related records.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRecord {
    pub tracked: Tracked,
    pub referral: Option<Referral>,
    pub order: Option<Order>,
    pub data: MessageData,
    pub reported: Reported,
}

/// The data of the platform's updates beside the message itself.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reported {
    pub inbound_media: Option<InboundMedia>,
    /// Whether the content of an outbound message is known: it was sent here, or an echo has supplied it.
    #[serde(default)]
    pub is_filled: bool,
    /// Whether the content is that of a history without the medium, which may follow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_placeholder: bool,
    /// Edits and revocations that arrived before the message's content.
    pub early_revisions: Option<EarlyRevisions>,
}

/// The item stored under the platform's id of a message.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::chat) struct MessageReference {
    pub(in crate::chat) message_id: ChatMessageId,
}

/// The chat message's attributes of the main item.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatAttributes {
    #[serde(flatten)]
    message: ChatMessage,
    #[serde(flatten)]
    reported: Reported,
    /// The pricing category in the record of the conversation, repeated here for the usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pricing_category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_billable: Option<bool>,
}

impl ChatRecord {
    /// Returns a message without related records.
    pub fn new(message: ChatMessage) -> Self {
        ChatRecord {
            tracked: Tracked { message, recipients: Vec::new(), group: None, window: None },
            referral: None,
            order: None,
            data: MessageData::default(),
            reported: Reported::default(),
        }
    }

    pub fn message(&self) -> &ChatMessage {
        &self.tracked.message
    }

    pub fn into_message(self) -> ChatMessage {
        self.tracked.message
    }

    /// Returns the message as responses and events show it.
    pub fn into_details(self) -> ChatMessageDetails {
        let ChatRecord { tracked, referral, order, data, reported: _ } = self;
        let recipients = tracked.shown_recipients();
        let Tracked { message, recipients: _, group: _, window } = tracked;
        ChatMessageDetails { message, recipients, referral, order, conversation_window: window, data }
    }
}

impl MessageKindId for ChatMessageId {
    type Kind = ChatRecord;
}

impl MessageKind for ChatRecord {
    type Id = ChatMessageId;
    type Attributes = ChatAttributes;
    const CLASS: KeyClass = KeyClass::Message;

    fn from_parts(attributes: ChatAttributes, mut related: Related) -> Result<Self, Failure> {
        let data: Option<DataItem> = part(&mut related, "DATA")?;
        Ok(ChatRecord {
            referral: part(&mut related, "REFERRAL")?,
            order: part(&mut related, "ORDER")?,
            data: data.map(MessageData::try_from).transpose()?.unwrap_or_default(),
            reported: attributes.reported,
            tracked: Tracked {
                message: attributes.message.with_derived_times(),
                group: part(&mut related, "GROUP")?,
                window: part(&mut related, "WINDOW")?,
                recipients: recipients(related)?,
            },
        })
    }

    fn attributes(&self) -> ChatAttributes {
        ChatAttributes {
            message: self.tracked.message.clone().without_derived_times(),
            reported: self.reported.clone(),
            pricing_category: self.tracked.window.as_ref().and_then(|window| window.pricing_category.clone()),
            is_billable: self.tracked.window.as_ref().and_then(|window| window.pricing_billable),
        }
    }

    fn facts(attributes: &ChatAttributes) -> Facts {
        let message = &attributes.message;
        let contact = match message.direction {
            Direction::Inbound => &message.from_phone_number,
            Direction::Outbound => &message.to_phone_number,
        };
        Facts {
            channel: "chat",
            is_history: message.is_history == Some(true),
            contact: contact.clone(),
            category: attributes.pricing_category.clone(),
            is_billable: attributes.is_billable == Some(true),
            is_sent: message.sent_at.is_some(),
            is_delivered: message.delivered_at.is_some(),
            is_read: message.read_at.is_some(),
            ..Facts::default()
        }
    }

    fn set_attributes(&mut self, attributes: ChatAttributes) {
        self.tracked.message = attributes.message.with_derived_times();
        self.reported = attributes.reported;
    }

    fn write_name(change: &mut Change, before: Option<&Stored<Self>>, after: &Stored<Self>) -> Result<(), Failure> {
        if let Some(platform_id) = &after.message().provider_message_id {
            match before {
                None => change.name_message(after, platform_id, None)?,
                Some(before) if before.message().provider_message_id.is_none() => {
                    change.rename_message(after, platform_id)?;
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn write_related(change: &mut Change, before: Option<&Stored<Self>>, after: &Stored<Self>) -> Result<(), Failure> {
        change.write_parts(before, after)
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

    fn direction(&self) -> Direction {
        self.message().direction
    }

    fn client_reference(&self) -> Option<&str> {
        self.message().client_reference.as_deref()
    }

    fn created_at(&self) -> Timestamp {
        self.message().created_at
    }

    fn failed_at(&self) -> Option<Timestamp> {
        self.message().failed_at
    }

    fn error_code(&self) -> Option<&str> {
        self.message().error_code.as_deref()
    }

    /// The times of the message are the earliest ones of its recipients.
    fn status(&self) -> MessageStatus {
        let message = self.message();
        match message.direction {
            Direction::Inbound => MessageStatus::Received,
            Direction::Outbound if message.read_at.is_some() => MessageStatus::Read,
            Direction::Outbound if message.delivered_at.is_some() => MessageStatus::Delivered,
            Direction::Outbound if message.failed_at.is_some() => MessageStatus::Failed,
            Direction::Outbound if message.sent_at.is_some() => MessageStatus::Sent,
            Direction::Outbound => MessageStatus::Queued,
        }
    }

    fn has_reached(&self) -> bool {
        self.message().delivered_at.is_some() || self.message().read_at.is_some()
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

    fn set_refused(&mut self, failure: &Failure, now: Timestamp) {
        self.tracked.refuse(failure, now);
    }

    fn expire(&mut self, now: Timestamp) {
        self.tracked.expire(now);
    }
}
