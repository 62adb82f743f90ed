//! Outgoing messages: their content, validated when it is made, and what the platform gets.
//!
//! An [`Outgoing`] message names other objects: media, messages, a group, a template. Whoever sends it looks them up
//! ([`Outgoing::media`], [`Outgoing::messages`], [`Content::named_template`]) and passes them as [`Resolved`].

mod checks;
mod components;
mod contact;
mod content;
mod expected;
mod flow;
mod interactive;
mod log;
mod matching;
mod medium;
mod plain;
mod raw;
mod reference;
mod template;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use serde_with::skip_serializing_none;

use self::reference::{Rendering, unresolved};
use crate::Failure;
use crate::chat::{ChatMessage, MessageData};
use crate::media::Media;

pub use contact::{CardAddress, CardEmail, CardName, CardOrganization, CardPhone, CardUrl, ContactCard};
pub use content::{Content, TemplateUse};
pub use flow::{Flow, FlowAction, FlowMode, FlowName};
pub use interactive::{Action, Button, Header, Interactive, Link, List, Row, Section};
pub use matching::KindOf;
pub use medium::Medium;
pub use plain::{Degrees, Location, Pin, PinAction, Reaction, ReactionObject, Text};
pub use reference::{Addressee, MediaUse, MessageRef, MessageUse, Resolved, SentMedium, Source, USER_ID_LENGTH};
pub use template::{
    ButtonParameter, ButtonValue, HeaderParameter, Parameters, ShortParameters, Template,
    check_name as check_template_name,
};

/// The longest reference of a client, in characters.
pub const CLIENT_REFERENCE_LENGTH: usize = 255;

/// A message to send.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outgoing {
    to: Addressee,
    content: Content,
    reply_to: Option<MessageRef>,
    client_reference: Option<String>,
}

/// Validates the caller's own reference.
pub(crate) fn client_reference(reference: String) -> Result<String, Failure> {
    checks::line(&reference, "clientReference", CLIENT_REFERENCE_LENGTH)?;
    Ok(reference)
}

impl Outgoing {
    /// Makes a message to an addressee.
    pub fn new(to: Addressee, content: Content) -> Result<Self, Failure> {
        if content.is_for_groups() && !to.is_group() {
            return Err(Failure::invalid("type", "A message of type pin can be sent to a group only. Use groupId."));
        }
        Ok(Outgoing { to, content, reply_to: None, client_reference: None })
    }

    /// Makes the message a reply to another one.
    pub fn replying_to(self, message: MessageRef) -> Result<Self, Failure> {
        if !self.content.may_reply() {
            let message = "replyTo is not allowed with reactions and pins: they name the message themselves. Omit it.";
            return Err(Failure::invalid("replyTo", message));
        }
        Ok(Outgoing { reply_to: Some(message), ..self })
    }

    /// Adds the caller's own reference.
    pub fn referenced_as(self, reference: String) -> Result<Self, Failure> {
        Ok(Outgoing { client_reference: Some(client_reference(reference)?), ..self })
    }

    pub fn to(&self) -> &Addressee {
        &self.to
    }

    pub fn content(&self) -> &Content {
        &self.content
    }

    pub fn client_reference(&self) -> Option<&str> {
        self.client_reference.as_deref()
    }

    /// Returns the media of ours that the message names.
    pub fn media(&self) -> Vec<MediaUse> {
        self.content.media()
    }

    /// Returns the messages that the message names.
    pub fn messages(&self) -> Vec<MessageUse<'_>> {
        let reply = self.reply_to.as_ref().map(|message| MessageUse { message, param: "replyTo" });
        reply.into_iter().chain(self.content.messages()).collect()
    }

    /// Returns the body of the platform's request, except the callback data. Fails if an object that the message names
    /// is not resolved.
    pub fn body(&self, resolved: &Resolved) -> Result<Map<String, Value>, Failure> {
        let rendering = Rendering { resolved, is_log: false };
        let kind = self.content.platform_type();
        let (recipient_type, field, recipient) = match &self.to {
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
        body.insert(kind.to_owned(), self.content.object(rendering)?);
        if let Some(message) = &self.reply_to {
            body.insert("context".to_owned(), json!({"message_id": rendering.message(message)?}));
        }
        Ok(body)
    }

    /// Sets the fields of a message that the log shows: those of its addressee, its content and its reply. Fails if a
    /// medium of a header is not resolved. [`note_medium`] adds what only the medium's record says.
    pub fn fill(&self, message: &mut ChatMessage, data: &mut MessageData, resolved: &Resolved) -> Result<(), Failure> {
        let rendering = Rendering { resolved, is_log: true };
        match &self.to {
            Addressee::Number(number) => message.to_phone_number = Some(number.clone()),
            Addressee::User(id) => message.to_user_id = Some(id.clone()),
            Addressee::Group(id) => message.group_id = Some(id.to_string()),
        }
        message.reply_to_message_id = self.reply_to.as_ref().map(|reply| rendering.message(reply)).transpose()?;
        self.content.fill(message, data, rendering)
    }
}

/// Sets the fields of a message that describe its medium, except the name that the message itself gives it.
pub fn note_medium(message: &mut ChatMessage, media: &Media) {
    message.media_mime_type = Some(media.mime_type.clone());
    message.media_file_size = Some(media.file_size);
    message.media_filename.get_or_insert_with(|| media.file_name.clone());
}
