//! Statuses and errors.

use domain::Timestamp;
use domain::chat::status::{Person, StatusError};
use domain::message::reason::Reason;
use serde_json::value::RawValue;

use super::person;
use crate::lenient::Object;

/// Reads an error of the platform. Returns it with the code and text of this API, and the code, words, title and details of
/// the platform.
pub(crate) fn status_error(error: &mut Object<'_>) -> StatusError {
    error.text("href");
    let (title, message) = (error.text("title"), error.text("message"));
    let in_data = error.raw("error_data").and_then(details);
    let details = in_data.or_else(|| error.text("details"));
    let words = [&message, &title, &details].into_iter().flatten().find(|text| !text.is_empty());
    let words = words.map_or("", String::as_str);
    let reason = match error.number("code") {
        Some(code) => Reason::of_platform(code, words),
        None => Reason { provider: None, ..Reason::of_platform(0, words) },
    };
    // Older versions have the details beside the title.
    StatusError { reason, details: details.or_else(|| message.clone()), title: title.or(message) }
}

/// Returns the details of an error's data, which are an object, the JSON of one as a text, or a plain text.
fn details(data: &RawValue) -> Option<String> {
    let of_object = |data: &RawValue| crate::lenient::read(data, |data| data.text("details")).map(|data| data.value);
    if let Some(details) = of_object(data) {
        return details;
    }
    let text: String = serde_json::from_str(data.get()).ok()?;
    let inner = serde_json::from_str::<&RawValue>(&text).ok().and_then(of_object);
    inner.unwrap_or(Some(text)).filter(|details| !details.is_empty())
}

pub(crate) struct Status {
    pub(crate) id: Option<String>,
    pub(crate) status: Option<String>,
    /// The kind of object that the status is about, if it is not a message.
    pub(crate) kind: Option<String>,
    pub(crate) timestamp: Option<Timestamp>,
    pub(crate) recipient: Person,
    /// The group member that the status is about.
    pub(crate) participant: Person,
    /// The platform's id of the group.
    pub(crate) group_id: Option<String>,
    pub(crate) callback_data: Option<String>,
    pub(crate) conversation: Option<Conversation>,
    pub(crate) pricing: Option<Pricing>,
    pub(crate) error: Option<StatusError>,
}

impl Status {
    pub(crate) fn read(status: &mut Object<'_>) -> Self {
        let mut first = |names: [&str; 2]| names.into_iter().find_map(|name| status.id(name));
        // The platform documents both orders of the words.
        let participant = first(["recipient_participant_id", "participant_recipient_id"]);
        let participant_user_id = first(["recipient_participant_user_id", "participant_recipient_user_id"]);
        let participant = person(participant, participant_user_id);

        let is_of_group = status.text("recipient_type").as_deref() == Some("group") || !participant.is_unknown();
        let (recipient, user_id) = (status.id("recipient_id"), status.id("recipient_user_id"));
        let (group_id, recipient) = if is_of_group { (recipient, None) } else { (None, recipient) };

        Status {
            id: status.id("id"),
            status: status.text("status"),
            kind: status.text("type"),
            timestamp: status.time("timestamp"),
            recipient: person(recipient, user_id.filter(|_| !is_of_group)),
            participant,
            group_id: group_id.filter(|_| is_of_group),
            callback_data: status.text("biz_opaque_callback_data"),
            conversation: status.object("conversation", Conversation::read),
            pricing: status.object("pricing", Pricing::read),
            error: status.list("errors", status_error).into_iter().next(),
        }
    }
}

pub(crate) struct Conversation {
    pub(crate) id: Option<String>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) origin_type: Option<String>,
}

impl Conversation {
    fn read(conversation: &mut Object<'_>) -> Self {
        Conversation {
            id: conversation.text("id"),
            expires_at: conversation.time("expiration_timestamp"),
            origin_type: conversation.object("origin", |origin| origin.text("type")).flatten(),
        }
    }
}

pub(crate) struct Pricing {
    pub(crate) billable: Option<bool>,
    pub(crate) pricing_model: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) category: Option<String>,
}

impl Pricing {
    fn read(pricing: &mut Object<'_>) -> Self {
        Pricing {
            billable: pricing.flag("billable"),
            pricing_model: pricing.text("pricing_model"),
            kind: pricing.text("type"),
            category: pricing.text("category"),
        }
    }
}
