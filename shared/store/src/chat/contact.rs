use domain::chat::Contact;
use domain::id::{ChatPhoneNumberId, OrganizationId};
use domain::{Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::change::{Change, stale};
use crate::expression::{Condition, Update};
use crate::item::{Item, NewItem, entity, number, value};
use crate::{Store, keys};

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

impl Store {
    /// The contact with one of these names, the best known first.
    pub async fn contact(
        &self,
        o: &OrganizationId,
        of: &ChatPhoneNumberId,
        identities: &[String],
    ) -> Result<Option<KnownContact>, Failure> {
        let keys: Vec<_> = identities.iter().map(|identity| keys::contact(o, of, identity)).collect();
        let found = self.table.get_all(&keys).await?;
        let is_alias = |item: &&Item| item.contains_key("sameAs");
        if let Some(record) = found.iter().find(|item| !is_alias(item)) {
            return entity(record.clone()).map(Some);
        }
        let Some(alias) = found.into_iter().next().map(entity::<Alias>).transpose()? else { return Ok(None) };
        self.table.get(&keys::contact(o, of, &alias.same_as)).await?.map(entity).transpose()
    }
}

impl Change {
    /// Known meanwhile is stale.
    pub fn create_contact(
        &mut self,
        o: &OrganizationId,
        known: &KnownContact,
        aliases: &[String],
    ) -> Result<(), Failure> {
        let of = &known.contact.chat_phone_number_id;
        self.create(NewItem::new(&keys::contact(o, of, &known.identity), known)?, stale());
        self.add_contact_aliases(o, known, aliases)
    }

    pub fn update_contact(
        &mut self,
        o: &OrganizationId,
        before: &KnownContact,
        after: &KnownContact,
        aliases: &[String],
    ) -> Result<(), Failure> {
        let key = keys::contact(o, &before.contact.chat_phone_number_id, &before.identity);
        let update = Update::between(key, before, after, &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        self.update(update, stale());
        self.add_contact_aliases(o, after, aliases)
    }

    fn add_contact_aliases(
        &mut self,
        o: &OrganizationId,
        known: &KnownContact,
        aliases: &[String],
    ) -> Result<(), Failure> {
        for identity in aliases {
            let alias = Alias { same_as: known.identity.clone() };
            let key = keys::contact(o, &known.contact.chat_phone_number_id, identity);
            let condition = Condition::new("attribute_not_exists(PK) OR #sameAs = :own");
            self.put_if(NewItem::new(&key, &alias)?, condition.value(":own", value(&known.identity)?), stale());
        }
        Ok(())
    }
}
