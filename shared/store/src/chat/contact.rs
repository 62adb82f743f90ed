//! Contacts. A contact has one record and, if the platform knows the person by several identities, aliases that point
//! to it.

use domain::chat::Contact;
use domain::id::ChatPhoneNumberId;
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::engine::change::{Change, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, PARTITION, entity, number, value};
use crate::{OrganizationStore, keys};

/// A contact with its internal fields.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownContact {
    #[serde(flatten)]
    pub contact: Contact,
    /// The identity under which the record is stored.
    pub identity: String,
    /// The platform's timestamp of the name. Older updates are ignored.
    pub named_at: Option<Timestamp>,
    /// The platform's timestamp of the latest update that named the phone number. Older updates do not change it.
    pub numbered_at: Option<Timestamp>,
    /// The platform's timestamp of the last change of the phone number or user id. Older updates do not bring the
    /// previous ones back.
    pub moved_at: Option<Timestamp>,
    /// When it was removed from the business app's contacts. If it is added again, it is a new contact.
    pub removed_at: Option<Timestamp>,
    pub revision: u64,
}

/// Another identity of a contact: the platform identifies people by number, by user id, or both.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Alias {
    same_as: String,
}

/// The item stored under one of a contact's identities.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactName {
    Record(Box<KnownContact>),
    /// An alias: the contact is stored under this other identity.
    SameAs(String),
}

/// An identity that will point to a contact, with the item that it pointed to before.
pub struct NewName {
    pub identity: String,
    pub before: Option<ContactName>,
}

impl OrganizationStore {
    /// Returns the items stored under these identities, in the same order.
    pub async fn contact_names(
        &self,
        of: &ChatPhoneNumberId,
        identities: &[String],
    ) -> Result<Vec<Option<ContactName>>, Failure> {
        let keys: Vec<_> = identities.iter().map(|identity| keys::contact(&self.organization, of, identity)).collect();
        let mut names = vec![None; keys.len()];
        for item in self.table.get_all(&keys).await? {
            let partition = item.get(PARTITION).and_then(|key| key.as_s().ok());
            let Some(at) = keys.iter().position(|key| Some(&key.partition) == partition) else { continue };
            names[at] = Some(if item.contains_key("sameAs") {
                ContactName::SameAs(entity::<Alias>(item)?.same_as)
            } else {
                ContactName::Record(Box::new(entity(item)?))
            });
        }
        Ok(names)
    }
}

impl Change {
    /// Creates a contact. Stale if it has been created concurrently.
    pub fn create_contact(&mut self, known: &KnownContact) -> Result<(), Failure> {
        let of = &known.contact.chat_phone_number_id;
        self.create(NewItem::new(&keys::contact(&self.organization, of, &known.identity), known)?, stale());
        Ok(())
    }

    /// Lists a contact that its number's business app has supplied, under its identity.
    pub fn list_contact(&mut self, known: &KnownContact) {
        let of = &known.contact.chat_phone_number_id;
        self.put(NewItem::marker(&keys::contact_of_number(&self.organization, of, &known.identity)));
    }

    /// Writes the differences between two states of a contact. Stale if its revision has changed.
    pub fn update_contact(&mut self, before: &KnownContact, after: &KnownContact) -> Result<(), Failure> {
        let key = keys::contact(&self.organization, &before.contact.chat_phone_number_id, &before.identity);
        let update = Update::between(key, before, after, &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        self.update(update, stale());
        Ok(())
    }

    /// Makes another identity point to a contact. Stale if the identity's item has changed since it was read.
    pub fn name_contact(&mut self, known: &KnownContact, name: &NewName) -> Result<(), Failure> {
        let key = keys::contact(&self.organization, &known.contact.chat_phone_number_id, &name.identity);
        let condition = match &name.before {
            None => Condition::absent(),
            Some(ContactName::SameAs(other)) => Condition::new("#sameAs = :seen").value(":seen", value(other)?),
            Some(ContactName::Record(record)) => {
                Condition::new("#revision = :seen").value(":seen", number(record.revision))
            }
        };
        let alias = Alias { same_as: known.identity.clone() };
        self.put_if(NewItem::new(&key, &alias)?, condition, stale());
        Ok(())
    }
}
