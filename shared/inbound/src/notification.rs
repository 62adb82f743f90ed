//! Splits a notification, which is one POST of the platform, into updates.

use domain::Timestamp;
use platform::fields::{ACCOUNT_FIELDS, HISTORY_FIELD, NUMBER_FIELDS};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::history::Imported;
use crate::lenient::{self, Object};
use crate::size::{LARGEST_BODY, LARGEST_CONTACT, cut};
use crate::text::repaired;

/// One update from the platform, with its JSON as it was sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    /// The id of the WhatsApp Business Account (WABA): `entry.id`, or the account that the update itself names.
    pub account: String,
    /// The platform's id of the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The time of the notification in seconds since 1970, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    pub field: String,
    pub part: Part,
    pub body: Box<RawValue>,
    /// The sender of a message, or the user of a preference, from the notification's `contacts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<Box<RawValue>>,
    /// Whether parts of the update were cut because it was too large.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_truncated: bool,
    /// Set if the update is a message of a history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Imported>,
}

/// The kind of value in the `body` of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    Message,
    Status,
    Echo,
    Contact,
    /// A change of a user's id.
    UserId,
    /// A user's choice about marketing messages.
    Preference,
    Group,
    /// How much of a history was sent, or why none was.
    History,
    /// An error that concerns no single message.
    Error,
    /// The whole value of the field.
    Value,
    /// A known field whose value could not be parsed.
    Unreadable,
}

/// The error for a signed body that is not a notification.
#[derive(Debug, thiserror::Error)]
#[error("the notification cannot be read: {0}")]
pub struct Malformed(&'static str);

/// The lists of a number's value, with the kind of their elements.
const LISTS: [(&str, Part); 8] = [
    ("messages", Part::Message),
    ("statuses", Part::Status),
    ("message_echoes", Part::Echo),
    ("state_sync", Part::Contact),
    ("user_id_update", Part::UserId),
    ("user_preferences", Part::Preference),
    ("groups", Part::Group),
    ("errors", Part::Error),
];

/// The content of a notification.
#[derive(Default)]
pub struct Split {
    pub updates: Vec<Update>,
    /// The names of fields that this API does not use.
    pub others: Vec<String>,
    /// The number of entries and changes that could not be parsed.
    pub malformed: usize,
    /// The paths of the lists that could not be read, within their values.
    pub unreadable: Vec<String>,
}

/// Splits a notification. A malformed entry is counted and does not affect the others.
pub fn split(body: &[u8]) -> Result<Split, Malformed> {
    let body = repaired(body);
    let notification: &RawValue = serde_json::from_str(&body).map_err(|_| Malformed("it is not JSON"))?;
    let entries = lenient::fields(notification).ok_or(Malformed("it is not an object"))?;
    let is_list = entries.iter().any(|(name, value)| name == "entry" && value.get().starts_with(['[', '{']));
    if !is_list {
        return Err(Malformed("it has no list of entries"));
    }
    let entries = lenient::read(notification, |notification| notification.raw_list("entry"));
    let mut split = Split::default();
    for entry in entries.into_iter().flat_map(|reading| reading.value) {
        split.add_entry(entry);
    }
    Ok(split)
}

impl Split {
    fn add_entry(&mut self, entry: &RawValue) {
        let entry = lenient::read(entry, |entry| {
            let has_changes = entry.has("changes");
            (entry.text("id").filter(|_| has_changes), entry.time("time"), entry.raw_list("changes"))
        });
        let entry = entry.filter(|entry| entry.unreadable.iter().all(|path| path != "changes"));
        let Some((Some(account), time, changes)) = entry.map(|entry| entry.value) else {
            self.malformed += 1;
            return;
        };
        for change in changes {
            let read = lenient::read(change, |change| (change.text("field"), change.raw("value")));
            let Some((Some(field), Some(value))) = read.map(|reading| reading.value) else {
                self.malformed += 1;
                continue;
            };
            let whole = Update {
                account: account.clone(),
                number: None,
                time: time.map(Timestamp::seconds),
                field,
                part: Part::Value,
                body: RawValue::NULL.to_owned(),
                contact: None,
                is_truncated: false,
                history: None,
            };
            if whole.field == HISTORY_FIELD {
                self.add_history(&whole, value);
            } else if NUMBER_FIELDS.contains(&whole.field.as_str()) {
                self.add_parts(&whole, value);
            } else if ACCOUNT_FIELDS.contains(&whole.field.as_str()) {
                self.updates.push(of_account(whole, value));
            } else {
                self.others.push(whole.field);
            }
        }
    }

    /// Adds the elements of the lists in the value of a number.
    fn add_parts(&mut self, whole: &Update, value: &RawValue) {
        let read = lenient::read(value, |value| {
            let number = value.object("metadata", |metadata| metadata.text("phone_number_id")).flatten();
            let contacts: Vec<_> = value.raw_list("contacts").into_iter().filter_map(Contact::of).collect();
            (number, contacts, LISTS.map(|(name, part)| (part, value.raw_list(name))))
        });
        let Some(reading) = read else {
            self.updates.push(Update { part: Part::Unreadable, ..whole.clone() }.with_body(value, None));
            return;
        };

        self.unreadable.extend(reading.unreadable);
        let (number, contacts, lists) = reading.value;
        let whole = Update { number, ..whole.clone() };
        for (part, bodies) in lists {
            let senders: Vec<Sender> = match part {
                Part::Message => bodies.iter().map(|body| Sender::of(body)).collect(),
                Part::Preference => bodies.iter().map(|body| Sender::of_preference(body)).collect(),
                _ => Vec::new(),
            };
            for (at, body) in bodies.into_iter().enumerate() {
                let contact = senders.get(at).and_then(|sender| introduced(&contacts, &senders, sender));
                self.updates.push(Update { part, ..whole.clone() }.with_body(body, contact));
            }
        }
    }
}

/// Returns the update of an account's value. Some partner events name the account there.
fn of_account(whole: Update, value: &RawValue) -> Update {
    let named = |value: &mut Object<'_>| value.object("waba_info", |info| info.text("waba_id")).flatten();
    let account = lenient::read(value, named).and_then(|reading| reading.value);
    let account = account.unwrap_or_else(|| whole.account.clone());
    Update { account, ..whole }.with_body(value, None)
}

/// A contact that a notification adds to its messages and preferences.
struct Contact<'a> {
    number: Option<String>,
    user_id: Option<String>,
    raw: &'a RawValue,
}

