//! The phone numbers of an app, which can take free numbers and give them back. Only an admin key can share or move a
//! number that an app has.

use std::collections::BTreeSet;

use api::{AppCaller, List, ListQuery};
use domain::id::AppId;
use domain::identity::app::App;
use domain::number::NumberId;
use domain::{ErrorCode, Failure};
use runtime::Context;
use store::{AnyNumber, Assignment, Change, Page};

use super::views::AppNumberView;
use super::{assignment_entry, no_such_number};

/// Returns the app's numbers of both kinds, newest first. An app has at most fifty, whose ids the app's item holds.
pub(super) async fn list(
    context: &Context,
    caller: &AppCaller,
    query: &ListQuery,
) -> Result<List<AppNumberView>, Failure> {
    let AppCaller { organization, app_id, .. } = caller;
    let name = format!("app-phone-numbers/{app_id}");
    let request = query.page(organization, &name)?;

    let org = context.store.of(organization);
    let app = org.app(app_id).await?;
    let numbers = app.map(|app| app.numbers).unwrap_or_default();
    let mut ids: Vec<NumberId> = numbers.iter().filter_map(|id| id.parse().ok()).collect();
    ids.retain(|id| request.before.as_deref().is_none_or(|before| id.ksuid() < before));
    ids.sort_by(|a, b| b.ksuid().cmp(a.ksuid()));
    let more = ids.len() > request.limit;
    ids.truncate(request.limit);
    let next = ids.last().filter(|_| more).map(|last| last.ksuid().to_owned());

    let numbers = org.any_numbers(&ids).await?;
    let apps: BTreeSet<&AppId> = numbers.iter().flat_map(AnyNumber::apps).collect();
    let apps = org.apps_by_id(apps).await?;
    let view = |number: AnyNumber| {
        let assigned: Vec<App> = apps.iter().filter(|app| number.apps().contains(&app.id)).cloned().collect();
        AppNumberView::new(number, assigned)
    };
    // A number that was deleted concurrently is missing on the page.
    let page = Page { items: numbers.into_iter().map(view).collect(), next };
    List::new(page, organization, &name, AppNumberView::ksuid)
}

/// Returns the number if it is of the app's mode, and either belongs to this app or to no app.
fn allowed(stored: Option<AnyNumber>, caller: &AppCaller) -> Result<AnyNumber, Failure> {
    let number = stored.filter(|number| number.id().mode() == caller.app_id.mode()).ok_or_else(no_such_number)?;
    if number.apps().is_empty() || number.apps().contains(&caller.app_id) {
        return Ok(number);
    }
    let message = "Another app has this phone number. Only an admin key can share or move it.";
    Err(Failure::of_code(ErrorCode::PhoneNumberNotAssigned, message).with_param("phoneNumberId"))
}

/// Decides on taking a number or giving it back. Returns the resulting number.
pub(super) fn assign(
    context: &Context,
    caller: &AppCaller,
    id: &NumberId,
    assignment: Assignment,
    stored: Option<AnyNumber>,
) -> Result<(AnyNumber, Change), Failure> {
    let (number, now) = (allowed(stored, caller)?, context.now());
    let mut change = Change::new(&caller.organization);
    if number.apps().contains(&caller.app_id) != (assignment == Assignment::Assign) {
        change.assign(id, Some(&number), &caller.app_id, "phoneNumberId", assignment, now)?;
        let assigned = number.clone().with(&caller.app_id, assignment, now);
        change.enter(&assignment_entry(context, &caller.trail, &number, &assigned))?;
        return Ok((assigned, change));
    }
    Ok((number, change))
}
