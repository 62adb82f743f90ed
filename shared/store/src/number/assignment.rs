//! The assignment of phone numbers to apps. The set of the number and the set of the app are written together, and
//! conditions limit their size.

use aws_sdk_dynamodb::types::AttributeValue;
use domain::id::{AppId, ChatPhoneNumberId, Identifier as _};
use domain::identity::app::NUMBERS_PER_APP;
use domain::number::{APPS_PER_NUMBER, NumberId};
use domain::{Failure, Timestamp};

use super::{AnyNumber, no_such_number};
use crate::engine::change::{Change, Refused, Verdict, absent_or, fail_with};
use crate::engine::expression::Update;
use crate::engine::item::{Item, number, value};
use crate::identity::app::no_such_app;
use crate::keys;

/// The direction of a change of assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignment {
    Assign,
    Unassign,
}

impl Change {
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
                    let message =
                        format!("An app may have at most {NUMBERS_PER_APP} phone numbers. Unassign one first.");
                    Refused::With(Failure::limit(full.clone(), message))
                },
            ),
        );
    }

    pub(super) fn remove_number_from_app(&mut self, app: &AppId, id: &str, missing: Verdict) {
        let update = Update::new(keys::app(&self.organization, app))
            .remove_member("numbers", id)
            .add("revision", 1)
            .if_present();
        self.update(update, missing);
    }

    /// Assigns a number to an app, or removes the assignment. Already done if there is nothing to change; stale if the
    /// number has changed since it was read. `param` names the request's parameter in the failure for a full app.
    pub fn assign(
        &mut self,
        id: &NumberId,
        stored: Option<&AnyNumber>,
        app: &AppId,
        param: &str,
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
                let message = format!(
                    "A phone number may be assigned to at most {APPS_PER_NUMBER} apps. Unassign it from one first."
                );
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
