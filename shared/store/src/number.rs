//! Phone numbers of both kinds and their assignment to apps. A number holds the set of its apps, an app the set of its
//! numbers; both sets are written together and are bounded by condition.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::app::NUMBERS_PER_APP;
use domain::id::{AppId, Identifier as _, OrganizationId, PhoneNumberId};
use domain::number::{APPS_PER_NUMBER, NumberId, PhoneNumber};
use domain::{Failure, Mode, Timestamp};

use crate::app::no_such_app;
use crate::change::{Change, Refused, Verdict, absent_or, fail_with, stale};
use crate::expression::{Condition, Update};
use crate::item::{NewItem, entity, number, value};
use crate::organization::Counter;
use crate::page::{Page, PageRequest};
use crate::{Store, keys};

fn no_such_number() -> Failure {
    Failure::not_found("phoneNumberId", "phone number")
}

/// Which way an assignment goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignment {
    Assign,
    Unassign,
}

impl Store {
    pub async fn phone_number(&self, o: &OrganizationId, id: &PhoneNumberId) -> Result<Option<PhoneNumber>, Failure> {
        self.table.get(&keys::phone_number(o, id)).await?.map(entity).transpose()
    }

    pub async fn phone_numbers(
        &self,
        o: &OrganizationId,
        modes: &[Mode],
        page: &PageRequest,
    ) -> Result<Page<PhoneNumber>, Failure> {
        self.table.page(modes.iter().map(|&mode| keys::phone_numbers(o, mode)).collect(), page).await
    }
}

impl Change {
    /// `params` names the request's field of each app, for the failure where an app is missing or full.
    pub fn create_phone_number(
        &mut self,
        o: &OrganizationId,
        number: &PhoneNumber,
        apps: &[(AppId, String)],
    ) -> Result<(), Failure> {
        for (app, param) in apps {
            self.add_number_to_app(o, app, number.id.as_str(), param);
        }
        self.count(o, Counter::PhoneNumbers);
        let claim = NewItem::marker(&keys::phone_number_claim(o, &number.number)).with("id", value(&number.id)?);
        self.create(
            claim,
            fail_with(|| Failure::already_exists("number", "The organization has this phone number already.")),
        );
        let item = NewItem::new(&keys::phone_number(o, &number.id), number)?.string_set("apps");
        self.create(item, fail_with(|| Failure::internal("a fresh phone number id exists already")));
        Ok(())
    }

    pub(crate) fn add_number_to_app(&mut self, o: &OrganizationId, app: &AppId, id: &str, param: &str) {
        let update = Update::new(keys::app(o, app))
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

    /// The number and all its assignments, on the revision that was read; `apps` are those of its apps that exist.
    pub fn delete_phone_number<'a>(
        &mut self,
        o: &OrganizationId,
        seen: &PhoneNumber,
        apps: impl IntoIterator<Item = &'a AppId>,
    ) {
        let as_seen = Condition::new("#revision = :revision").value(":revision", number(seen.revision));
        self.delete(keys::phone_number(o, &seen.id), as_seen, absent_or(no_such_number, |_| Refused::Stale));
        self.delete_any(keys::phone_number_claim(o, &seen.number));
        self.uncount(o, Counter::PhoneNumbers);
        for app in apps {
            self.remove_number_from_app(o, app, seen.id.as_str(), stale());
        }
    }

    fn remove_number_from_app(&mut self, o: &OrganizationId, app: &AppId, id: &str, missing: Verdict) {
        let update = Update::new(keys::app(o, app)).remove_member("numbers", id).add("revision", 1).if_present();
        self.update(update, missing);
    }

    /// Joins a number and an app, or parts them. A repetition is already done.
    pub fn assign(
        &mut self,
        o: &OrganizationId,
        id: &NumberId,
        app: &AppId,
        assignment: Assignment,
        now: Timestamp,
    ) -> Result<(), Failure> {
        match assignment {
            Assignment::Assign => {
                self.add_number_to_app(o, app, id.as_str(), "appId");
                self.add_app_to_number(o, id, app, now)
            }
            Assignment::Unassign => {
                self.remove_number_from_app(o, app, id.as_str(), fail_with(no_such_app));
                self.remove_app_from_number(o, id, app, now)
            }
        }
    }

    fn add_app_to_number(
        &mut self,
        o: &OrganizationId,
        id: &NumberId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let update = Update::new(keys::number(o, id))
            .add_member("apps", app.as_str())
            .add("revision", 1)
            .set("updatedAt", &now)?
            .if_present()
            .when("NOT contains(#apps, :app) AND (attribute_not_exists(#apps) OR size(#apps) < :most)")
            .value(":app", value(app)?)
            .value(":most", number(APPS_PER_NUMBER));
        let app = app.to_string();
        self.update(
            update,
            absent_or(no_such_number, move |item| {
                if holds(item, &app) {
                    return Refused::AlreadyDone;
                }
                let message = "A phone number may be assigned to at most 40 apps.";
                Refused::With(Failure::limit("phoneNumberId", message))
            }),
        );
        Ok(())
    }

    fn remove_app_from_number(
        &mut self,
        o: &OrganizationId,
        id: &NumberId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let update = Update::new(keys::number(o, id))
            .remove_member("apps", app.as_str())
            .add("revision", 1)
            .set("updatedAt", &now)?
            .if_present()
            .when("contains(#apps, :app)")
            .value(":app", value(app)?);
        self.update(update, absent_or(no_such_number, |_| Refused::AlreadyDone));
        Ok(())
    }

    /// Takes a deleted app off one of its numbers; the number may be gone by now.
    pub fn clear_number_of_deleted_app(
        &mut self,
        o: &OrganizationId,
        id: &NumberId,
        app: &AppId,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let update = Update::new(keys::number(o, id))
            .remove_member("apps", app.as_str())
            .add("revision", 1)
            .set("updatedAt", &now)?
            .if_present();
        self.update(update, Box::new(|_| Refused::AlreadyDone));
        Ok(())
    }
}

fn holds(item: &crate::item::Item, app: &str) -> bool {
    item.get("apps").and_then(|apps| apps.as_ss().ok()).is_some_and(|apps| apps.iter().any(|held| held == app))
}
