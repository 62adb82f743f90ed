//! Chat messages: the message itself, its recipients and the other data that the platform reports, and the outcome of
//! the attempt to send it, as far as the platform's response decides it. Changes by statuses are in `chat/status`.
//!
//! Times and recipients before the first status follow from the message's own item, so that storing them costs nothing:
//! `queuedAt` of a message that was sent here is when it was stored, and its recipient is the one it names.

mod kind;
mod recipient;
mod related;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::id::{AppId, ChatMessageId, ChatPhoneNumberId};
use crate::message::reason::MessageProvider;
use crate::message::{Direction, Outcome};
use crate::{E164, Open, Timestamp};

pub use kind::{ChatMessageType, TEXT_LENGTH};
pub use recipient::{Recipient, RecipientStatus};
pub use related::{ChatMessageDetails, ConversationWindow, MessageData, Order, OrderItem, Referral};

/// A message without its related records, as lists show it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    pub id: ChatMessageId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    /// Omitted if the platform supplies only a user id.
    pub from_phone_number: Option<E164>,
    pub to_phone_number: Option<E164>,
    /// The platform's id of the user who sent an inbound message.
    pub from_user_id: Option<String>,
    /// The platform's id of the user to whom an outbound message was sent.
    pub to_user_id: Option<String>,
    /// The group of the message: its id in this API, or the platform's id if the group was not created here.
    pub group_id: Option<String>,
    #[serde(rename = "type")]
    #[schema(value_type = ChatMessageType)]
    pub kind: Open<ChatMessageType>,
    pub direction: Direction,
    /// The platform's id of the message. Omitted until it is known.
    pub provider_message_id: Option<String>,
    /// The app that sent the message. Omitted for messages that were not sent through this API.
    pub app_id: Option<AppId>,
    /// Whether the platform took the message. Omitted for messages that were not sent through this API.
    #[schema(value_type = Option<Outcome>)]
    pub outcome: Option<Open<Outcome>>,
    /// The caller's own reference.
    pub client_reference: Option<String>,
    pub contact_name: Option<String>,
    pub text_body: Option<String>,
    /// A presigned URL, created at each read. Omitted until the file was fetched from the platform, and after its
    /// retention.
    pub media_url: Option<String>,
    pub media_mime_type: Option<String>,
    pub media_filename: Option<String>,
    pub media_caption: Option<String>,
    pub media_sha256: Option<String>,
    pub media_file_size: Option<u64>,
    pub is_voice_note: Option<bool>,
    pub is_animated_sticker: Option<bool>,
    pub location_latitude: Option<String>,
    pub location_longitude: Option<String>,
    pub location_name: Option<String>,
    pub location_address: Option<String>,
    /// Omitted if the reaction was removed.
    pub reaction_emoji: Option<String>,
    pub reaction_message_id: Option<String>,
    pub button_text: Option<String>,
    pub button_payload: Option<String>,
    pub reply_to_message_id: Option<String>,
    pub is_forwarded: bool,
    pub is_frequently_forwarded: bool,
    pub has_referral: bool,
    /// When a message that was sent through this API was stored.
    pub queued_at: Option<Timestamp>,
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    /// When the sender last changed the message. The change is a message of its own that replies to this one.
    pub edited_at: Option<Timestamp>,
    /// When the sender deleted the message for everybody.
    pub revoked_at: Option<Timestamp>,
    /// True if the platform sent more than can be stored, so that the longest parts were cut.
    pub is_truncated: Option<bool>,
    /// An error code of this API.
    pub error_code: Option<String>,
    /// What happened, in the words of this API.
    pub error_message: Option<String>,
    pub error_title: Option<String>,
    pub error_details: Option<String>,
    pub provider: Option<MessageProvider>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl ChatMessage {
    /// Returns a message without content.
    pub fn blank(
        id: ChatMessageId,
        number: &ChatPhoneNumberId,
        display: &E164,
        direction: Direction,
        kind: ChatMessageType,
        now: Timestamp,
    ) -> Self {
        let own = Some(display.clone());
        let (from_phone_number, to_phone_number) = match direction {
            Direction::Inbound => (None, own),
            Direction::Outbound => (own, None),
        };

        ChatMessage {
            id,
            chat_phone_number_id: number.clone(),
            display_phone_number: display.clone(),
            from_phone_number,
            to_phone_number,
            from_user_id: None,
            to_user_id: None,
            group_id: None,
            kind: kind.into(),
            direction,
            provider_message_id: None,
            app_id: None,
            outcome: None,
            client_reference: None,
            contact_name: None,
            text_body: None,
            media_url: None,
            media_mime_type: None,
            media_filename: None,
            media_caption: None,
            media_sha256: None,
            media_file_size: None,
            is_voice_note: None,
            is_animated_sticker: None,
            location_latitude: None,
            location_longitude: None,
            location_name: None,
            location_address: None,
            reaction_emoji: None,
            reaction_message_id: None,
            button_text: None,
            button_payload: None,
            reply_to_message_id: None,
            is_forwarded: false,
            is_frequently_forwarded: false,
            has_referral: false,
            queued_at: None,
            sent_at: None,
            delivered_at: None,
            read_at: None,
            failed_at: None,
            edited_at: None,
            revoked_at: None,
            is_truncated: None,
            error_code: None,
            error_message: None,
            error_title: None,
            error_details: None,
            provider: None,
            created_at: now,
            updated_at: now,
        }
    }
}

