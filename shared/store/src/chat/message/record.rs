//! What is stored of a chat message beside the state of sending it.

use domain::chat::outgoing::USER_ID_LENGTH;
use domain::chat::status::Tracked;
use domain::chat::{ChatMessage, MessageData, Order, Recipient, Referral};
use domain::due::DueClass;
use domain::id::{AppId, ChatMessageId};
use domain::message::{Direction, Outcome};
use domain::number::NumberId;
use domain::{E164, Failure, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::data::DataItem;
use super::media::InboundMedia;
use super::revisions::EarlyRevisions;
use crate::change::Change;
use crate::item::entity;
use crate::keys::{self, KeyClass};
use crate::message::{MessageKind, MessageKindId, Related, Stored};

/// A chat message with its related records.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRecord {
    pub tracked: Tracked,
    pub referral: Option<Referral>,
    pub order: Option<Order>,
    pub data: MessageData,
    pub reported: Reported,
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

/// The chat message's attributes of the main item.
#[derive(Serialize, Deserialize)]
pub struct ChatAttributes {
    #[serde(flatten)]
    message: ChatMessage,
    #[serde(flatten)]
    reported: Reported,
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

/// Takes the related record of this name.
fn part<T: DeserializeOwned>(related: &mut Related, name: &str) -> Result<Option<T>, Failure> {
    related.remove(name).map(entity).transpose()
}

/// Returns the recipients among the related records, in the order of their ids.
fn recipients(related: Related) -> Result<Vec<Recipient>, Failure> {
    let of_recipients = related.into_iter().filter(|(sort, _)| keys::is_recipient_part(sort));
    let mut recipients = of_recipients.map(|(_, item)| entity(item)).collect::<Result<Vec<Recipient>, _>>()?;
    recipients.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(recipients)
}
