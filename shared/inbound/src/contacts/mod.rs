//! Contacts, identified by the platform's user id, their phone number, or both. A contact is created with its first
//! message, updated when its profile name changes, and created, updated or removed with the contacts of the business
//! app. A choice about marketing messages is stored with it. This module reads the stored items of a person and writes the new state of the contact, which `merge.rs`
//! decides.

mod merge;
#[cfg(test)]
mod tests;

use domain::Failure;
use domain::events::event::EventName;
use domain::id::ContactId;
use store::{Change, ContactName, KnownContact};

use self::merge::{ContactChange, Given, StoredPerson, is_same_person, merge, remove};
use crate::apply::UpdateHandler;
use crate::seen::Seen;

/// The effect of an update on a contact; none for a person who has no contact and gets none.
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

impl ContactChange {
    fn write(&self, handler: &UpdateHandler<'_>, change: &mut Change) -> Result<(), Failure> {
        match &self.before {
            None => change.create_contact(&self.after)?,
            Some(before) if *before == self.after => {}
            Some(before) => change.update_contact(before, &self.after)?,
        }
        for name in &self.names {
            change.name_contact(&self.after, name)?;
        }
        for merged in self.merged.iter().filter(|merged| merged.removed_at.is_none()) {
            handler.emit_for_number(change, EventName::ContactsChatDeleted, &merged.contact)?;
        }
        match self.event {
            None => Ok(()),
            Some(kind) => handler.emit_for_number(change, kind, &self.after.contact),
        }
    }
}

impl UpdateHandler<'_> {
    /// Returns the effect of an update on the contact of the person whom it describes.
    pub(crate) async fn contact(&self, seen: Seen) -> Result<MaybeContact, Failure> {
        let Some(stored) = self.stored_person(&seen).await? else { return Ok(MaybeContact(None)) };
        Ok(MaybeContact(merge(stored, &seen, &self.given()?)))
    }

    /// Returns the effect on the contact of a person whom the business app has removed from its contacts.
    async fn removed_contact(&self, seen: Seen) -> Result<MaybeContact, Failure> {
        let Some(stored) = self.stored_person(&seen).await? else { return Ok(MaybeContact(None)) };
        Ok(MaybeContact(remove(stored, &seen, &self.given()?)))
    }

    fn given(&self) -> Result<Given<'_>, Failure> {
        let number = self.number_id()?;
        let new_id = ContactId::mint(number.mode(), self.now, self.inbox.context.random());
        Ok(Given { number, new_id, now: self.now })
    }

    /// Reads the stored items of a person. Returns `None` for a person without user id and number.
    async fn stored_person(&self, seen: &Seen) -> Result<Option<StoredPerson>, Failure> {
        let identities = seen.identities();
        if identities.is_empty() {
            return Ok(None);
        }
        let names = self.store.contact_names(self.number_id()?, &identities).await?;
        let identities: Vec<_> = identities.into_iter().zip(names).collect();
        let contact = self.known_contact(seen, &identities).await?;
        Ok(Some(StoredPerson { contact, identities }))
    }

    /// Returns the first contact to which one of the identities refers, if it is the contact of this person.
    async fn known_contact(
        &self,
        seen: &Seen,
        identities: &[(String, Option<ContactName>)],
    ) -> Result<Option<KnownContact>, Failure> {
        for (identity, name) in identities {
            let known = match name {
                None => None,
                Some(ContactName::Record(known)) => Some(KnownContact::clone(known)),
                Some(ContactName::SameAs(other)) => self.store.contact(self.number_id()?, other).await?,
            };
            if let Some(known) = known.filter(|known| is_same_person(known, identity, seen)) {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// Applies an entry of the business app's contacts.
    pub(crate) async fn contact_sync(&self) -> Result<Change, Failure> {
        let (sync, _) = self.read(|sync| Seen::of_sync(sync, self.reported_at()))?;
        let Some((seen, is_removal)) = sync else { return Ok(self.change()) };
        let contact = if is_removal { self.removed_contact(seen).await? } else { self.contact(seen).await? };
        self.without_message(&contact)
    }

    /// Applies a change of a user's id.
    pub(crate) async fn user_id_changed(&self) -> Result<Change, Failure> {
        let (seen, _) = self.read(|update| Seen::of_user_id_update(update, self.reported_at()))?;
        let contact = self.contact(seen).await?;
        self.without_message(&contact)
    }

    /// Applies a choice about marketing messages.
    pub(crate) async fn preference(&self) -> Result<Change, Failure> {
        let introduced = self.introduced();
        let (seen, _) = self.read(|preference| Seen::of_preference(preference, &introduced, self.reported_at()))?;
        match seen {
            Ok(seen) => self.without_message(&self.contact(seen).await?),
            Err(unknown) => {
                self.count_unknown("preference", &unknown);
                Ok(self.change())
            }
        }
    }

    /// Returns the change that writes a contact that has no message. Such a contact is also listed under its number.
    fn without_message(&self, contact: &MaybeContact) -> Result<Change, Failure> {
        let mut change = self.change();
        contact.write(self, &mut change)?;
        contact.list_new(&mut change);
        Ok(change)
    }
}
