//! The body of `POST /v1/chat/messages`.

use std::time::Duration;

use api::Input;
use domain::chat::outgoing::{
    Addressee, CLIENT_REFERENCE_LENGTH, ContactCard, Content, Location, MessageRef, Outgoing, ReactionObject, Text,
};
use domain::id::{ChatGroupId, ChatPhoneNumberId, Identifier as _};
use domain::media::MediaKind;
use domain::message::{LONGEST_WAIT, SHORTEST_WAIT};
use domain::present::present;
use domain::schema::{JsonObject, Line, MessageReference, PlatformUserId};
use domain::{E164, ErrorCode, Failure};
use platform::render::raw_content;
use runtime::Context;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::interactive::InteractiveObject;
use super::interactive_schema::SendInteractive;
use super::objects::{MediaObject, PinObject};
use super::template::TemplateObject;

/// Removes the object of one type from a body, and returns it.
type Take = fn(&mut Fields) -> Option<Object>;

/// The types of messages, which are also the names of their objects, each with the function that takes the object from
/// a body.
pub(super) const TYPES: [(&str, Take); 13] = [
    ("text", |fields| fields.text.take().map(Object::Text)),
    ("image", |fields| fields.image.take().map(|image| Object::Medium(MediaKind::Image, image))),
    ("video", |fields| fields.video.take().map(|video| Object::Medium(MediaKind::Video, video))),
    ("audio", |fields| fields.audio.take().map(|audio| Object::Medium(MediaKind::Audio, audio))),
    ("document", |fields| fields.document.take().map(|document| Object::Medium(MediaKind::Document, document))),
    ("sticker", |fields| fields.sticker.take().map(|sticker| Object::Medium(MediaKind::Sticker, sticker))),
    ("location", |fields| fields.location.take().map(Object::Location)),
    ("contacts", |fields| fields.contacts.take().map(Object::Contacts)),
    ("reaction", |fields| fields.reaction.take().map(Object::Reaction)),
    ("template", |fields| fields.template.take().map(|template| Object::Template(Box::new(template)))),
    ("interactive", |fields| fields.interactive.take().map(|interactive| Object::Interactive(Box::new(interactive)))),
    ("pin", |fields| fields.pin.take().map(Object::Pin)),
    ("raw", |fields| fields.raw.take().map(Object::Raw)),
];

/// How long a queued message may wait, in seconds.
const VALID_FOR: std::ops::RangeInclusive<u64> = SHORTEST_WAIT.as_secs()..=LONGEST_WAIT.as_secs();
const DEFAULT_VALID_FOR: Duration = LONGEST_WAIT;

/// The number that sends a message, as the caller names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sender {
    Id(ChatPhoneNumberId),
    Number(E164),
}

/// The validated body of the operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Sending {
    pub from: Sender,
    pub message: Outgoing,
    /// How long the message may wait in the queue; `None` to send it at once.
    pub queued_for: Option<Duration>,
}

/// The message to send.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fields {
    /// The sender: a WhatsApp number that is assigned to the app, in E.164 format or by its id.
    #[schema(pattern = r"^(\+[1-9][0-9]{6,14}|wapn_(?:test_)?[a-zA-Z0-9]{27})$", example = "+12015550123")]
    from: String,
    /// The recipient's phone number. Exactly one of `to`, `toUserId` and `groupId` is required.
    #[schema(value_type = Option<E164>)]
    to: Option<String>,
    /// The recipient's WhatsApp user id, as messages and webhook events contain it.
    #[schema(value_type = Option<PlatformUserId>)]
    to_user_id: Option<String>,
    /// An active group of the number.
    #[schema(value_type = Option<ChatGroupId>)]
    group_id: Option<String>,
    /// The type of the message, and the name of the field that contains its object.
    #[serde(rename = "type")]
    kind: String,
    /// The message that this one replies to: its id in this API (`msg_wa_...`) or at WhatsApp. Not for reactions and
    /// pins.
    #[schema(value_type = Option<MessageReference>)]
    reply_to: Option<String>,
    /// Your own reference. It is stored, returned, contained in events, and a filter of message lists. It need not be
    /// unique.
    #[schema(inline, value_type = Option<Line<{ CLIENT_REFERENCE_LENGTH }>>)]
    client_reference: Option<String>,
    /// Whether to store the message and send it later, at a rate that WhatsApp accepts. The response is 202.
    #[schema(default = false)]
    queue: Option<bool>,
    /// How long the message may wait in the queue, in seconds; 24 hours by default. After that, it is `EXPIRED` and is
    /// not sent. Only with `queue`.
    #[schema(minimum = 30, maximum = 86400)]
    valid_for_seconds: Option<i64>,
    text: Option<Text>,
    image: Option<MediaObject>,
    video: Option<MediaObject>,
    audio: Option<MediaObject>,
    document: Option<MediaObject>,
    sticker: Option<MediaObject>,
    location: Option<Location>,
    /// Contact cards.
    #[schema(min_items = 1, max_items = 20)]
    contacts: Option<Vec<ContactCard>>,
    reaction: Option<ReactionObject>,
    template: Option<TemplateObject>,
    #[schema(value_type = Option<SendInteractive>)]
    interactive: Option<InteractiveObject>,
    pin: Option<PinObject>,
    /// A message of a type that this API does not have, or has with fewer options: exactly `type` and the object of
    /// that name, as WhatsApp documents them, at most 64 KiB. Media must be links, except those of templates.
    #[schema(value_type = Option<JsonObject>)]
    raw: Option<Map<String, Value>>,
}

