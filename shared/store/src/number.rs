//! Phone numbers of both kinds and their assignment to apps. A number holds the set of its apps and an app the set of
//! its numbers. Both sets are written together, and conditions limit their size.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::app::NUMBERS_PER_APP;
use domain::assignments::Assignments;
use domain::chat::ChatPhoneNumber;
use domain::id::{AppId, ChatPhoneNumberId, Identifier as _, PhoneNumberId};
use domain::number::{APPS_PER_NUMBER, NumberId, PhoneNumber};
use domain::{E164, Failure, Mode, Timestamp};

use crate::app::no_such_app;
use crate::change::{Change, Refused, Verdict, absent_or, fail_with, stale};
use crate::counter::Counter;
use crate::expression::{Condition, Update};
use crate::item::{Item, NewItem, entities, entity, key_of, number, value};
use crate::keys::KeyClass;
use crate::page::{Page, PageRequest};
use crate::{OrganizationStore, Reads, keys};

fn no_such_number() -> Failure {
    Failure::not_found("phoneNumberId", "phone number")
}

/// The direction of a change of assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignment {
    Assign,
    Unassign,
}

/// A number of either kind.
#[derive(Clone, Debug)]
pub enum AnyNumber {
    Phone(PhoneNumber),
    Chat(Box<ChatPhoneNumber>),
}

impl AnyNumber {
    pub fn id(&self) -> NumberId {
        match self {
            AnyNumber::Phone(number) => NumberId::Phone(number.id.clone()),
            AnyNumber::Chat(number) => NumberId::Chat(number.id.clone()),
        }
    }

    pub fn apps(&self) -> &BTreeSet<AppId> {
        match self {
            AnyNumber::Phone(number) => &number.apps,
            AnyNumber::Chat(number) => &number.apps,
        }
    }

    pub fn revision(&self) -> u64 {
        match self {
            AnyNumber::Phone(number) => number.revision,
            AnyNumber::Chat(number) => number.revision,
        }
    }

    fn is_deleted(&self) -> bool {
        matches!(self, AnyNumber::Phone(number) if number.is_deleted)
    }

    /// Returns the number with the apps and the update time that it has after `Change::assign`. The revision stays as
    /// it was read.
    #[must_use]
    pub fn with(mut self, app: &AppId, assignment: Assignment, now: Timestamp) -> Self {
        let (apps, assigned_at, updated_at, line_reset_at) = match &mut self {
            AnyNumber::Phone(number) => {
                (&mut number.apps, &mut number.assigned_at, &mut number.updated_at, &mut number.line_reset_at)
            }
            AnyNumber::Chat(number) => {
                (&mut number.apps, &mut number.assigned_at, &mut number.updated_at, &mut number.line_reset_at)
            }
        };
        let is_changed = match assignment {
            Assignment::Assign => apps.insert(app.clone()),
            Assignment::Unassign => apps.remove(app),
        };
        if is_changed {
            *updated_at = now;
        }
        match assignment {
            Assignment::Assign if is_changed => assigned_at.begin(app, now),
            Assignment::Unassign if is_changed => *line_reset_at = Some(now),
            _ => {}
        }
        assigned_at.retain(apps);
        self
    }

    fn assigned_at(&self) -> &Assignments {
        match self {
            AnyNumber::Phone(number) => &number.assigned_at,
            AnyNumber::Chat(number) => &number.assigned_at,
        }
    }
}

impl Reads {
    pub async fn any_number(&self, id: &NumberId) -> Result<Option<AnyNumber>, Failure> {
        Ok(match id {
            NumberId::Phone(id) => self.phone_number(id).await?.map(AnyNumber::Phone),
            NumberId::Chat(id) => self.chat_phone_number(id).await?.map(|number| AnyNumber::Chat(Box::new(number))),
        })
    }

