//! The platform's messages and statuses, read leniently: fields that cannot be read are absent.

mod content;
mod status;

use domain::chat::status::{Person, StatusError};
use domain::{E164, Failure, Timestamp};
use serde_json::value::RawValue;

use crate::lenient::{Object, bounded_id};

pub(crate) use content::{Button, Context, Location, Medium, Order, ProductItem, Reaction, Referral};
pub(crate) use status::{Status, status_error};

/// The objects with media, by the types of their messages.
const MEDIA: [&str; 6] = ["image", "video", "audio", "voice", "document", "sticker"];

/// The objects that show the type of a message without a `type`.
const TYPED: [&str; 16] = [
    "text",
    "image",
    "video",
    "audio",
    "voice",
    "document",
    "sticker",
    "location",
    "contacts",
    "interactive",
    "button",
    "reaction",
    "order",
    "system",
    "template",
    "pin",
];

pub(crate) struct Message<'a> {
    pub(crate) id: Option<String>,
    pub(crate) timestamp: Option<Timestamp>,
    pub(crate) kind: String,
    pub(crate) from: Option<String>,
    pub(crate) from_user_id: Option<String>,
    /// The recipient of an echo.
    pub(crate) to: Option<String>,
    pub(crate) to_user_id: Option<String>,
    pub(crate) group_id: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) medium: Option<Medium>,
    pub(crate) location: Option<Location>,
    pub(crate) contacts: Option<&'a RawValue>,
    pub(crate) template: Option<&'a RawValue>,
    pub(crate) interactive: Option<&'a RawValue>,
    pub(crate) system: Option<&'a RawValue>,
    pub(crate) button: Option<Button>,
    pub(crate) reaction: Option<Reaction>,
    pub(crate) order: Option<Order>,
    pub(crate) context: Option<Context<'a>>,
    pub(crate) referral: Option<Referral>,
    pub(crate) error: Option<StatusError>,
    pub(crate) revision: Option<Revision>,
}

impl<'a> Message<'a> {
    pub(crate) fn read(message: &mut Object<'a>) -> Self {
        let kind = message.text("type");
        let kind = kind.or_else(|| TYPED.into_iter().find(|name| message.has(name)).map(str::to_owned));
        let kind = kind.unwrap_or_default();
        let own_medium = match kind.as_str() {
            "audio" | "voice" => &["audio", "voice"],
            kind => MEDIA.iter().position(|name| *name == kind).map_or(&MEDIA[..], |at| &MEDIA[at..=at]),
        };
        Message {
            id: message.id("id"),
            timestamp: message.time("timestamp"),
            from: message.id("from"),
            from_user_id: message.id("from_user_id"),
            to: message.id("to"),
            to_user_id: message.id("to_user_id"),
            group_id: message.id("group_id"),
            text: message.object("text", |text| text.text("body")).flatten(),
            medium: own_medium.iter().find_map(|name| message.object(name, Medium::read)),
            location: message.object("location", Location::read),
            contacts: message.raw("contacts"),
            template: message.raw("template"),
            interactive: message.raw("interactive"),
            system: message.raw("system"),
            button: message.object("button", Button::read),
            reaction: message.object("reaction", Reaction::read),
            order: message.object("order", Order::read),
            context: message.object("context", Context::read),
            referral: message.object("referral", Referral::read),
            error: message.list("errors", status_error).into_iter().next(),
            revision: message.object("edit", Revision::edit).or_else(|| message.object("revoke", Revision::revocation)),
            kind,
        }
    }

    /// Returns the sender, completed by the contact of the notification.
    pub(crate) fn sender(&self, introduced: &Sender) -> Person {
        let own = person(self.from.clone(), self.from_user_id.clone());
        let contact = introduced.person();
        Person { phone_number: own.phone_number.or(contact.phone_number), user_id: own.user_id.or(contact.user_id) }
    }

    pub(crate) fn is_revocation(&self) -> bool {
        self.revision.as_ref().is_some_and(|revision| revision.is_revocation)
    }

    pub(crate) fn recipient(&self) -> Person {
        person(self.to.clone(), self.to_user_id.clone())
    }
}

/// A message about another message of the same sender, which it edits or revokes.
pub(crate) struct Revision {
    pub(crate) original_id: Option<String>,
    pub(crate) is_revocation: bool,
    pub(crate) text: Option<String>,
    pub(crate) caption: Option<String>,
}

impl Revision {
    fn edit(edit: &mut Object<'_>) -> Self {
        let content = edit.object("message", |message| {
            let text = message.object("text", |text| text.text("body")).flatten();
            let caption = |medium: &mut Object<'_>| medium.text("caption");
            (text, MEDIA.into_iter().find_map(|name| message.object(name, caption)).flatten())
        });
        let (text, caption) = content.unwrap_or_default();
        Revision { original_id: edit.id("original_message_id"), is_revocation: false, text, caption }
    }

    fn revocation(revoke: &mut Object<'_>) -> Self {
        Revision { original_id: revoke.id("original_message_id"), is_revocation: true, text: None, caption: None }
    }
}

/// A contact from a notification's `contacts`.
#[derive(Default)]
pub(crate) struct Sender {
    pub(crate) wa_id: Option<String>,
    pub(crate) user_id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) username: Option<String>,
}

impl Sender {
    pub(crate) fn person(&self) -> Person {
        person(self.wa_id.clone(), self.user_id.clone())
    }

    pub(crate) fn read(sender: &mut Object<'_>) -> Self {
        let profile = sender.object("profile", |profile| (profile.text("name"), profile.text("username")));
        let (name, username) = profile.unwrap_or_default();
        Sender {
            wa_id: sender.id("wa_id"),
            user_id: sender.id("user_id"),
            name,
            username: username.or_else(|| sender.text("username")),
        }
    }
}

/// Returns a person for the platform's digits and user id. Digits that are no phone number are a user id.
pub(crate) fn person(digits: Option<String>, user_id: Option<String>) -> Person {
    let phone_number = phone(digits.as_deref());
    let user_id = user_id.or(digits.filter(|_| phone_number.is_none()).map(bounded_id));
    Person { phone_number, user_id }
}

/// Returns the phone number for the platform's digits, or `None` for the id of a user who does not share a number.
pub(crate) fn phone(digits: Option<&str>) -> Option<E164> {
    digits.and_then(E164::from_digits_in)
}

/// Returns the failure for an update that can never be applied. Its job ends in the dead-letter queue, where an
/// operator can inspect it.
pub(crate) fn unreadable(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    Failure::permanent(why)
}
