//! The effect of an update that describes a person on the contact. The functions here read and write nothing: the
//! stored items, the current time and the id of a new contact are parameters.

use std::time::Duration;

use domain::Timestamp;
use domain::chat::Contact;
use domain::events::event::EventName;
use domain::id::{ChatPhoneNumberId, ContactId};
use store::{ContactName, KnownContact, NewName};

use crate::seen::Seen;

/// The interval between confirmations of an unchanged name or number. Confirming them with every message would cost a write
/// each.
const CONFIRMATION_INTERVAL: Duration = Duration::from_secs(60);

/// The stored items of a person whom an update describes.
pub(super) struct StoredPerson {
    /// The contact; `None` if the person has none.
    pub(super) contact: Option<KnownContact>,
    /// The identities that the update names, each with the item stored under it.
    pub(super) identities: Vec<(String, Option<ContactName>)>,
}

/// The inputs of a merge besides the stored items and the update.
pub(super) struct Given<'a> {
    /// The number whose contact the person is.
    pub(super) number: &'a ChatPhoneNumberId,
    /// The id that a new contact gets.
    pub(super) new_id: ContactId,
    pub(super) now: Timestamp,
}

/// The effect of an update on a contact.
pub(super) struct ContactChange {
    pub(super) before: Option<KnownContact>,
    pub(super) after: KnownContact,
    /// Identities that will refer to the contact.
    pub(super) names: Vec<NewName>,
    /// Separate records of the same person, which are replaced by this contact.
    pub(super) merged: Vec<KnownContact>,
    pub(super) event: Option<EventName>,
}

impl ContactChange {
    fn between(before: Option<KnownContact>, after: KnownContact, event: Option<EventName>) -> Self {
        ContactChange { before, after, names: Vec::new(), merged: Vec::new(), event }
    }
}

/// Returns whether the contact to which an identity refers is the person whom an update describes. A number whose contact
/// has another user id has changed hands.
pub(super) fn is_same_person(known: &KnownContact, identity: &str, seen: &Seen) -> bool {
    let own_user_ids = seen.user_ids();
    own_user_ids.is_empty()
        || own_user_ids.iter().any(|user_id| user_id == identity)
        || known.contact.user_id.as_ref().is_none_or(|user_id| own_user_ids.contains(user_id))
}

/// Returns the effect of an update that describes a person; `None` if the person has no contact and gets none.
pub(super) fn merge(stored: StoredPerson, seen: &Seen, given: &Given<'_>) -> Option<ContactChange> {
    let StoredPerson { contact, identities } = stored;
    let mut change = match contact {
        None if !seen.may_create && !seen.has_moved => return None,
        None => created(identities.first()?.0.clone(), seen, given),
        Some(before) => updated(before, seen, given),
    };

    let own_user_ids = seen.user_ids();
    for (identity, before) in identities {
        if identity != change.after.identity {
            add_name(&mut change, identity, before, &own_user_ids);
        }
    }
    inherit_choices(&mut change, given);
    Some(change)
}

/// Returns the effect of an update that removes a contact; `None` if it changes nothing. The removal of an unknown contact
/// is stored too, so that late updates do not create the contact.
pub(super) fn remove(stored: StoredPerson, seen: &Seen, given: &Given<'_>) -> Option<ContactChange> {
    let StoredPerson { contact, identities } = stored;
    let Some(before) = contact else {
        let mut change = created(identities.first()?.0.clone(), seen, given);
        change.after.removed_at = Some(seen.at);
        change.event = None;
        return Some(change);
    };

    let is_older_than = |known: Option<Timestamp>| known.is_some_and(|known| seen.at < known);
    let chosen = before.contact.marketing_opt_out.map(|choice| choice.since);
    let is_late = is_older_than(before.named_at) || is_older_than(chosen);
    if is_late || before.removed_at.is_some_and(|removed| seen.at <= removed) {
        return None;
    }
    let after = KnownContact { removed_at: Some(seen.at), revision: before.revision + 1, ..before.clone() };
    // The API does not show a contact that is already removed, or that has never written.
    let event = before.removed_at.is_none().then_some(EventName::ContactsChatDeleted);
    Some(ContactChange::between(Some(before), after, event))
}

/// Returns a new contact, whose record is stored under `identity`.
fn created(identity: String, seen: &Seen, given: &Given<'_>) -> ContactChange {
    let contact = Contact {
        id: given.new_id.clone(),
        chat_phone_number_id: given.number.clone(),
        phone_number: seen.phone_number.clone(),
        user_id: seen.user_id.clone(),
        name: seen.name.clone(),
        username: seen.username.clone(),
        marketing_opt_out: seen.choice,
        created_at: given.now,
        updated_at: given.now,
    };
    let after = KnownContact {
        contact,
        identity,
        named_at: seen.is_named().then_some(seen.at),
        numbered_at: seen.phone_number.is_some().then_some(seen.at),
        moved_at: seen.has_moved.then_some(seen.at),
        // A person who has only moved is not a contact yet. Their record counts as removed until their first message,
        // so that this message finds it by any of their identities.
        removed_at: (!seen.may_create).then_some(Timestamp::from_millis(0)),
        revision: 1,
    };
    ContactChange::between(None, after, seen.may_create.then_some(EventName::ContactsChatCreated))
}

