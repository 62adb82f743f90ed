//! Splits a notification, which is one POST of the platform, into updates.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::lenient::{TextOrNumber, list};

/// One update from the platform, with its JSON as it was sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    /// The platform's id of the account: `entry.id`, or the account that the update itself names.
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
    /// The sender of a message, from the notification's `contacts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<Box<RawValue>>,
}

/// What the `body` of an update contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    Message,
    Status,
    Echo,
    Contact,
    Group,
    /// The whole value of the field.
    Value,
    /// A known field whose value could not be parsed.
    Unreadable,
}

/// The error for a signed body that is not a notification.
#[derive(Debug, thiserror::Error)]
#[error("the notification cannot be read: {0}")]
pub struct Malformed(serde_json::Error);

#[derive(Deserialize)]
struct Notification {
    entry: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Entry {
    id: TextOrNumber,
    time: Option<TextOrNumber>,
    changes: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct FieldChange {
    field: String,
    value: Box<RawValue>,
}

#[derive(Deserialize)]
struct NumberValue {
    metadata: Option<Metadata>,
    #[serde(default, deserialize_with = "list")]
    contacts: Vec<Box<RawValue>>,
    #[serde(default, deserialize_with = "list")]
    messages: Vec<Box<RawValue>>,
    #[serde(default, deserialize_with = "list")]
    statuses: Vec<Box<RawValue>>,
    #[serde(default, deserialize_with = "list")]
    message_echoes: Vec<Box<RawValue>>,
    #[serde(default, deserialize_with = "list")]
    state_sync: Vec<Box<RawValue>>,
    #[serde(default, deserialize_with = "list")]
    groups: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Metadata {
    phone_number_id: TextOrNumber,
}

#[derive(Deserialize)]
struct AccountValue {
    waba_info: Option<WabaInfo>,
}

#[derive(Deserialize)]
struct WabaInfo {
    waba_id: TextOrNumber,
}

/// The sender of a message, or a contact.
#[derive(Deserialize)]
struct Person {
    from: Option<String>,
    from_user_id: Option<String>,
    wa_id: Option<String>,
    user_id: Option<String>,
}

/// The webhook fields whose values name a phone number.
pub const NUMBER_FIELDS: [&str; 8] = [
    "messages",
    "smb_message_echoes",
    "smb_app_state_sync",
    "group_lifecycle_update",
    "group_participants_update",
    "group_participant_update",
    "group_settings_update",
    "group_status_update",
];

/// The webhook fields that concern a whole account.
pub const ACCOUNT_FIELDS: [&str; 7] = [
    "account_update",
    "account_review_update",
    "phone_number_quality_update",
    "phone_number_name_update",
    "message_template_status_update",
    "message_template_quality_update",
    "template_category_update",
];

/// The content of a notification.
#[derive(Default)]
pub struct Split {
    pub updates: Vec<Update>,
    /// The names of fields that this API does not use.
    pub others: Vec<String>,
    /// The number of entries and changes that could not be parsed.
    pub malformed: usize,
}

/// Splits a notification. A malformed entry is counted and does not affect the others.
pub fn split(body: &[u8]) -> Result<Split, Malformed> {
    let notification: Notification = serde_json::from_slice(body).map_err(Malformed)?;
    let mut split = Split::default();
    for entry in notification.entry {
        let Ok(entry) = serde_json::from_str::<Entry>(entry.get()) else {
            split.malformed += 1;
            continue;
        };
        let time = entry.time.as_ref().and_then(TextOrNumber::number);
        for change in entry.changes {
            let Ok(change) = serde_json::from_str::<FieldChange>(change.get()) else {
                split.malformed += 1;
                continue;
            };
            let blank = Update {
                account: entry.id.0.clone(),
                number: None,
                time,
                field: change.field,
                part: Part::Value,
                body: change.value,
                contact: None,
            };
            if NUMBER_FIELDS.contains(&blank.field.as_str()) {
                split.updates.extend(of_number(blank));
            } else if ACCOUNT_FIELDS.contains(&blank.field.as_str()) {
                split.updates.push(of_account(blank));
            } else {
                split.others.push(blank.field);
            }
        }
    }
    Ok(split)
}

/// Replaces the account with the one that the value names: some partner events carry it there.
fn of_account(update: Update) -> Update {
    let value = serde_json::from_str::<AccountValue>(update.body.get()).ok();
    match value.and_then(|value| value.waba_info) {
        Some(info) => Update { account: info.waba_id.0, ..update },
        None => update,
    }
}

fn of_number(update: Update) -> Vec<Update> {
    let Ok(value) = serde_json::from_str::<NumberValue>(update.body.get()) else {
        return vec![Update { part: Part::Unreadable, ..update }];
    };
    let number = value.metadata.map(|metadata| metadata.phone_number_id.0);
    let people: Vec<(Person, &Box<RawValue>)> =
        value.contacts.iter().filter_map(|raw| Some((serde_json::from_str(raw.get()).ok()?, raw))).collect();
    let introduced = |message: &RawValue| {
        let sender: Person = serde_json::from_str(message.get()).ok()?;
        // Old versions of the platform's API send "" for an absent id.
        let is_same = |a: &Option<String>, b: &Option<String>| a.as_deref().is_some_and(|a| !a.is_empty()) && a == b;
        let by_user = people.iter().find(|(person, _)| is_same(&person.user_id, &sender.from_user_id));
        let contact = by_user.or(people.iter().find(|(person, _)| is_same(&person.wa_id, &sender.from)));
        contact.map(|(_, raw)| (*raw).clone())
    };
    let make = |part: Part, body: &RawValue| Update {
        number: number.clone(),
        part,
        body: body.to_owned(),
        contact: if part == Part::Message { introduced(body) } else { None },
        account: update.account.clone(),
        field: update.field.clone(),
        time: update.time,
    };
    let parts = [
        (Part::Message, &value.messages),
        (Part::Status, &value.statuses),
        (Part::Echo, &value.message_echoes),
        (Part::Contact, &value.state_sync),
        (Part::Group, &value.groups),
    ];
    parts
        .into_iter()
        .flat_map(|(part, bodies)| bodies.iter().map(move |body| (part, body)))
        .map(|(part, body)| make(part, body))
        .collect()
}

#[derive(Deserialize)]
struct Named {
    id: Option<String>,
    request_id: Option<String>,
    group_id: Option<String>,
    message_template_id: Option<TextOrNumber>,
}

impl Update {
    /// Returns the name of the update's lane. Updates of one lane concern the same object and are applied in sequence,
    /// so that they do not conflict.
    pub fn lane(&self) -> String {
        let named = serde_json::from_str::<Named>(self.body.get()).ok();
        let name = named.and_then(|named| {
            named.id.or(named.group_id).or(named.request_id).or(named.message_template_id.map(|id| id.0))
        });
        format!("{}#{}", self.account, name.unwrap_or_default())
    }
}
