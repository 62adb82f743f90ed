//! Contacts, identified by the platform's user id, their phone number, or both. A contact is created with its first
//! message, updated when its profile name changes, and created, updated or removed with the contacts of the business
//! app.

use std::time::Duration;

use domain::chat::Contact;
use domain::event::EventName;
use domain::id::{ChatPhoneNumberId, ContactId};
use domain::{Failure, Timestamp};
use store::{Change, ContactName, KnownContact, NewName};

use crate::apply::UpdateHandler;
use crate::seen::Seen;

/// The interval between confirmations of an unchanged name or number. Confirming them with every message would cost a write
/// each.
const CONFIRMATION_INTERVAL: Duration = Duration::from_secs(60);

/// The effect of an update on a contact.
pub(crate) struct ContactChange {
    before: Option<KnownContact>,
    after: KnownContact,
    /// Identities that will refer to the contact.
    names: Vec<NewName>,
    /// Separate records of the same person, which are replaced by this contact.
    merged: Vec<KnownContact>,
    event: Option<EventName>,
}

impl ContactChange {
    fn none(known: KnownContact) -> Self {
        ContactChange { before: Some(known.clone()), after: known, names: Vec::new(), merged: Vec::new(), event: None }
    }

    pub(crate) fn write(&self, handler: &UpdateHandler<'_>, change: &mut Change) -> Result<(), Failure> {
        match &self.before {
            None => change.create_contact(&self.after)?,
            Some(before) if *before == self.after => {}
            Some(before) => change.update_contact(before, &self.after)?,
        }
        for name in &self.names {
            change.name_contact(&self.after, name)?;
        }
        for merged in self.merged.iter().filter(|merged| merged.removed_at.is_none()) {
            change.emit(&handler.event_for_apps_of_number(EventName::ContactsChatDeleted, &merged.contact)?)?;
        }
        match self.event {
            None => Ok(()),
            Some(kind) => change.emit(&handler.event_for_apps_of_number(kind, &self.after.contact)?),
        }
    }
}

/// A change of a contact, or none for a person without user id and number.
pub(crate) struct MaybeContact(Option<ContactChange>);

impl MaybeContact {
    /// Lists a new contact that no message leads to.
    fn list_new(&self, change: &mut Change) {
        if let Some(contact) = self.0.as_ref().filter(|contact| contact.before.is_none()) {
            change.list_contact(&contact.after);
        }
    }

    pub(crate) fn write(&self, handler: &UpdateHandler<'_>, change: &mut Change) -> Result<(), Failure> {
        self.0.as_ref().map_or(Ok(()), |contact| contact.write(handler, change))
    }
}

