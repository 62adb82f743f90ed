//! Phone numbers of the organization, and their assignment to apps.

pub(crate) mod http;
mod own;
pub(crate) mod own_http;
mod views;

use std::collections::BTreeSet;

use api::caller::Sees;
use api::{Admin, app_ids};
use domain::audit::{Entry, Trail};
use domain::id::{AppId, PhoneNumberId};
use domain::identity::app::App;
use domain::number::{NumberId, PhoneNumber};
use domain::{E164, Failure};
use runtime::Context;
use store::{AnyNumber, Assignment, Change, Committed, OrganizationStore};
use tokio::join;

/// The validated body of the create operation.
pub(crate) struct NewPhoneNumber {
    number: E164,
    app_ids: Vec<AppId>,
    test: Option<bool>,
}

fn no_such_number() -> Failure {
    Failure::not_found("phoneNumberId", "phone number")
}

async fn create(
    context: &Context,
    caller: &Admin,
    new: &NewPhoneNumber,
) -> Result<(PhoneNumber, Vec<App>, Change), Failure> {
    let mode = caller.mode_of_new(new.test)?;
    let apps = app_ids::find(context, caller, mode, &new.app_ids).await?;
    let now = context.now();
    let assigned: BTreeSet<AppId> = new.app_ids.iter().cloned().collect();
    let id = PhoneNumberId::mint(mode, now, context.random());
    let number = PhoneNumber::new(id, new.number.clone(), assigned, now);
    let mut change = Change::new(&caller.organization);
    change.create_phone_number(&number, &app_ids::with_params(&new.app_ids))?;
    change.enter(&context.entry(&caller.trail, mode).created(&number))?;
    Ok((number, apps, change))
}

/// Returns the number if it exists and the caller may see it.
fn visible(number: Option<PhoneNumber>, caller: &impl Sees) -> Result<PhoneNumber, Failure> {
    let number = number.ok_or_else(no_such_number)?;
    caller.expect_visible(number.id.mode(), "phoneNumberId", "phone number")?;
    Ok(number)
}

/// Deletes a number from the organization and from all apps. Returns these apps.
async fn delete(
    context: &Context,
    caller: &Admin,
    id: &PhoneNumberId,
    number: Option<PhoneNumber>,
) -> Result<Vec<App>, Failure> {
    let org = context.store.of(&caller.organization);
    let number = visible(number, caller)?;
    let mut change = Change::new(&caller.organization);
    change.delete_phone_number(&number, &number.apps, context.now())?;
    change.enter(&context.entry(&caller.trail, id.mode()).deleted(&number))?;
    // The apps are read concurrently with the transaction, which fails if one of them was deleted concurrently.
    let (apps, committed) = join!(org.apps_by_id(&number.apps), context.store.commit(&change));
    match (committed?, apps) {
        (Committed::Stale, _) => delete_current(context, caller, id).await,
        (_, Ok(apps)) => Ok(apps),
        // The number is deleted, and the response still needs the names of its apps.
        (_, Err(_)) => org.apps_by_id(&number.apps).await,
    }
}

/// Reads the number again and deletes it, after a concurrent change.
async fn delete_current(context: &Context, caller: &Admin, id: &PhoneNumberId) -> Result<Vec<App>, Failure> {
    let org = &context.store.of(&caller.organization);
    let decide = || async move {
        let number = visible(org.phone_number(id).await?, caller)?;
        let apps = org.apps_by_id(&number.apps).await?;
        let mut change = Change::new(&caller.organization);
        change.delete_phone_number(&number, apps.iter().map(|app| &app.id), context.now())?;
        change.enter(&context.entry(&caller.trail, id.mode()).deleted(&number))?;
        Ok((change, apps))
    };
    context.store.settle(decide).await
}

/// A request to assign a number to an app, or to unassign it.
pub(crate) struct AssignmentRequest {
    app: AppId,
    id: NumberId,
    assignment: Assignment,
}

/// Assigns a number to an app, or unassigns it. Idempotent. Returns the changed number with its apps. The change is based on
/// the number that was read, and is only committed if that number is still current.
async fn assign(
    context: &Context,
    caller: &Admin,
    request: &AssignmentRequest,
    stored: Option<AnyNumber>,
) -> Result<(AnyNumber, Vec<App>), Failure> {
    let AssignmentRequest { app, id, assignment } = request;
    caller.expect_visible(app.mode(), "appId", "app")?;
    let org = context.store.of(&caller.organization);
    if app.mode() != id.mode() {
        let number = stored.filter(|_| caller.mode.sees(id.mode()));
        return Err(mode_mismatch(&org, app, number.as_ref()).await?);
    }

    let read = || org.any_number(id);
    let decide = |stored: Result<Option<AnyNumber>, Failure>| async move {
        let (now, stored) = (context.now(), stored?);
        let mut change = Change::new(&caller.organization);
        change.assign(id, stored.as_ref(), app, "appId", *assignment, now)?;
        let assigned = stored.as_ref().map(|number| number.clone().with(app, *assignment, now));
        if let (Some(before), Some(after)) = (&stored, &assigned)
            && before.apps() != after.apps()
        {
            change.enter(&assignment_entry(context, &caller.trail, before, after))?;
        }
        Ok((change, assigned))
    };

    // The apps are read concurrently with the transaction, and again if another request changed the number first.
    let expected = stored.clone().map(|number| number.with(app, *assignment, context.now()));
    let expected: BTreeSet<AppId> = expected.map(|number| number.apps().clone()).unwrap_or_default();
    let (assigned, apps) = join!(context.store.settle_from(Ok(stored), read, decide), org.apps_by_id(&expected));
    let assigned = assigned?.ok_or_else(no_such_number)?;
    let apps = if *assigned.apps() == expected { apps? } else { org.apps_by_id(assigned.apps()).await? };
    Ok((assigned, apps))
}

/// Returns the entry for a number that was assigned or unassigned.
fn assignment_entry(context: &Context, trail: &Trail, before: &AnyNumber, after: &AnyNumber) -> Entry {
    let entry = context.entry(trail, before.id().mode());
    match (before, after) {
        (AnyNumber::Phone(before), AnyNumber::Phone(after)) => entry.changed(before, after),
        (AnyNumber::Chat(before), AnyNumber::Chat(after)) => entry.changed(before.as_ref(), after.as_ref()),
        _ => entry,
    }
}

/// Returns the failure for a number and an app of different modes. Missing objects are reported first.
async fn mode_mismatch(org: &OrganizationStore, app: &AppId, number: Option<&AnyNumber>) -> Result<Failure, Failure> {
    if org.app(app).await?.is_none() {
        return Ok(Failure::not_found("appId", "app"));
    }
    if number.is_none() {
        return Ok(no_such_number());
    }
    Ok(Failure::invalid("phoneNumberId", "The number and the app must have the same mode: both live or both test."))
}
