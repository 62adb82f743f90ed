//! Contents: the parts of messages, and of other objects, that people wrote to each other. The implementations for
//! messages name every field, so that each new one needs a decision.

use crate::chat::{ChatMessage, ChatMessageDetails, MessageData};
use crate::sms::SmsMessage;

/// An object that may have contents of messages: texts, media, payloads, and responses of receivers, which can repeat them.
pub trait Contents {
    /// Removes the contents and leaves everything else.
    fn hide_contents(&mut self);
}

impl Contents for ChatMessage {
    fn hide_contents(&mut self) {
        let ChatMessage {
            id: _,
            chat_phone_number_id: _,
            display_phone_number: _,
            from_phone_number: _,
            to_phone_number: _,
            from_user_id: _,
            to_user_id: _,
            group_id: _,
            kind: _,
            direction: _,
            provider_message_id: _,
            app_id: _,
            outcome: _,
            client_reference: _,
            contact_name: _,
            text_body,
            media_url,
            media_mime_type: _,
            media_filename,
            media_caption,
            media_sha256,
            media_file_size: _,
            is_voice_note: _,
            is_animated_sticker: _,
            location_latitude,
            location_longitude,
            location_name,
            location_address,
            reaction_emoji,
            reaction_message_id: _,
            button_text,
            button_payload,
            reply_to_message_id: _,
            is_forwarded: _,
            is_frequently_forwarded: _,
            has_referral: _,
            queued_at: _,
            sent_at: _,
            delivered_at: _,
            read_at: _,
            failed_at: _,
            edited_at: _,
            revoked_at: _,
            is_history: _,
            is_truncated: _,
            error_code: _,
            error_message: _,
            error_title: _,
            error_details: _,
            provider: _,
            created_at: _,
            updated_at: _,
        } = self;
        for content in [
            text_body,
            media_url,
            media_filename,
            media_caption,
            media_sha256,
            location_latitude,
            location_longitude,
            location_name,
            location_address,
            reaction_emoji,
            button_text,
            button_payload,
        ] {
            *content = None;
        }
    }
}

impl Contents for ChatMessageDetails {
    fn hide_contents(&mut self) {
        let ChatMessageDetails { message, recipients: _, referral, order, conversation_window: _, data } = self;
        message.hide_contents();
        (*referral, *order, *data) = (None, None, MessageData::default());
    }
}

impl Contents for SmsMessage {
    fn hide_contents(&mut self) {
        let SmsMessage {
            id: _,
            app_id: _,
            phone_number_id: _,
            direction: _,
            kind: _,
            from: _,
            to: _,
            text,
            media_id,
            client_reference: _,
            outcome: _,
            status: _,
            queued_at: _,
            sent_at: _,
            delivered_at: _,
            failed_at: _,
            received_at: _,
            error_code: _,
            error_message: _,
            provider: _,
            parts: _,
            price: _,
            created_at: _,
            updated_at: _,
            taken_at: _,
        } = self;
        (*text, *media_id) = (None, None);
    }
}
