//! The messages that apps send: their content, which is validated on construction, and the objects that they refer to.
//!
//! A request becomes a [`Content`], each of whose constructors validates one kind, and an [`Outgoing`], which adds the
//! addressee, the message that it replies to and the caller's own reference. So an `Outgoing` is never validated again,
//! and one that waits in the queue is stored as it is.
//!
//! A message names media ([`MediaUse`]), messages ([`MessageUse`]), a group and a template. The code that sends the
//! message looks them up. Nothing here is in the platform's format: `platform::render` writes messages in it, and
//! validates the content that callers send in it, namely raw messages and the components of templates.

pub mod card;
mod checks;
pub mod contact;
pub mod flow;
pub mod interactive;
mod location;
pub mod medium;
pub mod products;
mod raw;
pub mod reaction;
mod reference;
pub mod template;
mod template_values;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use self::reference::is_platform_id;
use crate::chat::{ChatMessageType, TEXT_LENGTH};
use crate::id::ChatGroupId;
use crate::media::MediaKind;
use crate::present::present;
use crate::schema::Lines;
use crate::{E164, Failure};

pub use card::{CardHeader, CardParameters};
pub use checks::CLIENT_REFERENCE_LENGTH;
pub(crate) use checks::client_reference;
pub use contact::{CardAddress, CardEmail, CardName, CardOrganization, CardPhone, CardUrl, ContactCard};
pub use flow::{Flow, FlowAction, FlowMode, FlowName};
pub use interactive::{Action, Button, Header, Interactive, Link, List, Row, Section};
pub use location::{Degrees, Location};
pub use medium::{Medium, note_medium};
pub use products::{Product, ProductList, ProductSection};
pub use raw::Raw;
pub use reaction::{Pin, PinAction, Reaction, ReactionObject};
pub use reference::{MediaUse, MessageRef, MessageUse, PLATFORM_ID_LENGTH, Source};
pub use template::{
    ButtonParameter, ButtonValue, HeaderParameter, OfferParameter, Parameters, ShortParameters, Template,
    check_language as check_template_language, check_name as check_template_name,
};

/// The longest user id of the platform, in characters.
pub const USER_ID_LENGTH: usize = 255;

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

/// The addressee of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Addressee {
    Number(E164),
    /// The platform's id of a user who does not share a phone number.
    User(String),
    Group(ChatGroupId),
}

/// The content of an outgoing message. It is validated on construction; stored content was valid when it was
/// constructed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Content(ContentKind);

/// The kinds of content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ContentKind {
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

/// A text.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")])]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SendText)]
pub struct Text {
    #[schema(inline, value_type = Lines<{ TEXT_LENGTH }>)]
    pub body: String,
    /// Whether the chat client shows a preview of the first URL.
    pub preview_url: Option<bool>,
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

    /// Returns the message that this one replies to.
    pub fn reply_to(&self) -> Option<&MessageRef> {
        self.reply_to.as_ref()
    }

    pub fn client_reference(&self) -> Option<&str> {
        self.client_reference.as_deref()
    }

    /// Returns the messages that the message names.
    pub fn messages(&self) -> Vec<MessageUse<'_>> {
        let reply = self.reply_to().map(|message| MessageUse { message, param: "replyTo" });
        reply.into_iter().chain(self.content.messages()).collect()
    }
}

impl Addressee {
    /// Parses the platform's user id in `param`.
    pub fn user(id: &str, param: &str) -> Result<Self, Failure> {
        if is_platform_id(id, USER_ID_LENGTH) {
            return Ok(Addressee::User(id.to_owned()));
        }
        let message = format!("{param} must be the user id that a message or webhook event contains.");
        Err(Failure::invalid(param, message))
    }

    pub fn is_group(&self) -> bool {
        matches!(self, Addressee::Group(_))
    }
}

impl Content {
    pub fn text(text: Text) -> Result<Self, Failure> {
        text.check("text")?;
        Ok(Content(ContentKind::Text(text)))
    }

    /// Makes a message of a medium, whose path is the name of its kind.
    pub fn medium(medium: Medium) -> Result<Self, Failure> {
        medium.check()?;
        Ok(Content(ContentKind::Medium(medium)))
    }

    pub fn location(location: Location) -> Result<Self, Failure> {
        location.check("location")?;
        Ok(Content(ContentKind::Location(location)))
    }

    pub fn contacts(cards: Vec<ContactCard>) -> Result<Self, Failure> {
        contact::check(&cards, "contacts")?;
        Ok(Content(ContentKind::Contacts(cards)))
    }

    pub fn reaction(reaction: Reaction) -> Result<Self, Failure> {
        reaction.check("reaction")?;
        Ok(Content(ContentKind::Reaction(reaction)))
    }

    /// Makes a template message. Components in the platform's own form are not validated here: use
    /// `platform::render::template_content`, which calls this.
    pub fn template(template: Template) -> Result<Self, Failure> {
        template.check("template")?;
        Ok(Content(ContentKind::Template(template)))
    }

    pub fn interactive(interactive: Interactive) -> Result<Self, Failure> {
        interactive.check("interactive")?;
        Ok(Content(ContentKind::Interactive(interactive)))
    }

    pub fn pin(pin: Pin) -> Result<Self, Failure> {
        pin.check("pin")?;
        Ok(Content(ContentKind::Pin(pin)))
    }

    /// Makes a message of the platform's own format, which is not validated here: use `platform::render::raw_content`,
    /// which calls this.
    pub fn raw(raw: Raw) -> Self {
        Content(ContentKind::Raw(raw))
    }

    pub fn kind(&self) -> &ContentKind {
        &self.0
    }

    /// Returns the type that the log shows.
    pub fn message_type(&self) -> ChatMessageType {
        match &self.0 {
            ContentKind::Text(_) => ChatMessageType::Text,
            ContentKind::Medium(medium) => match medium.kind {
                MediaKind::Image => ChatMessageType::Image,
                MediaKind::Video => ChatMessageType::Video,
                MediaKind::Audio => ChatMessageType::Audio,
                MediaKind::Document => ChatMessageType::Document,
                MediaKind::Sticker => ChatMessageType::Sticker,
            },
            ContentKind::Location(_) => ChatMessageType::Location,
            ContentKind::Contacts(_) => ChatMessageType::Contacts,
            ContentKind::Reaction(_) => ChatMessageType::Reaction,
            ContentKind::Template(_) => ChatMessageType::Template,
            ContentKind::Interactive(_) => ChatMessageType::Interactive,
            ContentKind::Pin(_) => ChatMessageType::Pin,
            ContentKind::Raw(raw) => raw.message_type(),
        }
    }

    /// Returns the messages that the content names.
    pub fn messages(&self) -> Vec<MessageUse<'_>> {
        match &self.0 {
            ContentKind::Reaction(reaction) => {
                vec![MessageUse { message: &reaction.message_id, param: "reaction.messageId" }]
            }
            ContentKind::Pin(pin) => vec![MessageUse { message: &pin.message_id, param: "pin.messageId" }],
            _ => Vec::new(),
        }
    }

    /// Returns whether the message can be a reply. A reaction or a pin names its message itself.
    pub fn may_reply(&self) -> bool {
        !matches!(self.message_type(), ChatMessageType::Reaction | ChatMessageType::Pin)
    }

    /// Returns whether the message can be sent to groups only.
    pub fn is_for_groups(&self) -> bool {
        matches!(self.0, ContentKind::Pin(_))
    }
}

impl Text {
    fn check(&self, at: &str) -> Result<(), Failure> {
        checks::lines(&self.body, &format!("{at}.body"), TEXT_LENGTH)
    }
}
