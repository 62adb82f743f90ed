//! Creating and deleting phone numbers.

use domain::id::{AppId, Identifier as _};
use domain::number::PhoneNumber;
use domain::{Failure, Timestamp};

use super::no_such_number;
use crate::engine::change::{Change, Refused, Verdict, absent_or, fail_with, stale};
use crate::engine::expression::Condition;
use crate::engine::item::{NewItem, number, value};
use crate::keys;
use crate::limits::counter::Counter;

impl Change {
    /// Creates a number and assigns it to `apps`, each with the request field that names it, for the errors of a
    /// missing or full app.
    pub fn create_phone_number(&mut self, number: &PhoneNumber, apps: &[(AppId, String)]) -> Result<(), Failure> {
        for (app, param) in apps {
            self.add_number_to_app(app, number.id.as_str(), param);
        }
        self.count(Counter::PhoneNumbers, number.id.mode());
        let taken = || Failure::already_exists("number", "The organization already has this phone number.");
        self.create_number_items(number, fail_with(taken))
    }

    /// Creates a number, which the caller counts. `taken` is the verdict if the organization has a number with these
    /// digits.
    pub(crate) fn create_number_items(&mut self, number: &PhoneNumber, taken: Verdict) -> Result<(), Failure> {
        let claim = NewItem::marker(&keys::phone_number_claim(&self.organization, &number.number))
            .with("id", value(&number.id)?);
        self.create(claim, taken);
        let item = NewItem::new(&keys::phone_number(&self.organization, &number.id), number)?.string_set("apps");
        self.create(item, fail_with(|| Failure::internal("a newly minted phone number id already exists")));
        Ok(())
    }

    /// Deletes a number and all its assignments. `apps` are those of its apps that exist. A linked number is unlinked
    /// first: until then its item stays, assigned to no app. Stale if its revision has changed.
    pub fn delete_phone_number<'a>(
        &mut self,
        seen: &PhoneNumber,
        apps: impl IntoIterator<Item = &'a AppId>,
        now: Timestamp,
    ) -> Result<(), Failure> {
        match &seen.carrier {
            Some(_) if seen.is_deleted => {}
            Some(link) => self.delete_linked(seen, link, now)?,
            None => self.delete_unlinked(seen, now)?,
        }
        for app in apps {
            self.remove_number_from_app(app, seen.id.as_str(), stale());
        }
        Ok(())
    }

    fn delete_unlinked(&mut self, seen: &PhoneNumber, now: Timestamp) -> Result<(), Failure> {
        let as_seen = Condition::new("#revision = :revision").value(":revision", number(seen.revision));
        self.delete(
            keys::phone_number(&self.organization, &seen.id),
            as_seen,
            absent_or(no_such_number, |_| Refused::Stale),
        );
        self.delete_any(keys::phone_number_claim(&self.organization, &seen.number));
        self.uncount(Counter::PhoneNumbers, seen.id.mode());
        self.remember_former_numbers(seen.id.as_str(), vec![seen.id.to_string()], now)
    }
}
