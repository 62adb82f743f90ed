//! Erasing the records of a contact of one number.

use domain::id::ChatPhoneNumberId;
use domain::number::NumberId;
use domain::{E164, Failure};

use crate::engine::change::{Change, stale};
use crate::engine::commit::Committed;
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{entities, key_of, number as number_value, value};
use crate::engine::table::Range;
use crate::testing::playground::{PlaygroundNumber, Used};
use crate::{ContactName, KnownContact, OrganizationStore, keys};

fn changed() -> Failure {
    Failure::unavailable("a contact was changed while it was erased")
}

/// Returns identities as contacts are stored under them, in the same order: phone numbers without `+`.
pub(super) fn stored_identities(identities: &[String]) -> Vec<String> {
    let mut stored: Vec<String> = Vec::new();
    for identity in identities {
        let identity = identity.trim_start_matches('+');
        if !stored.iter().any(|known| known == identity) {
            stored.push(identity.to_owned());
        }
    }
    stored
}

impl OrganizationStore {
    /// Returns all identities, phone numbers and user ids, that the contacts of a number have for the person with these
    /// identities. The request names the first identity. Any other phone number may have changed hands: then its
    /// contact has another user id, and is another person.
    pub async fn identities_of_contact(
        &self,
        number: &ChatPhoneNumberId,
        identities: &[String],
    ) -> Result<Vec<String>, Failure> {
        let mut found = Vec::new();
        let stored = stored_identities(identities);
        let names = self.contact_names(number, &stored).await?;
        for (at, (identity, name)) in stored.iter().zip(names).enumerate() {
            let known = match name {
                Some(ContactName::Record(known)) => Some(known),
                Some(ContactName::SameAs(other)) => self.contact(number, &other).await?.map(Box::new),
                None => None,
            };
            let is_certain = at == 0 || identities.contains(identity);
            let is_same = |known: &KnownContact| {
                is_certain || known.contact.user_id.as_ref().is_none_or(|user_id| identities.contains(user_id))
            };
            let Some(known) = known.filter(|known| is_same(known)) else { continue };
            found.extend(known.contact.phone_number.as_ref().map(ToString::to_string));
            found.extend(known.contact.user_id.clone());
            let number: Option<E164> = format!("+{}", known.identity).parse().ok();
            found.push(number.map_or_else(|| known.identity.clone(), |number| number.to_string()));
        }
        Ok(found)
    }

    /// Erases the contact with these identities of a number, and the aliases among them that point to it. A phone number
    /// whose contact has another user id has changed hands, and that contact stays. Returns how many contacts there were.
    pub async fn erase_contact(&self, number: &ChatPhoneNumberId, identities: &[String]) -> Result<u64, Failure> {
        let stored = stored_identities(identities);
        let names = self.contact_names(number, &stored).await?;
        let mut erased = 0;
        for (identity, name) in stored.iter().zip(names) {
            let condition = match name {
                Some(ContactName::SameAs(other)) if stored.contains(&other) => {
                    Condition::new("#sameAs = :seen").value(":seen", value(&other)?)
                }
                Some(ContactName::Record(known))
                    if known.contact.user_id.as_ref().is_none_or(|id| identities.contains(id)) =>
                {
                    erased += 1;
                    Condition::new("#revision = :seen").value(":seen", number_value(known.revision))
                }
                _ => continue,
            };
            let mut change = Change::new(&self.organization);
            change.delete(keys::contact(&self.organization, number, identity), condition, stale());
            change.delete_any(keys::contact_of_number(&self.organization, number, identity));
            if matches!(self.table.commit(&change).await?, Committed::Stale) {
                return Err(changed());
            }
        }

        Ok(erased)
    }

    /// Erases the pauses of a number for messages to the contact.
    pub async fn erase_pauses(&self, number: &NumberId, identities: &[String]) -> Result<(), Failure> {
        for identity in identities {
            let mut change = Change::new(&self.organization);
            change.delete_any(keys::recipient_pause(&self.organization, number, identity));
            self.table.commit(&change).await?;
        }
        Ok(())
    }

    /// Erases the simulated platform's record of a contact of one of its numbers, except for a block of the contact,
    /// which the real platform keeps too.
    pub async fn erase_simulated_contact(&self, platform_number: &str, contact: &E164) -> Result<(), Failure> {
        let key = || keys::simulated_contact(&self.organization, platform_number, contact);
        let blocked = Update::new(key()).remove("wroteAt").remove("refusals").when("attribute_exists(#blockedAt)");
        if self.table.try_update(blocked).await?.is_ok() {
            return Ok(());
        }
        let mut change = Change::new(&self.organization);
        change.delete(key(), Condition::new("attribute_not_exists(#blockedAt)"), stale());
        match self.table.commit(&change).await? {
            Committed::Stale => Err(changed()),
            _ => Ok(()),
        }
    }

    /// Removes a playground user from the list of users that have written. The number stays allocated: it is fictional,
    /// and no number is allocated twice.
    pub async fn erase_playground_use(&self, user: &E164) -> Result<(), Failure> {
        if self.playground_number(user).await? != Some(PlaygroundNumber::User { has_written: true }) {
            return Ok(());
        }
        let items = self.table.query(Range::whole(keys::playground_users_by_first_use(&self.organization))).await?;
        let listed: Vec<_> = items.iter().filter_map(key_of).collect();

        let mut change = Change::new(&self.organization);
        for (key, used) in listed.into_iter().zip(entities::<Used>(items)?) {
            if used.number == *user {
                change.delete_any(key);
            }
        }
        change.update(
            Update::new(keys::playground_number(&self.organization, user)).remove("firstUsedAt").if_present(),
            stale(),
        );
        match self.table.commit(&change).await? {
            Committed::Stale => Err(changed()),
            _ => Ok(()),
        }
    }
}
