//! Contacts: known by the platform's user id, by their number, or by both. They come with the first message, change with
//! the name of their profile, and go with the contacts of the business app.

use domain::chat::Contact;
use domain::event::EventName;
use domain::id::ContactId;
use domain::{E164, Failure, Timestamp};
use serde::Deserialize;
use store::{Change, KnownContact};

use crate::apply::Applying;
use crate::content::phone;
use crate::loose::Loose;
use crate::wire::{Message, Sender, read, said};

/// Somebody as an update shows them.
pub(crate) struct Seen {
    user_id: Option<String>,
    phone_number: Option<E164>,
    name: Option<String>,
    at: Timestamp,
}

/// What an update means for a contact.
pub(crate) struct ContactChange {
    before: Option<KnownContact>,
    after: KnownContact,
    /// Names under which the contact was not known yet.
    aliases: Vec<String>,
    event: Option<EventName>,
}

impl Seen {
    pub(crate) fn of_message(sent: &Message, introduced: Option<&Sender>, at: Timestamp) -> Self {
        let user_id = sent.from_user_id.clone().or_else(|| introduced.and_then(|sender| sender.user_id.clone()));
        let digits = sent.from.as_deref().or_else(|| introduced.and_then(|sender| sender.wa_id.as_deref()));
        let profile = introduced.and_then(|sender| sender.profile.as_ref());
        Seen {
            user_id: said(user_id),
            phone_number: phone(digits),
            name: said(profile.and_then(|profile| profile.name.clone())),
            at,
        }
    }

    /// User id first: a number can change hands.
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
    timestamp: Option<Loose>,
}

impl ContactChange {
    pub(crate) fn write(&self, applying: &Applying<'_>, change: &mut Change) -> Result<(), Failure> {
        let o = applying.organization();
        match &self.before {
            None => change.create_contact(o, &self.after, &self.aliases)?,
            Some(before) if *before == self.after => {}
            Some(before) => change.update_contact(o, before, &self.after, &self.aliases)?,
        }
        match self.event {
            None => Ok(()),
            Some(kind) => change.emit(o, &applying.event_of_number(kind, &self.after.contact)?),
        }
    }
}

/// `ContactChange` of somebody who cannot be named at all.
pub(crate) struct MaybeContact(Option<ContactChange>);

impl MaybeContact {
    pub(crate) fn write(&self, applying: &Applying<'_>, change: &mut Change) -> Result<(), Failure> {
        self.0.as_ref().map_or(Ok(()), |contact| contact.write(applying, change))
    }
}

impl Applying<'_> {
    pub(crate) async fn contact(&self, seen: Seen) -> Result<MaybeContact, Failure> {
        let identities = seen.identities();
        let Some(identity) = identities.first().cloned() else { return Ok(MaybeContact(None)) };
        let known = self.inbox.context.store.contact(self.organization(), self.number_id()?, &identities).await?;
        let change = match known {
            None => self.new_contact(seen, identity, identities)?,
            Some(before) => self.seen_again(before, seen, &identities),
        };
        Ok(MaybeContact(Some(change)))
    }

    fn new_contact(&self, seen: Seen, identity: String, identities: Vec<String>) -> Result<ContactChange, Failure> {
        let number = self.number_id()?.clone();
        let contact = Contact {
            id: ContactId::mint(self.now, self.inbox.context.random()),
            chat_phone_number_id: number,
            phone_number: seen.phone_number,
            user_id: seen.user_id,
            name: seen.name.clone(),
            created_at: self.now,
            updated_at: self.now,
        };
        let named_at = seen.name.map(|_| seen.at);
        let after = KnownContact { contact, identity, named_at, removed_at: None, revision: 1 };
        let aliases = identities.into_iter().skip(1).collect();
        Ok(ContactChange { before: None, after, aliases, event: Some(EventName::ContactsChatCreated) })
    }

    fn seen_again(&self, before: KnownContact, seen: Seen, identities: &[String]) -> ContactChange {
        let mut after = before.clone();
        // Told before it was removed: nothing of it is new.
        if before.removed_at.is_some_and(|removed| seen.at <= removed) {
            return ContactChange { before: Some(before), after, aliases: Vec::new(), event: None };
        }
        let contact = &mut after.contact;
        let knows = |identity: &String| {
            before.identity == *identity
                || before.contact.user_id.as_ref() == Some(identity)
                || before.contact.phone_number.as_ref().is_some_and(|number| number.digits() == identity)
        };
        let aliases = identities.iter().filter(|identity| !knows(identity)).cloned().collect();
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
        } else if let Some(name) = seen.name
            && contact.name.as_ref() != Some(&name)
            && before.named_at.is_none_or(|named| seen.at > named)
        {
            contact.name = Some(name);
            after.named_at = Some(seen.at);
            event = Some(EventName::ContactsChatUpdated);
        }
        if after != before {
            after.revision += 1;
            after.contact.updated_at = self.now;
        }
        ContactChange { before: Some(before), after, aliases, event }
    }

    /// One entry of the business app's contacts.
    pub(crate) async fn contact_sync(&self) -> Result<Change, Failure> {
        let sync: StateSync = read(&self.update.body)?;
        let at = sync.metadata.and_then(|metadata| metadata.timestamp).and_then(|time| time.time());
        let at = at.unwrap_or_else(|| self.said_at());
        let mut change = Change::new();
        let Some(contact) = sync.contact else { return Ok(change) };
        let seen = Seen {
            user_id: None,
            phone_number: phone(contact.phone_number.as_deref()),
            name: said(contact.full_name).or(said(contact.first_name)),
            at,
        };
        if sync.action.as_deref() == Some("remove") {
            return self.removed_contact(&seen).await;
        }
        self.contact(seen).await?.write(self, &mut change)?;
        Ok(change)
    }

    async fn removed_contact(&self, seen: &Seen) -> Result<Change, Failure> {
        let mut change = Change::new();
        let (o, identities) = (self.organization(), seen.identities());
        if identities.is_empty() {
            return Ok(change);
        }
        let Some(before) = self.inbox.context.store.contact(o, self.number_id()?, &identities).await? else {
            return Ok(change);
        };
        let is_old = before.named_at.is_some_and(|named| seen.at < named);
        if before.removed_at.is_some() || is_old {
            return Ok(change);
        }
        let mut after = before.clone();
        after.removed_at = Some(seen.at);
        after.revision += 1;
        change.update_contact(o, &before, &after, &[])?;
        change.emit(o, &self.event_of_number(EventName::ContactsChatDeleted, &before.contact)?)?;
        Ok(change)
    }
}
