//! Contacts, identified by the platform's user id, their phone number, or both. A contact is created with its first
//! message, updated when its profile name changes, and created, updated or removed with the contacts of the business
//! app.

use std::time::Duration;

use domain::chat::Contact;
use domain::event::EventName;
use domain::id::ContactId;
use domain::{E164, Failure, Timestamp};
use serde::Deserialize;
use store::{Change, ContactName, KnownContact, NewName};

use crate::apply::UpdateHandler;
use crate::content::phone;
use crate::lenient::TextOrNumber;
use crate::wire::{Message, Sender, non_empty, read};

/// The interval between confirmations of an unchanged name. Confirming it with every message would cost a write each.
const CONFIRMATION_INTERVAL: Duration = Duration::from_secs(60);

/// A person as an update describes them.
pub(crate) struct Seen {
    user_id: Option<String>,
    phone_number: Option<E164>,
    name: Option<String>,
    at: Timestamp,
}

/// The effect of an update on a contact.
pub(crate) struct ContactChange {
    before: Option<KnownContact>,
    after: KnownContact,
    /// Identities that will refer to the contact.
    names: Vec<NewName>,
    /// A separate record of the same person, which is replaced by this contact.
    merged: Option<KnownContact>,
    event: Option<EventName>,
}

impl Seen {
    pub(crate) fn of_message(sent: &Message, introduced: Option<&Sender>, at: Timestamp) -> Self {
        let user_id = sent.from_user_id.clone().or_else(|| introduced.and_then(|sender| sender.user_id.clone()));
        let digits = sent.from.as_deref().or_else(|| introduced.and_then(|sender| sender.wa_id.as_deref()));
        let profile = introduced.and_then(|sender| sender.profile.as_ref());
        Seen {
            user_id: non_empty(user_id),
            phone_number: phone(digits),
            name: non_empty(profile.and_then(|profile| profile.name.clone())),
            at,
        }
    }

    /// Returns the user id, then the digits of the number. The user id comes first because a number can change hands.
    fn identities(&self) -> Vec<String> {
        let digits = self.phone_number.as_ref().map(|number| number.digits().to_owned());
        self.user_id.clone().into_iter().chain(digits).collect()
    }
}

#[derive(Deserialize)]
struct StateSync {
    contact: Option<SyncedContact>,
    action: Option<String>,
    metadata: Option<SyncMetadata>,
}

#[derive(Deserialize)]
struct SyncedContact {
    full_name: Option<String>,
    first_name: Option<String>,
    phone_number: Option<String>,
}

#[derive(Deserialize)]
struct SyncMetadata {
    timestamp: Option<TextOrNumber>,
}

