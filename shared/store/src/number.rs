//! Phone numbers of both kinds and their assignment to apps. A number holds the set of its apps and an app the set of
//! its numbers. Both sets are written together, and conditions limit their size.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::app::NUMBERS_PER_APP;
use domain::chat::ChatPhoneNumber;
use domain::id::{AppId, Identifier as _, PhoneNumberId};
use domain::number::{APPS_PER_NUMBER, NumberId, PhoneNumber};
use domain::{Failure, Timestamp};

use crate::app::no_such_app;
use crate::change::{Change, Refused, Verdict, absent_or, fail_with, stale};
use crate::expression::{Condition, Update};
use crate::item::{Item, NewItem, entity, number, value};
use crate::organization::Counter;
use crate::page::{PageOfEachMode, PageRequest};
use crate::{Reads, keys};

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

    /// Returns the number as it is after `Change::assign`.
    #[must_use]
    pub fn with(mut self, app: &AppId, assignment: Assignment, now: Timestamp) -> Self {
        let (apps, updated_at) = match &mut self {
            AnyNumber::Phone(number) => (&mut number.apps, &mut number.updated_at),
            AnyNumber::Chat(number) => (&mut number.apps, &mut number.updated_at),
        };
        let is_new = match assignment {
            Assignment::Assign => apps.insert(app.clone()),
            Assignment::Unassign => apps.remove(app),
        };
        if is_new {
            *updated_at = now;
        }
        self
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

    pub async fn phone_numbers(&self, page: &PageRequest) -> Result<PageOfEachMode<PhoneNumber>, Failure> {
        self.table.page_of_each_mode(|mode| keys::phone_numbers(&self.organization, mode), page).await
    }
}

impl Change {
    /// Creates a number and assigns it to `apps`, each with the request field that names it, for the errors of a
    /// missing or full app.
    pub fn create_phone_number(&mut self, number: &PhoneNumber, apps: &[(AppId, String)]) -> Result<(), Failure> {
        for (app, param) in apps {
            self.add_number_to_app(app, number.id.as_str(), param);
        }
        self.count(Counter::PhoneNumbers);
        let claim = NewItem::marker(&keys::phone_number_claim(&self.organization, &number.number))
            .with("id", value(&number.id)?);
        self.create(
            claim,
            fail_with(|| Failure::already_exists("number", "The organization already has this phone number.")),
        );
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
                move |_| Refused::With(Failure::limit(full.clone(), "An app may have at most 50 phone numbers.")),
            ),
        );
    }

    /// Deletes a number and all its assignments. `apps` are those of its apps that exist. Stale if its revision has
    /// changed.
    pub fn delete_phone_number<'a>(&mut self, seen: &PhoneNumber, apps: impl IntoIterator<Item = &'a AppId>) {
        let as_seen = Condition::new("#revision = :revision").value(":revision", number(seen.revision));
        self.delete(
            keys::phone_number(&self.organization, &seen.id),
            as_seen,
            absent_or(no_such_number, |_| Refused::Stale),
        );
        self.delete_any(keys::phone_number_claim(&self.organization, &seen.number));
        self.uncount(Counter::PhoneNumbers);
        for app in apps {
            self.remove_number_from_app(app, seen.id.as_str(), stale());
        }
    }

    fn remove_number_from_app(&mut self, app: &AppId, id: &str, missing: Verdict) {
        let update = Update::new(keys::app(&self.organization, app))
            .remove_member("numbers", id)
            .add("revision", 1)
            .if_present();
        self.update(update, missing);
    }

    /// Assigns a number to an app, or removes the assignment. Already done if there is nothing to change; stale if the
    /// number no longer has the revision that was read.
    pub fn assign(
        &mut self,
        (id, seen): (&NumberId, u64),
        app: &AppId,
        assignment: Assignment,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let of_number =
            Update::new(keys::number(&self.organization, id)).add("revision", 1).set("updatedAt", &now)?.if_present();
        let of_number = of_number.value(":app", value(app)?).value(":seen", number(seen));
        match assignment {
            Assignment::Assign => {
                self.add_number_to_app(app, id.as_str(), "appId");
                self.add_app_to_number(of_number, app, seen);
            }
            Assignment::Unassign => {
                self.remove_number_from_app(app, id.as_str(), fail_with(no_such_app));
                let update =
                    of_number.remove_member("apps", app.as_str()).when("#revision = :seen AND contains(#apps, :app)");
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
                let message = "A phone number may be assigned to at most 40 apps.";
                unless_seen(item, seen, Refused::With(Failure::limit("phoneNumberId", message)))
            }),
        );
    }

    /// Removes a deleted app from one of its numbers. Already done if the number was deleted too.
    pub fn clear_number_of_deleted_app(&mut self, id: &NumberId, app: &AppId, now: Timestamp) -> Result<(), Failure> {
        let update = Update::new(keys::number(&self.organization, id))
            .remove_member("apps", app.as_str())
            .add("revision", 1)
            .set("updatedAt", &now)?
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
