//! The body of the operation: the message of the simulated user.

use api::Input;
use domain::chat::outgoing::{ContactCard, Content, Location, MessageRef, ReactionObject, Text};
use domain::media::MediaKind;
use domain::present::present;
use domain::schema::{Line, MessageReference, PlaygroundMessageType};
use domain::testing::playground::MESSAGE_TYPES;
use domain::{E164, ErrorCode, Failure, text};
use inbound::{SimulatedContent, SimulatedReferral};
use runtime::Context;
use serde::Deserialize;
use utoipa::ToSchema;

use super::objects::{ButtonObject, InteractiveObject, MediaObject, OrderObject, SystemObject, TextObject};
use super::{Inbound, Sent};

/// The longest profile name, in characters.
const PROFILE_NAME_LENGTH: usize = 255;

/// The message that a simulated user sends to the app. It has the object of its type, and no other.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "present")])]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimulateInboundChat {
    /// The user's phone number. Any number is allowed; it becomes a playground user of the organization.
    #[schema(value_type = E164)]
    from: String,
    /// A simulated WhatsApp number that is assigned to the app; by default, the one that was created with the app.
    #[schema(value_type = Option<E164>)]
    to: Option<String>,
    /// The name in the user's profile.
    #[schema(inline, value_type = Option<Line<{ PROFILE_NAME_LENGTH }>>)]
    profile_name: Option<String>,
    /// The message that this one replies to: its id in this API (`msg_wa_...`) or at WhatsApp. Not for reactions.
    #[schema(value_type = Option<MessageReference>)]
    reply_to: Option<String>,
    /// Whether the user forwarded the message.
    #[schema(default = false)]
    is_forwarded: Option<bool>,
    referral: Option<SimulatedReferral>,
    /// The type of the message, and the name of the field that contains its object. `unsupported` has none.
    #[schema(value_type = PlaygroundMessageType)]
    #[serde(rename = "type")]
    kind: String,
    text: Option<TextObject>,
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
    button: Option<ButtonObject>,
    interactive: Option<InteractiveObject>,
    order: Option<OrderObject>,
    system: Option<SystemObject>,
}

impl Input for SimulateInboundChat {
    const REQUIRED: &'static [&'static str] = &["from", "type"];
    type Checked = Inbound;

    fn check(mut self, _context: &Context) -> Result<Inbound, Failure> {
        let from = E164::in_field(&self.from, "from")?;
        let to = self.to.take().map(|to| E164::in_field(&to, "to")).transpose()?;
        let name = |name: String| text::bounded(&name, "profileName", PROFILE_NAME_LENGTH);
        let profile_name = self.profile_name.take().map(name).transpose()?;
        let reply_to = self.reply_to.take().map(|reply| MessageRef::in_param(&reply, "replyTo")).transpose()?;
        let referral = self.referral.take().map(SimulatedReferral::checked).transpose()?;
        let is_forwarded = self.is_forwarded.unwrap_or(false);
        if reply_to.is_some() && self.kind == "reaction" {
            let message = "replyTo is not allowed with reactions: they name the message themselves. Omit it.";
            return Err(Failure::invalid("replyTo", message));
        }
        let sent = self.sent(&from)?;
        Ok(Inbound { from, to, profile_name, reply_to, is_forwarded, referral, sent })
    }
}

impl SimulateInboundChat {
    /// Returns the content, whose object is in the field that the type names.
    fn sent(self, from: &E164) -> Result<Sent, Failure> {
        let Some(kind) = MESSAGE_TYPES.into_iter().find(|kind| *kind == self.kind) else {
            let message = format!("type must be one of {}.", MESSAGE_TYPES.join(", "));
            return Err(Failure::of_code(ErrorCode::UnsupportedMessageType, message).with_param("type"));
        };
        let mut own = None;
        for (field, object) in self.objects() {
            if field != kind {
                let message = format!("{field} is not allowed, because type is {kind}. Send it as a separate message.");
                return Err(Failure::invalid(field, message));
            }
            own = Some(object);
        }
        if kind == "unsupported" {
            return Ok(Sent::Other(SimulatedContent::Unsupported));
        }
        let missing = || Failure::missing_with(kind, format!("{kind} is required, because type is {kind}."));
        own.ok_or_else(missing)?.sent(from)
    }

    /// Returns the objects that were sent, with the names of their fields.
    fn objects(self) -> impl Iterator<Item = (&'static str, Object)> {
        let medium = |kind| move |object| Object::Medium(kind, object);
        let objects = [
            ("text", self.text.map(Object::Text)),
            ("image", self.image.map(medium(MediaKind::Image))),
            ("video", self.video.map(medium(MediaKind::Video))),
            ("audio", self.audio.map(medium(MediaKind::Audio))),
            ("document", self.document.map(medium(MediaKind::Document))),
            ("sticker", self.sticker.map(medium(MediaKind::Sticker))),
            ("location", self.location.map(Object::Location)),
            ("contacts", self.contacts.map(Object::Contacts)),
            ("reaction", self.reaction.map(Object::Reaction)),
            ("button", self.button.map(Object::Button)),
            ("interactive", self.interactive.map(Object::Interactive)),
            ("order", self.order.map(Object::Order)),
            ("system", self.system.map(Object::System)),
        ];
        objects.into_iter().filter_map(|(field, object)| Some((field, object?)))
    }
}

/// The object of a message.
enum Object {
    Text(TextObject),
    Medium(MediaKind, MediaObject),
    Location(Location),
    Contacts(Vec<ContactCard>),
    Reaction(ReactionObject),
    Button(ButtonObject),
    Interactive(InteractiveObject),
    Order(OrderObject),
    System(SystemObject),
}

impl Object {
    fn sent(self, from: &E164) -> Result<Sent, Failure> {
        let shared = |content: Content| Ok(Sent::Shared(Box::new(content)));
        match self {
            Object::Text(object) => shared(Content::text(Text { body: object.body, preview_url: None })?),
            Object::Medium(kind, object) => shared(object.content(kind)?),
            Object::Location(location) => shared(Content::location(location)?),
            Object::Contacts(cards) => shared(Content::contacts(cards)?),
            Object::Reaction(object) => shared(Content::reaction(object.reaction()?)?),
            Object::Button(object) => object.content().map(Sent::Other),
            Object::Interactive(object) => object.content().map(Sent::Other),
            Object::Order(object) => object.content().map(Sent::Other),
            Object::System(object) => object.content(from).map(Sent::Other),
        }
    }
}
