//! Table tests of contacts: the stored items of a person, an update, and the new state of the contact.

mod identities;
mod names;
mod preferences;
mod removals;

use std::collections::BTreeMap;

use domain::Timestamp;
use domain::chat::status::Person;
use domain::chat::{Contact, MarketingOptOut};
use domain::events::event::EventName;
use domain::id::ChatPhoneNumberId;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use store::{ContactName, KnownContact};

use super::merge::{ContactChange, Given, StoredPerson, is_same_person, merge, remove};
use crate::lenient::read;
use crate::seen::Seen;
use crate::wire::{Message, Sender};

const NUMBER: &str = "wapn_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
/// The ids of contacts that are stored, and the one that a new contact gets.
const ANNS_ID: &str = "con_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
const EVES_ID: &str = "con_0ujzPyRiIAffKhBux4PvQdDqMHY";
const NEW_ID: &str = "con_0uk1Hbc9dQ9pxyTqJ93IUrfhdGq";
/// Second 0 of the tables, in seconds since 1970. All times of the tables are in seconds.
const START: i64 = 2_000_000_000;
/// The earliest timestamp.
const EVER: i64 = -START;
/// When stored contacts were created.
const CREATED: i64 = -1000;
/// The current time.
const NOW: i64 = 1000;

/// A contact of a table.
#[derive(Clone, Copy, Debug)]
struct Row {
    id: &'static str,
    identity: &'static str,
    number: Option<&'static str>,
    user_id: Option<&'static str>,
    name: Option<&'static str>,
    username: Option<&'static str>,
    /// Whether the person has stopped marketing messages, and since when.
    stopped: Option<(bool, i64)>,
    created: i64,
    updated: i64,
    named: Option<i64>,
    numbered: Option<i64>,
    moved: Option<i64>,
    removed: Option<i64>,
    revision: u64,
}

/// A contact that is known by number.
const ANN: Row = Row {
    id: ANNS_ID,
    identity: "12015550101",
    number: Some("+12015550101"),
    user_id: None,
    name: Some("Ann"),
    username: None,
    stopped: None,
    created: CREATED,
    updated: CREATED,
    named: Some(0),
    numbered: Some(0),
    moved: None,
    removed: None,
    revision: 1,
};

/// A contact that is known by user id.
const EVE: Row = Row {
    id: EVES_ID,
    identity: "US.1",
    number: None,
    user_id: Some("US.1"),
    name: Some("Eve"),
    numbered: None,
    ..ANN
};

/// An update about a contact.
enum Reported {
    Seen(Seen),
    Removed(Seen),
}

/// The expected state of a contact, the event, the identities that newly refer to it, and the ids of the contacts that
/// it replaces.
struct Expected {
    after: Row,
    event: Option<EventName>,
    names: &'static [&'static str],
    merged: &'static [&'static str],
}

struct Case {
    name: &'static str,
    stored: Vec<(&'static str, ContactName)>,
    reported: Reported,
    /// `None` if the person has no contact and gets none, or if a removal changes nothing.
    expected: Option<Expected>,
}

fn second(n: i64) -> Timestamp {
    Timestamp::from_millis((START + n) * 1000)
}

impl Row {
    fn contact(&self) -> KnownContact {
        let text = |text: Option<&str>| text.map(str::to_owned);
        KnownContact {
            contact: Contact {
                id: self.id.parse().expect("an id"),
                chat_phone_number_id: NUMBER.parse().expect("an id"),
                phone_number: self.number.map(|number| number.parse().expect("a number")),
                user_id: text(self.user_id),
                name: text(self.name),
                username: text(self.username),
                marketing_opt_out: self
                    .stopped
                    .map(|(opted_out, since)| MarketingOptOut { opted_out, since: second(since) }),
                created_at: second(self.created),
                updated_at: second(self.updated),
            },
            identity: self.identity.to_owned(),
            named_at: self.named.map(second),
            numbered_at: self.numbered.map(second),
            moved_at: self.moved.map(second),
            removed_at: self.removed.map(second),
            revision: self.revision,
        }
    }