impl UpdateHandler<'_> {
    pub(crate) async fn contact(&self, seen: Seen) -> Result<MaybeContact, Failure> {
        let identities = seen.identities();
        if identities.is_empty() {
            return Ok(MaybeContact(None));
        }
        let stored_names = self.store.contact_names(self.number_id()?, &identities).await?;
        let known = self.known_contact(&seen, &stored_names).await?;
        let own_user_ids = seen.user_ids();
        let mut change = match known {
            None if !seen.may_create && !seen.has_moved => return Ok(MaybeContact(None)),
            None => self.new_contact(seen, identities[0].clone())?,
            Some(before) => self.seen_again(before, seen),
        };
        let identity = change.after.identity.clone();
        for (name, before) in identities.into_iter().zip(stored_names).filter(|(name, _)| *name != identity) {
            self.add_name(&mut change, name, before, &own_user_ids);
        }
        Ok(MaybeContact(Some(change)))
    }

    /// Returns the contact with one of these user ids, else with one of these numbers. A number whose contact has
    /// another user id has changed hands.
    async fn known_contact(
        &self,
        seen: &Seen,
        stored_names: &[Option<ContactName>],
    ) -> Result<Option<KnownContact>, Failure> {
        let own_user_ids = seen.user_ids();
        for (identity, name) in seen.identities().iter().zip(stored_names) {
            let known = match name {
                None => None,
                Some(ContactName::Record(known)) => Some(KnownContact::clone(known)),
                Some(ContactName::SameAs(other)) => self.store.contact(self.number_id()?, other).await?,
            };
            let is_own = |known: &KnownContact| {
                let user_id = known.contact.user_id.as_ref();
                own_user_ids.contains(identity)
                    || own_user_ids.is_empty()
                    || user_id.is_none_or(|user_id| own_user_ids.contains(user_id))
            };
            if let Some(known) = known.filter(is_own) {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// Makes an identity refer to the contact, unless the identity holds the record of another person.
    fn add_name(
        &self,
        change: &mut ContactChange,
        identity: String,
        before: Option<ContactName>,
        own_user_ids: &[String],
    ) {
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

    fn new_id(&self, number: &ChatPhoneNumberId) -> ContactId {
        ContactId::mint(number.mode(), self.now, self.inbox.context.random())
    }

    fn new_contact(&self, seen: Seen, identity: String) -> Result<ContactChange, Failure> {
        let named_at = seen.is_named().then_some(seen.at);
        let moved_at = seen.has_moved.then_some(seen.at);
        let numbered_at = seen.phone_number.is_some().then_some(seen.at);
        let contact = Contact {
            id: self.new_id(self.number_id()?),
            chat_phone_number_id: self.number_id()?.clone(),
            phone_number: seen.phone_number,
            user_id: seen.user_id,
            name: seen.name,
            username: seen.username,
            created_at: self.now,
            updated_at: self.now,
        };
        // Somebody who has only moved is not a contact yet, but becomes one with the first message, however they are named.
        let removed_at = (!seen.may_create).then_some(Timestamp::from_millis(0));
        let event = seen.may_create.then_some(EventName::ContactsChatCreated);
        let after = KnownContact { contact, identity, named_at, numbered_at, moved_at, removed_at, revision: 1 };
        Ok(ContactChange { before: None, after, names: Vec::new(), merged: Vec::new(), event })
    }

    fn seen_again(&self, before: KnownContact, seen: Seen) -> ContactChange {
        // An update from before the removal contains nothing new.
        let is_removed = before.removed_at.is_some();
        let stays_removed = is_removed && !seen.may_create;
        if before.removed_at.is_some_and(|removed| seen.at <= removed) || stays_removed && !seen.has_moved {
            return ContactChange::none(before);
        }
        let mut after = before.clone();
        let is_moved = identify(&mut after, &seen);
        let contact = &mut after.contact;
        let mut event = (is_moved && !stays_removed).then_some(EventName::ContactsChatUpdated);
        if stays_removed {
            // Only the identities of somebody who is no contact were of interest.
        } else if is_removed {
            contact.id = self.new_id(&contact.chat_phone_number_id);
            contact.created_at = self.now;
            after.removed_at = None;
            after.named_at = seen.is_named().then_some(seen.at);
            contact.name = seen.name;
            contact.username = seen.username;
            event = Some(EventName::ContactsChatCreated);
        } else if seen.is_named() {
            let name = seen.name.or(contact.name.clone());
            let username = seen.username.or(contact.username.clone());
            if (&contact.name, &contact.username) == (&name, &username) {
                // The known name is confirmed from time to time, so that a late update cannot restore an old one.
                if before.named_at.is_none_or(|named| seen.at >= named.plus(CONFIRMATION_INTERVAL)) {
                    after.named_at = Some(seen.at);
                }
            } else if before.named_at.is_none_or(|named| seen.at > named) {
                (contact.name, contact.username) = (name, username);
                after.named_at = Some(seen.at);
                event = Some(EventName::ContactsChatUpdated);
            }
        }
        if after != before {
            after.revision += 1;
            if after.contact != before.contact {
                after.contact.updated_at = self.now;
            }
        }
        ContactChange { before: Some(before), after, names: Vec::new(), merged: Vec::new(), event }
    }

    /// Applies an entry of the business app's contacts.
    pub(crate) async fn contact_sync(&self) -> Result<Change, Failure> {
        let (sync, _) = self.read(|sync| Seen::of_sync(sync, self.reported_at()))?;
        let Some((seen, is_removal)) = sync else { return Ok(self.change()) };
        if is_removal {
            return self.removed_contact(seen).await;
        }
        let mut change = self.change();
        let contact = self.contact(seen).await?;
        contact.write(self, &mut change)?;
        contact.list_new(&mut change);
        Ok(change)
    }

    /// Applies a change of a user's id.
    pub(crate) async fn user_id_changed(&self) -> Result<Change, Failure> {
        let (seen, _) = self.read(|update| Seen::of_user_id_update(update, self.reported_at()))?;
        let mut change = self.change();
        let contact = self.contact(seen).await?;
        contact.write(self, &mut change)?;
        contact.list_new(&mut change);
        Ok(change)
    }

    /// Removes a contact. The removal of an unknown contact is stored too, so that late updates do not create the
    /// contact.
    async fn removed_contact(&self, seen: Seen) -> Result<Change, Failure> {
        let mut change = self.change();
        let (identities, at) = (seen.identities(), seen.at);
        if identities.is_empty() {
            return Ok(change);
        }
        let stored_names = self.store.contact_names(self.number_id()?, &identities).await?;
        let Some(before) = self.known_contact(&seen, &stored_names).await? else {
            let mut removed = self.new_contact(seen, identities[0].clone())?.after;
            removed.removed_at = Some(at);
            change.create_contact(&removed)?;
            change.list_contact(&removed);
            return Ok(change);
        };
        let is_old = before.named_at.is_some_and(|named| at < named);
        if before.removed_at.is_some_and(|removed| at <= removed) || is_old {
            return Ok(change);
        }
        let mut after = before.clone();
        after.removed_at = Some(at);
        after.revision += 1;
        change.update_contact(&before, &after)?;
        // Somebody who was removed before, or has never written, was not shown.
        if before.removed_at.is_none() {
            change.emit(&self.event_for_apps_of_number(EventName::ContactsChatDeleted, &before.contact)?)?;
        }
        Ok(change)
    }
}

/// Sets the contact's number and user id to those that were seen, unless they are older than its last move, or the number
/// is older than the known one. After a move, its previous number may be somebody else's: only the platform's word or the
/// user id proves another change.
/// Returns whether the contact has moved.
fn identify(known: &mut KnownContact, seen: &Seen) -> bool {
    let before = known.contact.clone();
    let contact = &mut known.contact;
    let is_late = known.moved_at.is_some_and(|moved| seen.at < moved);
    let is_proven = seen.has_moved || known.moved_at.is_none() || seen.user_id.is_some();
    // The platform's times are whole seconds: a move may follow a message within the same one.
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