    pub async fn phone_number(&self, id: &PhoneNumberId) -> Result<Option<PhoneNumber>, Failure> {
        self.table.get(&keys::phone_number(&self.organization, id)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Returns those of `ids` that exist, in the same order.
    pub async fn any_numbers(&self, ids: &[NumberId]) -> Result<Vec<AnyNumber>, Failure> {
        let keys: Vec<_> = ids.iter().map(|id| keys::number(&self.organization, id)).collect();
        let mut numbers = Vec::with_capacity(ids.len());
        for item in self.table.get_all(&keys).await? {
            numbers.push(match key_of(&item).and_then(|key| key.class()) {
                Some(KeyClass::PhoneNumber) => AnyNumber::Phone(entity(item)?),
                _ => AnyNumber::Chat(entity(item)?),
            });
        }
        numbers.sort_by_key(|number| ids.iter().position(|id| *id == number.id()));
        Ok(numbers)
    }

    /// Returns the phone numbers that are assigned to an app.
    pub async fn phone_numbers_of_app(&self, app: &AppId) -> Result<Vec<PhoneNumber>, Failure> {
        let Some(app) = self.app(app).await? else { return Ok(Vec::new()) };
        let ids = app.numbers.iter().filter_map(|id| id.parse::<PhoneNumberId>().ok());
        let keys: Vec<_> = ids.map(|id| keys::phone_number(&self.organization, &id)).collect();
        let mut numbers: Vec<PhoneNumber> = entities(self.table.get_all(&keys).await?)?;
        numbers.sort_by(|a, b| a.id.ksuid().cmp(b.id.ksuid()));
        Ok(numbers)
    }

    /// Returns the app's phone number with these digits.
    pub async fn phone_number_of_app(&self, app: &AppId, digits: &E164) -> Result<Option<PhoneNumber>, Failure> {
        Ok(self.phone_numbers_of_app(app).await?.into_iter().find(|number| number.number == *digits))
    }

    /// Returns a page of the organization's phone numbers.
    pub async fn phone_numbers(&self, modes: &[Mode], page: &PageRequest) -> Result<Page<PhoneNumber>, Failure> {
        let partitions = modes.iter().map(|&mode| keys::phone_numbers(&self.organization, mode)).collect();
        self.table.page(partitions, page).await
    }
}

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

    /// Creates a number, which the caller counts. `taken` says what happens if the organization has a number with these
    /// digits.
    pub(crate) fn create_number_items(&mut self, number: &PhoneNumber, taken: Verdict) -> Result<(), Failure> {
        let claim = NewItem::marker(&keys::phone_number_claim(&self.organization, &number.number))
            .with("id", value(&number.id)?);
        self.create(claim, taken);
        let item = NewItem::new(&keys::phone_number(&self.organization, &number.id), number)?.string_set("apps");
        self.create(item, fail_with(|| Failure::internal("a newly minted phone number id already exists")));
        Ok(())
    }

    pub(crate) fn add_number_to_app(&mut self, app: &AppId, id: &str, param: &str) {
        let update = Update::new(keys::app(&self.organization, app))
            .add_member("numbers", id)
            .add("revision", 1)
            .if_present()
            .when("attribute_not_exists(#numbers) OR size(#numbers) < :most OR contains(#numbers, :id)")
            .value(":id", AttributeValue::S(id.to_owned()))
            .value(":most", number(NUMBERS_PER_APP));
        let (missing, full) = (param.to_owned(), param.to_owned());
        self.update(
            update,
            absent_or(
                move || Failure::not_found(missing.clone(), "app"),
                move |_| {
                    Refused::With(Failure::limit(
                        full.clone(),
                        "An app may have at most 50 phone numbers. Unassign one first.",
                    ))
                },
            ),
        );
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

    fn remove_number_from_app(&mut self, app: &AppId, id: &str, missing: Verdict) {
        let update = Update::new(keys::app(&self.organization, app))
            .remove_member("numbers", id)
            .add("revision", 1)
            .if_present();
        self.update(update, missing);
    }

    /// Assigns a number to an app, or removes the assignment. Already done if there is nothing to change; stale if the
    /// number no longer is as it was read. `param` names the request's parameter in the failure for a full app.
    pub fn assign(
        &mut self,
        (id, stored): (&NumberId, Option<&AnyNumber>),
        (app, param): (&AppId, &str),
        assignment: Assignment,
        now: Timestamp,
    ) -> Result<(), Failure> {
        if assignment == Assignment::Assign && stored.is_some_and(AnyNumber::is_deleted) {
            let message = "This phone number was deleted, and its link to the carrier is being removed.";
            return Err(Failure::conflict(message).with_param("phoneNumberId"));
        }
        let seen = stored.map_or(0, AnyNumber::revision);
        let of_number =
            Update::new(keys::number(&self.organization, id)).add("revision", 1).set("updatedAt", &now)?.if_present();
        let of_number = match stored.map(|number| number.clone().with(app, assignment, now)) {
            Some(after) if !after.assigned_at().is_empty() => of_number.set("assignedAt", after.assigned_at())?,
            _ => of_number.remove("assignedAt"),
        };
        let of_number = of_number.value(":app", value(app)?).value(":seen", number(seen));
        match assignment {
            Assignment::Assign => {
                self.add_number_to_app(app, id.as_str(), param);
                self.add_app_to_number(of_number, app, seen);
            }
            Assignment::Unassign => {
                self.remove_number_from_app(app, id.as_str(), fail_with(no_such_app));
                let update = of_number
                    .remove_member("apps", app.as_str())
                    .set("lineResetAt", &now)?
                    .when("#revision = :seen AND contains(#apps, :app)");
                self.update(
                    update,
                    absent_or(no_such_number, move |item| unless_seen(item, seen, Refused::AlreadyDone)),
                );
            }
        }
        Ok(())
    }

    fn add_app_to_number(&mut self, of_number: Update, app: &AppId, seen: u64) {
        let update = of_number
            .add_member("apps", app.as_str())
            .when(
                "#revision = :seen AND NOT contains(#apps, :app) AND (attribute_not_exists(#apps) OR size(#apps) < :most)",
            )
            .value(":most", number(APPS_PER_NUMBER));
        let app = app.to_string();
        self.update(
            update,
            absent_or(no_such_number, move |item| {
                if holds(item, &app) {
                    return unless_seen(item, seen, Refused::AlreadyDone);
                }
                let message = "A phone number may be assigned to at most 40 apps. Unassign it from one first.";
                unless_seen(item, seen, Refused::With(Failure::limit("phoneNumberId", message)))
            }),
        );
    }

    /// Removes a deleted number from one of its apps. Already done if the app was deleted too.
    pub fn clear_app_of_deleted_number(&mut self, app: &AppId, id: &ChatPhoneNumberId) {
        self.remove_number_from_app(app, id.as_str(), Box::new(|_| Refused::AlreadyDone));
    }

    /// Removes a deleted app from one of its numbers. Already done if the number was deleted too.
    pub fn clear_number_of_deleted_app(&mut self, id: &NumberId, app: &AppId, now: Timestamp) -> Result<(), Failure> {
        let update = Update::new(keys::number(&self.organization, id))
            .remove_member("apps", app.as_str())
            .add("revision", 1)
            .set("updatedAt", &now)?
            .set("lineResetAt", &now)?
            .if_present();
        self.update(update, Box::new(|_| Refused::AlreadyDone));
        Ok(())
    }
}

/// Returns `refused` if the item still has the revision that was read, else `Stale`.
fn unless_seen(item: &Item, seen: u64, refused: Refused) -> Refused {
    let is_seen = item.get("revision").and_then(|revision| revision.as_n().ok()) == Some(&seen.to_string());
    if is_seen { refused } else { Refused::Stale }
}

fn holds(item: &Item, app: &str) -> bool {
    item.get("apps").and_then(|apps| apps.as_ss().ok()).is_some_and(|apps| apps.iter().any(|held| held == app))
}