/// The body of the operation: [`Fields`], of whose objects it has exactly the one of its type.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct SendChatMessage(Fields);

impl Input for SendChatMessage {
    const REQUIRED: &'static [&'static str] = &["from", "type"];
    type Checked = Sending;

    fn check(self, _context: &Context) -> Result<Sending, Failure> {
        self.checked()
    }
}

impl SendChatMessage {
    /// Validates the body. The failure names the first wrong parameter.
    pub fn checked(self) -> Result<Sending, Failure> {
        self.0.checked()
    }
}

impl Fields {
    fn checked(mut self) -> Result<Sending, Failure> {
        let from = sender(&self.from)?;
        let to = self.addressee()?;
        let queued_for = queued_for(self.queue, self.valid_for_seconds)?;
        let (reply_to, reference) = (self.reply_to.take(), self.client_reference.take());
        let mut message = Outgoing::new(to, self.content()?)?;
        if let Some(reply_to) = reply_to {
            message = message.replying_to(MessageRef::in_param(&reply_to, "replyTo")?)?;
        }
        if let Some(reference) = reference {
            message = message.referenced_as(reference)?;
        }
        Ok(Sending { from, message, queued_for })
    }

    fn addressee(&self) -> Result<Addressee, Failure> {
        match (&self.to, &self.to_user_id, &self.group_id) {
            (Some(to), None, None) => E164::in_field(to, "to").map(Addressee::Number),
            (None, Some(id), None) => Addressee::user(id, "toUserId"),
            (None, None, Some(id)) => ChatGroupId::in_param(id, "groupId").map(Addressee::Group),
            (None, None, None) => {
                Err(Failure::missing_with("to", "to is required: a phone number. Or use toUserId or groupId instead."))
            }
            (_, _, group) => {
                let param = if group.is_some() { "groupId" } else { "toUserId" };
                Err(Failure::invalid(param, "A message has one recipient. Use only one of to, toUserId and groupId."))
            }
        }
    }

    /// Returns the content, whose object is in the field that the type names.
    fn content(mut self) -> Result<Content, Failure> {
        let Some((kind, _)) = TYPES.into_iter().find(|(kind, _)| *kind == self.kind) else {
            let types = TYPES.map(|(kind, _)| kind).join(", ");
            let message = format!("type must be one of {types}. For other types of WhatsApp, use raw.");
            return Err(Failure::of_code(ErrorCode::UnsupportedMessageType, message).with_param("type"));
        };

        let mut own = None;
        for (field, take) in TYPES {
            let Some(object) = take(&mut self) else { continue };
            if field != kind {
                let message = format!("{field} is not allowed, because type is {kind}. Send it as a separate message.");
                return Err(Failure::invalid(field, message));
            }
            own = Some(object);
        }

        let missing = || Failure::missing_with(kind, format!("{kind} is required, because type is {kind}."));
        own.ok_or_else(missing)?.content()
    }
}

/// The object of a message.
pub(super) enum Object {
    Text(Text),
    Medium(MediaKind, MediaObject),
    Location(Location),
    Contacts(Vec<ContactCard>),
    Reaction(ReactionObject),
    Template(Box<TemplateObject>),
    Interactive(Box<InteractiveObject>),
    Pin(PinObject),
    Raw(Map<String, Value>),
}

impl Object {
    fn content(self) -> Result<Content, Failure> {
        match self {
            Object::Text(text) => Content::text(text),
            Object::Medium(kind, object) => object.content(kind),
            Object::Location(location) => Content::location(location),
            Object::Contacts(cards) => Content::contacts(cards),
            Object::Reaction(object) => Content::reaction(object.reaction()?),
            Object::Template(object) => object.content(),
            Object::Interactive(object) => object.content(),
            Object::Pin(object) => object.content(),
            Object::Raw(fields) => raw_content(fields),
        }
    }
}

/// Parses the sender: the id of a chat phone number, or its number.
fn sender(from: &str) -> Result<Sender, Failure> {
    if from.starts_with(ChatPhoneNumberId::PREFIX) {
        return ChatPhoneNumberId::in_param(from, "from").map(Sender::Id);
    }
    E164::in_field(from, "from").map(Sender::Number)
}

/// Parses how long a message may wait in the queue; `None` if it is to be sent at once.
pub(crate) fn queued_for(queue: Option<bool>, valid_for_seconds: Option<i64>) -> Result<Option<Duration>, Failure> {
    let param = "validForSeconds";
    match (queue.unwrap_or(false), valid_for_seconds) {
        (false, None) => Ok(None),
        (false, Some(_)) => {
            Err(Failure::invalid(param, "validForSeconds is for queued messages only. Set queue to true, or omit it."))
        }
        (true, None) => Ok(Some(DEFAULT_VALID_FOR)),
        (true, Some(seconds)) => {
            let valid = u64::try_from(seconds).ok().filter(|seconds| VALID_FOR.contains(seconds));
            let refuse = || {
                let (least, most) = (*VALID_FOR.start(), *VALID_FOR.end());
                Failure::invalid(param, format!("validForSeconds must be from {least} to {most}."))
            };
            valid.map(|seconds| Some(Duration::from_secs(seconds))).ok_or_else(refuse)
        }
    }
}
