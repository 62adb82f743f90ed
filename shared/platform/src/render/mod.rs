//! Outgoing messages in the platform's format. The domain defines their content ([`domain::chat::outgoing`]), and this
//! module the platform's format of it: [`body`] returns the request, and [`fill`] sets the fields of the log, which
//! also contains the platform's objects, but with this API's ids of media and messages. Texts, media, locations,
//! reactions and pins are written here; contact cards, templates, interactive and raw messages in files of their own.
//!
//! Before it sends a message, the caller looks up the objects that the message names ([`media`],
//! [`Outgoing::messages`], [`named_template`]), compares the parameters with the template ([`TemplateUse::check`]), and
//! passes the platform's names of the objects as [`Resolved`].
//!
//! Callers may write two kinds of content in the platform's format themselves. [`raw_content`] and [`template_content`]
//! validate it.

mod components;
mod contact;
mod expected;
mod interactive;
mod matching;
mod matching_own;
mod mismatch;
mod named;
mod raw;
mod resolved;
mod template;

use domain::Failure;
use domain::chat::outgoing::{
    Addressee, Content, ContentKind, Location, Medium, Outgoing, Pin, PinAction, Reaction, Text,
};
use domain::chat::{ChatMessage, ChatMessageType, MessageData};
use serde_json::{Map, Value, json};

use self::resolved::{Rendering, unresolved};

pub use components::{LARGEST_OBJECT, MOST_MEDIA};
pub use matching::KindOf;
pub use named::{TemplateUse, media, named_template};
pub use raw::raw_content;
pub use resolved::{Resolved, SentMedium};
pub use template::template_content;

/// Returns the body of the platform's request, except the callback data. Fails if an object that the message names is
/// not resolved.
pub fn body(message: &Outgoing, resolved: &Resolved) -> Result<Map<String, Value>, Failure> {
    let rendering = Rendering { resolved, is_log: false };
    let kind = type_name(message.content());
    let (recipient_type, field, recipient) = match message.to() {
        // Without `+`, the platform would prepend the country code of the sender's number.
        Addressee::Number(number) => ("individual", "to", number.to_string()),
        Addressee::User(id) => ("individual", "recipient", id.clone()),
        Addressee::Group(_) => ("group", "to", resolved.group.clone().ok_or_else(|| unresolved("group"))?),
    };

    let mut body = Map::new();
    body.insert("messaging_product".to_owned(), json!("whatsapp"));
    body.insert("recipient_type".to_owned(), json!(recipient_type));
    body.insert(field.to_owned(), json!(recipient));
    body.insert("type".to_owned(), json!(kind));
    body.insert(kind.to_owned(), content_object(message.content(), rendering)?);
    if let Some(reply) = message.reply_to() {
        body.insert("context".to_owned(), json!({"message_id": rendering.message(reply)?}));
    }
    Ok(body)
}

/// Sets the fields of a message that the log shows: those of its addressee, its content and its reply. Fails if a
/// medium of a header is not resolved. [`domain::chat::outgoing::note_medium`] adds the fields from the medium's
/// record.
pub fn fill(
    outgoing: &Outgoing,
    message: &mut ChatMessage,
    data: &mut MessageData,
    resolved: &Resolved,
) -> Result<(), Failure> {
    let rendering = Rendering { resolved, is_log: true };
    match outgoing.to() {
        Addressee::Number(number) => message.to_phone_number = Some(number.clone()),
        Addressee::User(id) => message.to_user_id = Some(id.clone()),
        Addressee::Group(id) => message.group_id = Some(id.to_string()),
    }
    message.reply_to_message_id = outgoing.reply_to().map(|reply| rendering.message(reply)).transpose()?;

    let content = outgoing.content();
    message.kind = content.message_type().into();
    fill_content(message, data, type_name(content), &content_object(content, rendering)?);
    Ok(())
}

/// Returns the platform's name of the content's type, and the object of that name. Fails if an object that the content
/// names is not resolved.
pub fn object<'c>(content: &'c Content, resolved: &Resolved) -> Result<(&'c str, Value), Failure> {
    let rendering = Rendering { resolved, is_log: false };
    Ok((type_name(content), content_object(content, rendering)?))
}

/// Returns the platform's name of the content's type.
fn type_name(content: &Content) -> &str {
    match content.kind() {
        ContentKind::Text(_) => "text",
        ContentKind::Medium(medium) => medium.kind.as_str(),
        ContentKind::Location(_) => "location",
        ContentKind::Contacts(_) => "contacts",
        ContentKind::Reaction(_) => "reaction",
        ContentKind::Template(_) => "template",
        ContentKind::Interactive(_) => "interactive",
        ContentKind::Pin(_) => "pin",
        ContentKind::Raw(raw) => &raw.kind,
    }
}

/// Returns the platform's object of the content's type.
fn content_object(content: &Content, rendering: Rendering<'_>) -> Result<Value, Failure> {
    match content.kind() {
        ContentKind::Text(text) => Ok(text_object(text)),
        ContentKind::Medium(medium) => medium_object(medium, rendering),
        ContentKind::Location(location) => Ok(location_object(location)),
        ContentKind::Contacts(cards) => contact::object(cards),
        ContentKind::Reaction(reaction) => reaction_object(reaction, rendering),
        ContentKind::Template(template) => template::object(template, rendering),
        ContentKind::Interactive(interactive) => interactive::object(interactive, rendering),
        ContentKind::Pin(pin) => pin_object(pin, rendering),
        ContentKind::Raw(raw) => raw::object(raw, rendering),
    }
}

fn text_object(text: &Text) -> Value {
    match text.preview_url {
        None => json!({"body": text.body}),
        Some(preview) => json!({"body": text.body, "preview_url": preview}),
    }
}

fn medium_object(medium: &Medium, rendering: Rendering<'_>) -> Result<Value, Failure> {
    let mut object = rendering.medium(&medium.source)?;
    if let Some(caption) = &medium.caption {
        object.insert("caption".to_owned(), json!(caption));
    }
    if let Some(name) = &medium.file_name {
        object.insert("filename".to_owned(), json!(name));
    }
    if medium.is_voice_note == Some(true) {
        object.insert("voice".to_owned(), json!(true));
    }
    Ok(Value::Object(object))
}

/// Returns the object of a location, including one in the header of a template.
fn location_object(location: &Location) -> Value {
    let fields = [
        ("latitude", Some(location.latitude.as_str())),
        ("longitude", Some(location.longitude.as_str())),
        ("name", location.name.as_deref()),
        ("address", location.address.as_deref()),
    ];
    let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?))));
    Value::Object(Map::from_iter(present))
}

fn reaction_object(reaction: &Reaction, rendering: Rendering<'_>) -> Result<Value, Failure> {
    Ok(json!({"message_id": rendering.message(&reaction.message_id)?, "emoji": reaction.emoji}))
}

fn pin_object(pin: &Pin, rendering: Rendering<'_>) -> Result<Value, Failure> {
    let kind = match pin.action {
        PinAction::Pin => "pin",
        PinAction::Unpin => "unpin",
    };
    let mut object = json!({"type": kind, "message_id": rendering.message(&pin.message_id)?});
    if let Some(days) = pin.expiration_days {
        object["expiration_days"] = json!(days);
    }
    Ok(object)
}

/// Sets the fields of a message from the object of its type, whose name at the platform is `name`.
fn fill_content(message: &mut ChatMessage, data: &mut MessageData, name: &str, object: &Value) {
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

/// Returns degrees as text. A raw message can have them as a number.
fn degrees(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
