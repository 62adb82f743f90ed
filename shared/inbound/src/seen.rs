//! People as updates describe them.

use domain::chat::MarketingOptOut;
use domain::{E164, Timestamp};
use serde_json::value::RawValue;

use crate::lenient::{self, Object};
use crate::wire::{Message, Sender, person, phone};

/// A person as an update describes them.
pub(crate) struct Seen {
    pub(crate) user_id: Option<String>,
    pub(crate) phone_number: Option<E164>,
    /// Other identities of the person: of a contact whose number differs from that of its message, and the previous
    /// ones of a person who has moved.
    others: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) username: Option<String>,
    /// The person's choice about marketing messages.
    pub(crate) choice: Option<MarketingOptOut>,
    pub(crate) at: Timestamp,
    /// Whether the update reports that the person has another number or user id now.
    pub(crate) has_moved: bool,
    /// Whether the person becomes a contact if they are not one.
    pub(crate) may_create: bool,
    /// Previous user ids.
    previous_user_ids: Vec<String>,
}

/// The identities that a system message reports.
struct Move {
    is_move: bool,
    wa_id: Option<String>,
    new_wa_id: Option<String>,
    customer: Option<String>,
    user_id: Option<String>,
    previous_user_id: Option<String>,
}

impl Move {
    fn read(system: &mut Object<'_>) -> Self {
        let kind = system.text("type").unwrap_or_default();
        Move {
            is_move: kind.ends_with("changed_number") || kind.ends_with("changed_user_id"),
            wa_id: system.id("wa_id"),
            new_wa_id: system.id("new_wa_id"),
            customer: system.id("customer"),
            user_id: system.id("user_id").or_else(|| system.id("new_user_id")),
            previous_user_id: system.id("previous_user_id"),
        }
    }
}

impl Seen {
    fn at(at: Timestamp) -> Self {
        Seen {
            user_id: None,
            phone_number: None,
            others: Vec::new(),
            name: None,
            username: None,
            choice: None,
            at,
            has_moved: false,
            may_create: true,
            previous_user_ids: Vec::new(),
        }
    }

    /// Returns the sender of a message; `introduced` is the contact that the notification adds to it.
    pub(crate) fn of_message(sent: &Message<'_>, introduced: &Sender, at: Timestamp) -> Self {
        let sender = sent.sender(introduced);
        let other_number = introduced.person().phone_number;
        let seen = Seen {
            user_id: sender.user_id,
            phone_number: sender.phone_number,
            others: other_number.iter().map(|number| number.digits().to_owned()).collect(),
            name: introduced.name.clone(),
            username: introduced.username.clone(),
            ..Seen::at(at)
        };
        let moved = sent.system.and_then(|system: &RawValue| lenient::read(system, Move::read));
        match moved.map(|reading| reading.value) {
            Some(moved) if moved.is_move => seen.moved(moved),
            _ => seen,
        }
    }

    /// Returns the person after a move, which the system message of the previous identity reports.
    fn moved(self, moved: Move) -> Self {
        // Of two numbers, `new_wa_id` is the new one.
        let (new, old) = match moved.new_wa_id {
            Some(new) => (Some(new), moved.wa_id),
            None => (moved.wa_id, None),
        };
        let new = phone(new.as_deref());
        let old = [old, moved.customer].into_iter().flatten().filter_map(|digits| phone(Some(&digits)));
        let old: Vec<E164> = self.phone_number.clone().into_iter().chain(old).collect();

        let previous: Vec<String> = [self.user_id.clone(), moved.previous_user_id]
            .into_iter()
            .flatten()
            .filter(|id| moved.user_id.as_ref() != Some(id))
            .collect();
        let user_id = moved.user_id.or(self.user_id);
        // Without a new user id, the known one stays.
        let previous: Vec<String> = previous.into_iter().filter(|id| Some(id) != user_id.as_ref()).collect();

        let phone_number = new.or(self.phone_number);
        let has_moved = !previous.is_empty() || old.iter().any(|old| Some(old) != phone_number.as_ref());
        let digits = old.iter().map(|number| number.digits().to_owned());
        let others = previous.iter().cloned().chain(digits).chain(self.others).collect();
        Seen { user_id, phone_number, others, previous_user_ids: previous, has_moved, ..self }
    }

