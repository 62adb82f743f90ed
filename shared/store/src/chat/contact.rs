use domain::chat::Contact;
use domain::id::ChatPhoneNumberId;
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::change::{Change, stale};
use crate::expression::{Condition, Update};
use crate::item::{NewItem, PARTITION, entity, number, value};
use crate::{Reads, keys};

/// A contact with what is kept beside it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownContact {
    #[serde(flatten)]
    pub contact: Contact,
    /// Under which name of it the record lies.
    pub identity: String,
    /// The platform's time of its name: an older one changes nothing.
    pub named_at: Option<Timestamp>,
    /// Taken from the business app's contacts; it comes back as a new one.
    pub removed_at: Option<Timestamp>,
    pub revision: u64,
}

/// Another name of a contact: the platform knows people by number, by user id, or both.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Alias {
    same_as: String,
}

/// What lies under one of the names of a contact.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactName {
    Record(KnownContact),
    /// The contact lies under this other name.
    SameAs(String),
}

/// A name that is to lead to a contact, with what it led to before.
pub struct NewName {
    pub identity: String,
    pub before: Option<ContactName>,
}

impl Reads {
    /// What lies under these names, in their order.
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
                ContactName::Record(entity(item)?)
            });
        }
        Ok(names)
    }

    /// The contact that lies under this name itself.
    pub async fn contact(&self, of: &ChatPhoneNumberId, identity: &str) -> Result<Option<KnownContact>, Failure> {
        let item = self.table.get(&keys::contact(&self.organization, of, identity)).await?;
        item.filter(|item| !item.contains_key("sameAs")).map(entity).transpose()
    }
}

impl Change {
    /// Known meanwhile is stale.
    pub fn create_contact(&mut self, known: &KnownContact) -> Result<(), Failure> {
        let of = &known.contact.chat_phone_number_id;
        self.create(NewItem::new(&keys::contact(&self.organization, of, &known.identity), known)?, stale());
        Ok(())
    }

    pub fn update_contact(&mut self, before: &KnownContact, after: &KnownContact) -> Result<(), Failure> {
        let key = keys::contact(&self.organization, &before.contact.chat_phone_number_id, &before.identity);
        let update = Update::between(key, before, after, &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        self.update(update, stale());
        Ok(())
    }

    /// Has another name lead to a contact. What it led to meanwhile is stale.
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
