//! The content of an outgoing message, validated when it is made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::components;
use super::contact::{self, ContactCard};
use super::interactive::Interactive;
use super::log;
use super::matching::{self, KindOf};
use super::medium::Medium;
use super::plain::{Location, Pin, Reaction, Text};
use super::raw::{Raw, TEMPLATE_PATH};
use super::reference::{MediaUse, MessageUse, Rendering, Resolved};
use super::template::{Parameters, Template};
use crate::Failure;
use crate::chat::{ChatMessage, ChatMessageType, MessageData};
use crate::media::MediaKind;

/// The content of an outgoing message. It can only be made valid; what is stored was valid when it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Content(Kind);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Text(Text),
    Medium(Medium),
    Location(Location),
    Contacts(Vec<ContactCard>),
    Reaction(Reaction),
    Template(Template),
    Interactive(Interactive),
    Pin(Pin),
    Raw(Raw),
}

/// The template that a message names, and the path of its object.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateUse {
    template: Template,
    at: &'static str,
}

impl TemplateUse {
    pub fn name(&self) -> &str {
        &self.template.name
    }

    pub fn language(&self) -> &str {
        &self.template.language
    }

    /// Returns the path of the template's name.
    pub fn name_param(&self) -> String {
        format!("{}.name", self.at)
    }

    /// Compares the parameters with the stored components of the template: number, names, format of the header, and
    /// buttons. `kind_of` returns the kinds of the media that the message names.
    pub fn check(&self, components: &Value, kind_of: KindOf<'_>) -> Result<(), Failure> {
        matching::check(&self.template.parameters, self.at, components, kind_of)
    }
}

impl Content {
    pub fn text(text: Text) -> Result<Self, Failure> {
        text.check("text")?;
        Ok(Content(Kind::Text(text)))
    }

    /// Makes a message of a medium, whose path is the name of its kind.
    pub fn medium(medium: Medium) -> Result<Self, Failure> {
        medium.check()?;
        Ok(Content(Kind::Medium(medium)))
    }

    pub fn location(location: Location) -> Result<Self, Failure> {
        location.check("location")?;
        Ok(Content(Kind::Location(location)))
    }

    pub fn contacts(cards: Vec<ContactCard>) -> Result<Self, Failure> {
        contact::check(&cards, "contacts")?;
        Ok(Content(Kind::Contacts(cards)))
    }

    pub fn reaction(reaction: Reaction) -> Result<Self, Failure> {
        reaction.check("reaction")?;
        Ok(Content(Kind::Reaction(reaction)))
    }

    pub fn template(template: Template) -> Result<Self, Failure> {
        template.check("template")?;
        Ok(Content(Kind::Template(template)))
    }

    pub fn interactive(interactive: Interactive) -> Result<Self, Failure> {
        interactive.check("interactive")?;
        Ok(Content(Kind::Interactive(interactive)))
    }

    pub fn pin(pin: Pin) -> Result<Self, Failure> {
        pin.check("pin")?;
        Ok(Content(Kind::Pin(pin)))
    }

    /// Makes a message of the platform's own format: exactly `type`, and the object of that name.
    pub fn raw(fields: Map<String, Value>) -> Result<Self, Failure> {
        Ok(Content(Kind::Raw(Raw::new(fields)?)))
    }

    /// Returns the type that the log shows.
    pub fn message_type(&self) -> ChatMessageType {
        match &self.0 {
            Kind::Text(_) => ChatMessageType::Text,
            Kind::Medium(medium) => match medium.kind {
                MediaKind::Image => ChatMessageType::Image,
                MediaKind::Video => ChatMessageType::Video,
                MediaKind::Audio => ChatMessageType::Audio,
                MediaKind::Document => ChatMessageType::Document,
                MediaKind::Sticker => ChatMessageType::Sticker,
            },
            Kind::Location(_) => ChatMessageType::Location,
            Kind::Contacts(_) => ChatMessageType::Contacts,
            Kind::Reaction(_) => ChatMessageType::Reaction,
            Kind::Template(_) => ChatMessageType::Template,
            Kind::Interactive(_) => ChatMessageType::Interactive,
            Kind::Pin(_) => ChatMessageType::Pin,
            Kind::Raw(raw) => raw.message_type(),
        }
    }