    /// The item of the contact, under its identity.
    fn record(&self) -> (&'static str, ContactName) {
        (self.identity, ContactName::Record(Box::new(self.contact())))
    }
}

/// The item of another identity of a contact.
fn alias(identity: &'static str, same_as: &str) -> (&'static str, ContactName) {
    (identity, ContactName::SameAs(same_as.to_owned()))
}

fn raw(json: &Value) -> Box<RawValue> {
    RawValue::from_string(json.to_string()).expect("JSON")
}

/// The sender of a message, and the contact that its notification adds.
fn message(at: i64, sent: &Value, contact: &Value) -> Reported {
    let (sent, contact) = (raw(sent), raw(contact));
    let sent = read(&sent, Message::read).expect("an object").value;
    let introduced = read(&contact, Sender::read).expect("an object").value;
    Reported::Seen(Seen::of_message(&sent, &introduced, second(at)))
}

/// The sender of a message from a number, with a name.
fn named_message(at: i64, number: &str, name: &str) -> Reported {
    message(at, &json!({"from": number}), &json!({"profile": {"name": name}, "wa_id": number}))
}

fn entry(at: i64, contact: &Value) -> Seen {
    let entry = raw(&json!({"contact": contact}));
    let reading = read(&entry, |entry| Seen::of_sync(entry, second(at))).expect("an object");
    reading.value.expect("a contact").0
}

/// An entry of the business app's contacts.
fn sync(at: i64, contact: &Value) -> Reported {
    Reported::Seen(entry(at, contact))
}

/// The removal of an entry of the business app's contacts.
fn removal(at: i64, contact: &Value) -> Reported {
    Reported::Removed(entry(at, contact))
}

fn user_id_change(at: i64, update: &Value) -> Reported {
    let update = raw(update);
    let reading = read(&update, |update| Seen::of_user_id_update(update, second(at))).expect("an object");
    Reported::Seen(reading.value)
}

/// A choice about marketing messages, with the contact that its notification adds.
fn preference(at: i64, of: &Value, value: &str) -> Reported {
    let mut choice = of.clone();
    choice["category"] = json!("marketing_messages");
    choice["value"] = json!(value);
    choice["timestamp"] = json!(START + at);
    let choice = raw(&choice);
    let reading = read(&choice, |choice| Seen::of_preference(choice, &Sender::default(), second(NOW)));
    Reported::Seen(reading.expect("an object").value.expect("a known choice"))
}

/// A status that names a person by number and user id.
fn status(at: i64, number: &str, user_id: &str) -> Reported {
    let person = Person { phone_number: number.parse().ok(), user_id: Some(user_id.to_owned()) };
    Reported::Seen(Seen::known(person, second(at)))
}

/// The contact has this state, and no additional identity refers to it.
fn becomes(after: Row, event: Option<EventName>) -> Option<Expected> {
    Some(Expected { after, event, names: &[], merged: &[] })
}

/// The contact stays as it is.
fn stays(stored: Row) -> Option<Expected> {
    becomes(stored, None)
}

/// Finds the contact of a person like the handler does.
fn stored_person(stored: &BTreeMap<&str, ContactName>, seen: &Seen) -> StoredPerson {
    let named = |identity: String| {
        let name = stored.get(identity.as_str()).cloned();
        (identity, name)
    };
    let identities: Vec<_> = seen.identities().into_iter().map(named).collect();

    let known = |name: &Option<ContactName>| match name {
        Some(ContactName::Record(known)) => Some(KnownContact::clone(known)),
        Some(ContactName::SameAs(other)) => match stored.get(other.as_str()) {
            Some(ContactName::Record(known)) => Some(KnownContact::clone(known)),
            _ => None,
        },
        None => None,
    };
    let contact = identities
        .iter()
        .find_map(|(identity, name)| known(name).filter(|known| is_same_person(known, identity, seen)));
    StoredPerson { contact, identities }
}

fn change(stored: Vec<(&'static str, ContactName)>, reported: &Reported) -> Option<ContactChange> {
    let stored: BTreeMap<_, _> = stored.into_iter().collect();
    let number: ChatPhoneNumberId = NUMBER.parse().expect("an id");
    let given = Given { number: &number, new_id: NEW_ID.parse().expect("an id"), now: second(NOW) };
    match reported {
        Reported::Seen(seen) => merge(stored_person(&stored, seen), seen, &given),
        Reported::Removed(seen) => remove(stored_person(&stored, seen), seen, &given),
    }
}

fn check(cases: impl IntoIterator<Item = Case>) {
    for Case { name, stored, reported, expected } in cases {
        let change = change(stored, &reported);
        let (Some(change), Some(expected)) = (&change, &expected) else {
            assert_eq!(change.is_some(), expected.is_some(), "{name}");
            continue;
        };
        assert_eq!(change.after, expected.after.contact(), "{name}");
        assert_eq!(change.event, expected.event, "{name}");
        let names: Vec<&str> = change.names.iter().map(|name| name.identity.as_str()).collect();
        assert_eq!(names, expected.names, "{name}");
        let merged: Vec<String> = change.merged.iter().map(|merged| merged.contact.id.to_string()).collect();
        assert_eq!(merged, expected.merged, "{name}");
    }
}