    /// Returns a person whom a status names by number and by user id. A status creates no contact.
    pub(crate) fn known(person: domain::chat::status::Person, at: Timestamp) -> Self {
        Seen { user_id: person.user_id, phone_number: person.phone_number, may_create: false, ..Seen::at(at) }
    }

    /// Reads an entry of the business app's contacts. Returns the contact, and whether it was removed.
    pub(crate) fn of_sync(sync: &mut Object<'_>, reported_at: Timestamp) -> Option<(Self, bool)> {
        let at = sync.object("metadata", |metadata| metadata.time("timestamp")).flatten().unwrap_or(reported_at);
        let is_removal = sync.text("action").as_deref() == Some("remove");
        let seen = sync.object("contact", |contact| {
            let person = person(contact.id("phone_number"), contact.id("user_id"));
            Seen {
                user_id: person.user_id.filter(|_| person.phone_number.is_some()),
                phone_number: person.phone_number,
                name: contact.text("full_name").or_else(|| contact.text("first_name")),
                username: contact.text("username"),
                ..Seen::at(at)
            }
        });
        Some((seen?, is_removal))
    }

    /// Reads a change of a user's id.
    pub(crate) fn of_user_id_update(update: &mut Object<'_>, reported_at: Timestamp) -> Self {
        let ids = update.object("user_id", |ids| (ids.id("previous"), ids.id("current"))).unwrap_or_default();
        let previous: Vec<String> = ids.0.into_iter().filter(|previous| Some(previous) != ids.1.as_ref()).collect();
        let has_moved = ids.1.is_some() && !previous.is_empty();
        Seen {
            phone_number: phone(update.text("wa_id").as_deref()),
            user_id: ids.1,
            others: previous.clone(),
            previous_user_ids: previous,
            has_moved,
            may_create: false,
            ..Seen::at(update.time("timestamp").unwrap_or(reported_at))
        }
    }

    /// Reads a choice about marketing messages; `introduced` is the contact that the notification adds to it. It makes
    /// the person a contact, because people who have never written get marketing messages, too. Returns the category or
    /// value that is not known as an error.
    pub(crate) fn of_preference(
        preference: &mut Object<'_>,
        introduced: &Sender,
        reported_at: Timestamp,
    ) -> Result<Self, String> {
        let at = preference.time("timestamp").unwrap_or(reported_at);
        let category = preference.text("category").unwrap_or_default();
        if category != "marketing_messages" {
            return Err(category);
        }
        let opted_out = match preference.text("value").unwrap_or_default().as_str() {
            "stop" => true,
            "resume" | "signup" => false,
            unknown => return Err(unknown.to_owned()),
        };
        let (own, other) = (person(preference.id("wa_id"), preference.id("user_id")), introduced.person());
        let seen = Seen {
            phone_number: own.phone_number.or(other.phone_number),
            user_id: own.user_id.or(other.user_id),
            name: introduced.name.clone(),
            username: introduced.username.clone(),
            choice: Some(MarketingOptOut { opted_out, since: at }),
            ..Seen::at(at)
        };
        Ok(seen)
    }

    /// Returns the user id, then the digits of the number, then the other identities. The user id comes first because a
    /// number can change hands. For a person who has moved, the previous identities come before the new number, which
    /// may have belonged to another person.
    pub(crate) fn identities(&self) -> Vec<String> {
        let digits: Vec<_> = self.phone_number.iter().map(|number| number.digits().to_owned()).collect();
        let others = self.others.clone();
        let (first, second) = if self.has_moved { (others, digits) } else { (digits, others) };
        let all = self.user_id.iter().cloned().chain(first).chain(second);
        all.fold(Vec::new(), |mut different, identity| {
            if !different.contains(&identity) {
                different.push(identity);
            }
            different
        })
    }

    /// Returns the user id and the previous ones.
    pub(crate) fn user_ids(&self) -> Vec<String> {
        self.user_id.iter().chain(&self.previous_user_ids).cloned().collect()
    }

    pub(crate) fn is_named(&self) -> bool {
        self.name.is_some() || self.username.is_some()
    }
}
