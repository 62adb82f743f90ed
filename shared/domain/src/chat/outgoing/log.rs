//! What the log shows of an outgoing message, read from the platform's object of its type.

use serde_json::{Value, json};

use crate::chat::{ChatMessage, ChatMessageType, MessageData};

/// Sets the fields of a message from the object of its type, whose name at the platform is `name`.
pub(super) fn fill(message: &mut ChatMessage, data: &mut MessageData, name: &str, object: &Value) {
    let text = |field: &str| object[field].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let Some(kind) = message.kind.known() else { return };
    match kind {
        ChatMessageType::Text => message.text_body = text("body"),
        ChatMessageType::Image
        | ChatMessageType::Video
        | ChatMessageType::Audio
        | ChatMessageType::Document
        | ChatMessageType::Sticker => {
            message.media_url = text("link");
            message.media_caption = text("caption");
            message.media_filename = text("filename");
            message.is_voice_note = object["voice"].as_bool();
        }
        ChatMessageType::Location => {
            message.location_latitude = degrees(&object["latitude"]);
            message.location_longitude = degrees(&object["longitude"]);
            message.location_name = text("name");
            message.location_address = text("address");
        }
        ChatMessageType::Reaction => {
            message.reaction_emoji = text("emoji");
            message.reaction_message_id = text("message_id");
        }
        ChatMessageType::Contacts => data.contacts_data = Some(object.clone().into()),
        ChatMessageType::Template => data.template_data = Some(object.clone().into()),
        ChatMessageType::Interactive => data.interactive_data = Some(object.clone().into()),
        // Types without fields of their own, as in inbound messages.
        ChatMessageType::Button
        | ChatMessageType::Order
        | ChatMessageType::System
        | ChatMessageType::Pin
        | ChatMessageType::Unknown => data.system_data = Some(json!({"type": name, name: object}).into()),
    }
}

/// Returns degrees as text. A raw message may have a number.
fn degrees(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