impl ChatMessage {
    pub(in crate::chat) fn was_sent_here(&self) -> bool {
        self.outcome.is_some()
    }

    /// Returns whether the message ended without being sent.
    fn was_not_sent(&self) -> bool {
        matches!(self.outcome.as_ref().and_then(Open::known), Some(Outcome::Refused | Outcome::Expired))
    }

    /// Sets the times that are not stored. Messages of earlier versions have no time at which they were refused or expired;
    /// it was their last change.
    #[must_use]
    pub fn with_derived_times(mut self) -> Self {
        if self.was_sent_here() {
            self.queued_at.get_or_insert(self.created_at);
        }
        if self.was_not_sent() {
            self.failed_at.get_or_insert(self.updated_at);
        }
        self
    }

    /// Removes the times that need not be stored.
    #[must_use]
    pub fn without_derived_times(mut self) -> Self {
        self.queued_at = self.queued_at.filter(|at| *at != self.created_at);
        self
    }
}

/// A message with the records that status updates change.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    pub message: ChatMessage,
    pub recipients: Vec<Recipient>,
    /// The times of a message to a group that concern no single member. It is not shown among the recipients.
    pub group: Option<Recipient>,
    pub window: Option<ConversationWindow>,
}

impl Tracked {
    /// Returns the recipients as the API shows them. Before its first status, a message that was sent here has the one
    /// that it names. Only the platform knows who is in a group, so its members become recipients by their statuses.
    pub fn shown_recipients(&self) -> Vec<Recipient> {
        let message = &self.message;
        if !message.was_sent_here() {
            return self.recipients.clone();
        }
        if self.recipients.is_empty() && message.group_id.is_none() {
            return vec![self.named_recipient()];
        }
        let queued_at = |recipient: &Recipient| recipient.queued_at.or(message.queued_at);
        self.recipients.iter().map(|known| Recipient { queued_at: queued_at(known), ..known.clone() }).collect()
    }

    /// Returns the recipient that the message names, with the status that follows from the message itself.
    fn named_recipient(&self) -> Recipient {
        let message = &self.message;
        let named = Recipient::new(self.only_recipient_id(), message.created_at);
        let named = Recipient {
            phone_number: message.to_phone_number.clone(),
            user_id: message.to_user_id.clone(),
            queued_at: message.queued_at,
            ..named
        };
        if !message.was_not_sent() {
            return named;
        }
        Recipient {
            status: RecipientStatus::Failed.into(),
            failed_at: message.failed_at,
            error_code: message.error_code.clone(),
            error_message: message.error_message.clone(),
            provider: message.provider.clone(),
            updated_at: message.failed_at.unwrap_or(message.updated_at),
            ..named
        }
    }

    /// Returns the id of the single recipient of a message that was not sent to a group.
    pub(in crate::chat) fn only_recipient_id(&self) -> String {
        format!("{}_recipient", self.message.id)
    }

    /// Returns the outcome; `None` if the message was not sent here.
    pub fn outcome(&self) -> Option<Outcome> {
        self.message.outcome.as_ref().and_then(Open::known)
    }

    /// Records that the platform accepted the message, as its response or a status shows.
    pub fn accept(&mut self, provider_message_id: &str, now: Timestamp) {
        self.message.provider_message_id.get_or_insert_with(|| provider_message_id.to_owned());
        self.set_outcome(Outcome::Accepted, now);
    }

    /// Sets the outcome to `UNKNOWN` if it is still `PENDING`.
    pub fn mark_unknown(&mut self, now: Timestamp) {
        if self.outcome() == Some(Outcome::Pending) {
            self.set_outcome(Outcome::Unknown, now);
        }
    }

    pub(in crate::chat) fn set_outcome(&mut self, outcome: Outcome, now: Timestamp) {
        if self.outcome() != Some(outcome) {
            self.message.outcome = Some(outcome.into());
            self.message.updated_at = now;
        }
    }
}