/// Returns the effect of an update on a known contact.
fn updated(before: KnownContact, seen: &Seen, given: &Given<'_>) -> ContactChange {
    let is_removed = before.removed_at.is_some();
    let stays_removed = is_removed && !seen.may_create;
    let mut after = before.clone();
    // The choice is the person's own: a removal from the business app does not end it.
    let has_chosen = seen.choice.is_some_and(|choice| after.contact.note_choice(choice));
    // Otherwise, an update from before the removal contains nothing new.
    if before.removed_at.is_some_and(|removed| seen.at <= removed) || stays_removed && !seen.has_moved {
        if has_chosen {
            after.revision += 1;
        }
        return ContactChange::between(Some(before), after, None);
    }

    let is_moved = identify(&mut after, seen);
    let event = if stays_removed {
        // Nothing else of a person without a contact is needed.
        None
    } else if is_removed {
        create_again(&mut after, seen, given);
        Some(EventName::ContactsChatCreated)
    } else {
        let is_renamed = rename(&mut after, seen);
        (is_moved || is_renamed || has_chosen).then_some(EventName::ContactsChatUpdated)
    };

    if after != before {
        after.revision += 1;
        if after.contact != before.contact {
            after.contact.updated_at = given.now;
        }
    }
    ContactChange::between(Some(before), after, event)
}

/// Gives the contact the latest choice of the records that it replaces.
fn inherit_choices(change: &mut ContactChange, given: &Given<'_>) {
    let mut is_changed = false;
    for choice in change.merged.iter().filter_map(|merged| merged.contact.marketing_opt_out) {
        is_changed |= change.after.contact.note_choice(choice);
    }
    let Some(before) = change.before.as_ref().filter(|_| is_changed) else { return };
    change.after.revision = before.revision + 1;
    change.after.contact.updated_at = given.now;
    if change.event.is_none() && change.after.removed_at.is_none() {
        change.event = Some(EventName::ContactsChatUpdated);
    }
}

/// Makes a removed contact a new one, under the same identities.
fn create_again(known: &mut KnownContact, seen: &Seen, given: &Given<'_>) {
    known.contact.id = given.new_id.clone();
    known.contact.created_at = given.now;
    known.contact.name.clone_from(&seen.name);
    known.contact.username.clone_from(&seen.username);
    known.named_at = seen.is_named().then_some(seen.at);
    known.removed_at = None;
}

/// Sets the contact's name and username to those of the update, unless they are older than the known ones. Returns
/// whether one of them has changed.
fn rename(known: &mut KnownContact, seen: &Seen) -> bool {
    if !seen.is_named() {
        return false;
    }
    let contact = &mut known.contact;
    let name = seen.name.clone().or_else(|| contact.name.clone());
    let username = seen.username.clone().or_else(|| contact.username.clone());
    if (&contact.name, &contact.username) == (&name, &username) {
        // The known name is confirmed from time to time, so that a late update cannot restore an old one.
        if known.named_at.is_none_or(|named| seen.at >= named.plus(CONFIRMATION_INTERVAL)) {
            known.named_at = Some(seen.at);
        }
        return false;
    }

    let is_latest = known.named_at.is_none_or(|named| seen.at > named);
    if is_latest {
        (contact.name, contact.username) = (name, username);
        known.named_at = Some(seen.at);
    }
    is_latest
}

/// Sets the contact's number and user id to those of the update, unless they are older than its last move, or the
/// number is older than the known one. After a move, the previous number may belong to another person: then only a
/// reported move or the user id proves a change. Returns whether the contact has moved.
fn identify(known: &mut KnownContact, seen: &Seen) -> bool {
    let before = known.contact.clone();
    let contact = &mut known.contact;
    let is_late = known.moved_at.is_some_and(|moved| seen.at < moved);
    let is_proven = seen.has_moved || known.moved_at.is_none() || seen.user_id.is_some();
    // The platform's times are whole seconds: a move can follow a message within the same second.
    let is_latest = known.numbered_at.is_none_or(|named| seen.at > named || seen.has_moved && seen.at == named);
    let confirms = known.numbered_at.is_none_or(|named| seen.at >= named.plus(CONFIRMATION_INTERVAL));

    let (own, other) = (contact.phone_number.take(), seen.phone_number.clone());
    let is_news = own.is_none() || is_latest && is_proven && !is_late;
    if other.is_some() && (if own == other { confirms } else { is_news }) {
        known.numbered_at = Some(seen.at);
    }
    contact.phone_number = if is_late || !is_proven || !is_latest { own.or(other) } else { other.or(own) };
    let (own, other) = (contact.user_id.take(), seen.user_id.clone());
    contact.user_id = if is_late { own.or(other) } else { other.or(own) };

    if !seen.has_moved || is_late {
        return false;
    }
    known.moved_at = Some(seen.at);
    (&before.phone_number, &before.user_id) != (&known.contact.phone_number, &known.contact.user_id)
}

/// Makes an identity refer to the contact, unless the identity holds the record of another person.
fn add_name(change: &mut ContactChange, identity: String, before: Option<ContactName>, own_user_ids: &[String]) {
    match &before {
        Some(ContactName::SameAs(other)) if *other == change.after.identity => return,
        Some(ContactName::Record(record)) => {
            let own_user_id = change.after.contact.user_id.as_ref();
            let is_own = |user_id| Some(user_id) == own_user_id || own_user_ids.contains(user_id);
            if record.contact.user_id.as_ref().is_some_and(|user_id| !is_own(user_id)) {
                return;
            }
            change.merged.push(KnownContact::clone(record));
        }
        _ => {}
    }
    change.names.push(NewName { identity, before });
}