/// The sender that a message names, or the user of a preference.
#[derive(PartialEq)]
struct Sender {
    number: Option<String>,
    user_id: Option<String>,
}

impl<'a> Contact<'a> {
    fn of(raw: &'a RawValue) -> Option<Self> {
        let read = |contact: &mut Object<'_>| (contact.text("wa_id"), contact.text("user_id"));
        let (number, user_id) = lenient::read(raw, read)?.value;
        Some(Contact { number, user_id, raw })
    }

    fn is(&self, sender: &Sender) -> bool {
        self.user_id.is_some() && self.user_id == sender.user_id
            || self.number.is_some() && self.number == sender.number
    }
}

impl Sender {
    fn of(message: &RawValue) -> Self {
        let read = |message: &mut Object<'_>| (message.text("from"), message.text("from_user_id"));
        let (number, user_id) = lenient::read(message, read).map(|reading| reading.value).unwrap_or_default();
        Sender { number, user_id }
    }

    fn of_preference(preference: &RawValue) -> Self {
        let read = |preference: &mut Object<'_>| (preference.text("wa_id"), preference.text("user_id"));
        let (number, user_id) = lenient::read(preference, read).map(|reading| reading.value).unwrap_or_default();
        Sender { number, user_id }
    }

    fn is_same(&self, other: &Sender) -> bool {
        self == other
            || self.number.is_some() && self.number == other.number
            || self.user_id.is_some() && self.user_id == other.user_id
    }
}

/// Returns the contact of a sender. If there is only one contact and one sender, they belong together even if the
/// contact has another number or none, because the platform's numbers of one person can differ. With several senders,
/// such a contact could belong to any of them.
fn introduced<'a>(contacts: &[Contact<'a>], senders: &[Sender], sender: &Sender) -> Option<&'a RawValue> {
    let same = contacts.iter().find(|contact| contact.user_id.is_some() && contact.user_id == sender.user_id);
    let same = same.or_else(|| contacts.iter().find(|contact| contact.is(sender)));
    let only = match contacts {
        [only] if senders.iter().all(|other| other.is_same(sender)) => Some(only),
        _ => None,
    };
    same.or(only).map(|contact| contact.raw)
}

impl Update {
    /// Adds the JSON, cut to the size that can be queued and stored.
    pub(crate) fn with_body(self, body: &RawValue, contact: Option<&RawValue>) -> Update {
        let (body_cut, contact_cut) = (cut(body, LARGEST_BODY), contact.and_then(|raw| cut(raw, LARGEST_CONTACT)));
        Update {
            is_truncated: body_cut.is_some() || contact_cut.is_some(),
            body: body_cut.unwrap_or_else(|| body.to_owned()),
            contact: contact_cut.or_else(|| contact.map(ToOwned::to_owned)),
            ..self
        }
    }

    /// Returns the name of the update's lane. Updates of one lane concern the same object and are applied in sequence,
    /// so that they do not conflict.
    pub fn lane(&self) -> String {
        if let Some(Imported { chat: Some(chat) }) = &self.history {
            return format!("{}#{chat}", self.account);
        }
        let name = |body: &mut Object<'_>| {
            let names = ["id", "group_id", "request_id", "message_template_id"];
            names.into_iter().find_map(|name| body.id(name))
        };
        let name = lenient::read(&self.body, name).and_then(|reading| reading.value);
        format!("{}#{}", self.account, name.unwrap_or_default())
    }
}
