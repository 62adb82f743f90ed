//! Chat messages: the message itself, its recipients and the other data that the platform reports, and the outcome of
//! the attempt to send it, as far as the platform's response decides it. Changes by statuses are in `chat/status`.
//!
//! Times and recipients before the first status follow from the message's own item, so that storing them costs nothing:
//! `queuedAt` of a message that was sent here is when it was stored, and its recipient is the one it names.

mod kind;
mod recipient;
mod related;
mod tracked;

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
pub use tracked::Tracked;

/// A WhatsApp message without recipients, referral, order and conversation window, as lists contain it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    pub id: ChatMessageId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    /// Omitted if WhatsApp supplies only a user id.
    pub from_phone_number: Option<E164>,
    pub to_phone_number: Option<E164>,
    /// The WhatsApp user id of the sender of an inbound message.
    pub from_user_id: Option<String>,
    /// The WhatsApp user id of the recipient of an outbound message.
    pub to_user_id: Option<String>,
    /// The group of the message: its id in this API, or its id at WhatsApp if the group was not created through this
    /// API.
    pub group_id: Option<String>,
    #[serde(rename = "type")]
    #[schema(value_type = ChatMessageType)]
    pub kind: Open<ChatMessageType>,
    pub direction: Direction,
    /// The id of the message at WhatsApp. Omitted until it is known.
    pub provider_message_id: Option<String>,
    /// The app that sent the message. Omitted for messages that were not sent through this API.
    pub app_id: Option<AppId>,
    /// Whether WhatsApp accepted the message. Omitted for messages that were not sent through this API.
    #[schema(value_type = Option<Outcome>)]
    pub outcome: Option<Open<Outcome>>,
    /// The `clientReference` of the request that sent the message.
    pub client_reference: Option<String>,
    /// The name in the profile of an inbound message's sender.
    pub contact_name: Option<String>,
    /// The text.
    pub text_body: Option<String>,
    /// A presigned URL of the file, created for each response. Omitted until the file has been downloaded from
    /// WhatsApp, and after its retention period.
    pub media_url: Option<String>,
    /// The MIME type of the file.
    pub media_mime_type: Option<String>,
    /// The file name of a document.
    pub media_filename: Option<String>,
    /// The text below the medium.
    pub media_caption: Option<String>,
    /// The SHA-256 hash of the file, as WhatsApp reports it.
    pub media_sha256: Option<String>,
    /// The size of the file, in bytes.
    pub media_file_size: Option<u64>,
    /// Whether the audio is a voice message.
    pub is_voice_note: Option<bool>,
    /// Whether the sticker is animated.
    pub is_animated_sticker: Option<bool>,
    /// The latitude of the location, in degrees.
    pub location_latitude: Option<String>,
    /// The longitude of the location, in degrees.
    pub location_longitude: Option<String>,
    /// The name of the location.
    pub location_name: Option<String>,
    /// The address of the location.
    pub location_address: Option<String>,
    /// Omitted if the reaction was removed.
    pub reaction_emoji: Option<String>,
    /// The message reacted to: its id in this API if it was stored here, else WhatsApp's id.
    pub reaction_message_id: Option<String>,
    /// The text of the button that the user pressed.
    pub button_text: Option<String>,
    /// The payload of the button that the user pressed.
    pub button_payload: Option<String>,
    /// The message replied to: its id in this API if it was stored here, else WhatsApp's id.
    pub reply_to_message_id: Option<String>,
    /// Whether the message was forwarded.
    pub is_forwarded: bool,
    /// Whether the message was forwarded many times.
    pub is_frequently_forwarded: bool,
    /// Whether an advertisement or post led to the message.
    pub has_referral: bool,
    /// When the message was stored. Omitted for messages that were not sent through this API.
    pub queued_at: Option<Timestamp>,
    pub sent_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    /// When the sender last edited the message. Each edit is a separate message that replies to this one.
    pub edited_at: Option<Timestamp>,
    /// When the sender deleted the message for everyone.
    pub revoked_at: Option<Timestamp>,
    /// `true` if the message is from the history of the WhatsApp Business app, which caused no events. Omitted once WhatsApp
    /// has also sent it as a message of its own.
    pub is_history: Option<bool>,
    /// `true` if WhatsApp sent more than can be stored, so that the longest parts were truncated.
    pub is_truncated: Option<bool>,
    /// The error code for the failure of the message. Not every failure has one.
    pub error_code: Option<String>,
    /// A description of the failure.
    pub error_message: Option<String>,
    /// The title of WhatsApp's error.
    pub error_title: Option<String>,
    /// The details of WhatsApp's error.
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
            is_history: None,
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