    /// Returns the platform's name of the type.
    pub(super) fn platform_type(&self) -> &str {
        match &self.0 {
            Kind::Text(_) => "text",
            Kind::Medium(medium) => medium.kind.as_str(),
            Kind::Location(_) => "location",
            Kind::Contacts(_) => "contacts",
            Kind::Reaction(_) => "reaction",
            Kind::Template(_) => "template",
            Kind::Interactive(_) => "interactive",
            Kind::Pin(_) => "pin",
            Kind::Raw(raw) => &raw.kind,
        }
    }

    /// Returns the media of ours that the message names.
    pub fn media(&self) -> Vec<MediaUse> {
        match &self.0 {
            Kind::Medium(medium) => medium.media_use().into_iter().collect(),
            Kind::Interactive(interactive) => interactive.media_use("interactive").into_iter().collect(),
            Kind::Template(_) | Kind::Raw(_) => self.named_template().iter().flat_map(TemplateUse::media).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the messages that the content names.
    pub fn messages(&self) -> Vec<MessageUse<'_>> {
        match &self.0 {
            Kind::Reaction(reaction) => vec![MessageUse { message: &reaction.message_id, param: "reaction.messageId" }],
            Kind::Pin(pin) => vec![MessageUse { message: &pin.message_id, param: "pin.messageId" }],
            _ => Vec::new(),
        }
    }

    /// Returns the template that the message names, also that of a raw message.
    pub fn named_template(&self) -> Option<TemplateUse> {
        match &self.0 {
            Kind::Template(template) => Some(TemplateUse { template: template.clone(), at: "template" }),
            Kind::Raw(raw) => raw.template().map(|template| TemplateUse { template, at: TEMPLATE_PATH }),
            _ => None,
        }
    }

    /// Returns whether the message can be a reply. A reaction or a pin names its message itself.
    pub fn may_reply(&self) -> bool {
        !matches!(self.message_type(), ChatMessageType::Reaction | ChatMessageType::Pin)
    }

    /// Returns whether the message can be sent to groups only.
    pub fn is_for_groups(&self) -> bool {
        matches!(self.0, Kind::Pin(_))
    }

    /// Returns the platform's name of the type and its object. Fails if an object that the content names is not
    /// resolved.
    pub fn platform_object(&self, resolved: &Resolved) -> Result<(&str, Value), Failure> {
        Ok((self.platform_type(), self.object(Rendering { resolved, is_log: false })?))
    }

    /// Returns the platform's object of the type.
    pub(super) fn object(&self, rendering: Rendering<'_>) -> Result<Value, Failure> {
        match &self.0 {
            Kind::Text(text) => Ok(text.object()),
            Kind::Medium(medium) => medium.object(rendering),
            Kind::Location(location) => Ok(location.object()),
            Kind::Contacts(cards) => contact::object(cards),
            Kind::Reaction(reaction) => reaction.object(rendering),
            Kind::Template(template) => template.object(rendering),
            Kind::Interactive(interactive) => interactive.object(rendering),
            Kind::Pin(pin) => pin.object(rendering),
            Kind::Raw(raw) => raw.object(rendering),
        }
    }

    /// Sets the fields that the log shows.
    pub(super) fn fill(
        &self,
        message: &mut ChatMessage,
        data: &mut MessageData,
        rendering: Rendering<'_>,
    ) -> Result<(), Failure> {
        message.kind = self.message_type().into();
        log::fill(message, data, self.platform_type(), &self.object(rendering)?);
        Ok(())
    }
}

impl TemplateUse {
    fn media(&self) -> Vec<MediaUse> {
        match &self.template.parameters {
            Parameters::Short(short) => short.media_use(self.at).into_iter().collect(),
            Parameters::Components(all) => components::media_uses(all, &format!("{}.components", self.at)),
        }
    }
}