impl ContactChange {
    fn none(known: KnownContact) -> Self {
        ContactChange { before: Some(known.clone()), after: known, names: Vec::new(), merged: None, event: None }
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
        if let Some(merged) = self.merged.as_ref().filter(|merged| merged.removed_at.is_none()) {
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
        let identity = known.as_ref().map_or(identities[0].clone(), |known| known.identity.clone());
        let mut change = match known {
            None => self.new_contact(seen, identity.clone())?,
            Some(before) => self.seen_again(before, seen),
        };
        for (name, before) in identities.into_iter().zip(stored_names).filter(|(name, _)| *name != identity) {
            self.add_name(&mut change, name, before);
        }
        Ok(MaybeContact(Some(change)))
    }

    /// Returns the contact with this user id, else with this number. A number whose contact has another user id has
    /// changed hands.
    async fn known_contact(
        &self,
        seen: &Seen,
        stored_names: &[Option<ContactName>],
    ) -> Result<Option<KnownContact>, Failure> {
        for name in stored_names.iter().flatten() {
            let known = match name {
                ContactName::Record(known) => Some(known.clone()),
                ContactName::SameAs(other) => self.store.contact(self.number_id()?, other).await?,
            };
            let is_other = |known: &KnownContact| {
                let user_ids = known.contact.user_id.as_ref().zip(seen.user_id.as_ref());
                user_ids.is_some_and(|(known, seen)| known != seen)
            };
            if let Some(known) = known.filter(|known| !is_other(known)) {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// Makes an identity refer to the contact, unless the identity holds the record of another person.
    fn add_name(&self, change: &mut ContactChange, identity: String, before: Option<ContactName>) {
        match &before {
            Some(ContactName::SameAs(other)) if *other == change.after.identity => return,
            Some(ContactName::Record(record)) => {
                let own_user_id = change.after.contact.user_id.as_ref();
                if record.contact.user_id.as_ref().is_some_and(|user_id| Some(user_id) != own_user_id) {
                    return;
                }
                change.merged = Some(record.clone());
            }
            _ => {}
        }
        change.names.push(NewName { identity, before });
    }

    fn new_contact(&self, seen: Seen, identity: String) -> Result<ContactChange, Failure> {
        let contact = Contact {
            id: ContactId::mint(self.now, self.inbox.context.random()),
            chat_phone_number_id: self.number_id()?.clone(),
            phone_number: seen.phone_number,
            user_id: seen.user_id,
            name: seen.name.clone(),
            created_at: self.now,
            updated_at: self.now,
        };
        let named_at = seen.name.map(|_| seen.at);
        let after = KnownContact { contact, identity, named_at, removed_at: None, revision: 1 };
        let event = Some(EventName::ContactsChatCreated);
        Ok(ContactChange { before: None, after, names: Vec::new(), merged: None, event })
    }

    fn seen_again(&self, before: KnownContact, seen: Seen) -> ContactChange {
        // An update from before the removal contains nothing new.
        if before.removed_at.is_some_and(|removed| seen.at <= removed) {
            return ContactChange::none(before);
        }
        let mut after = before.clone();
        let contact = &mut after.contact;
        contact.phone_number = seen.phone_number.or(contact.phone_number.take());
        contact.user_id = seen.user_id.or(contact.user_id.take());
        let mut event = None;
        if before.removed_at.is_some() {
            contact.id = ContactId::mint(self.now, self.inbox.context.random());
            contact.created_at = self.now;
            contact.name.clone_from(&seen.name);
            after.removed_at = None;
            after.named_at = seen.name.map(|_| seen.at);
            event = Some(EventName::ContactsChatCreated);
        } else if let Some(name) = seen.name {
            if contact.name.as_ref() == Some(&name) {
                // The known name is confirmed from time to time, so that a late update cannot restore an old one.
                if before.named_at.is_none_or(|named| seen.at >= named.plus(CONFIRMATION_INTERVAL)) {
                    after.named_at = Some(seen.at);
                }
            } else if before.named_at.is_none_or(|named| seen.at > named) {
                contact.name = Some(name);
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
        ContactChange { before: Some(before), after, names: Vec::new(), merged: None, event }
    }

    /// Applies an entry of the business app's contacts.
    pub(crate) async fn contact_sync(&self) -> Result<Change, Failure> {
        let sync: StateSync = read(&self.update.body)?;
        let at = sync.metadata.and_then(|metadata| metadata.timestamp).and_then(|time| time.time());
        let at = at.unwrap_or_else(|| self.reported_at());
        let mut change = self.change();
        let Some(contact) = sync.contact else { return Ok(change) };
        let seen = Seen {
            user_id: None,
            phone_number: phone(contact.phone_number.as_deref()),
            name: non_empty(contact.full_name).or(non_empty(contact.first_name)),
            at,
        };
        if sync.action.as_deref() == Some("remove") {
            return self.removed_contact(seen).await;
        }
        self.contact(seen).await?.write(self, &mut change)?;
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
            return Ok(change);
        };
        let is_old = before.named_at.is_some_and(|named| at < named);
        if before.removed_at.is_some() || is_old {
            return Ok(change);
        }
        let mut after = before.clone();
        after.removed_at = Some(at);
        after.revision += 1;
        change.update_contact(&before, &after)?;
        change.emit(&self.event_for_apps_of_number(EventName::ContactsChatDeleted, &before.contact)?)?;
        Ok(change)
    }
}
