//! Phone numbers of the organization, and which apps use them.

pub(crate) mod http;

use std::collections::BTreeSet;

use api::caller::Sees;
use api::{Admin, app_ids};
use domain::app::App;
use domain::id::{AppId, PhoneNumberId};
use domain::number::{NumberId, PhoneNumber};
use domain::{E164, Failure};
use runtime::Context;
use store::{AnyNumber, Assignment, Change, Committed, OrganizationStore};
use tokio::join;

pub(crate) struct NewPhoneNumber {
    number: E164,
    app_ids: Vec<AppId>,
    test: Option<bool>,
}

fn no_such_number() -> Failure {
    Failure::not_found("phoneNumberId", "phone number")
}

fn create(
    context: &Context,
    caller: &Admin,
    new: &NewPhoneNumber,
    apps: Result<Vec<App>, Failure>,
) -> Result<(PhoneNumber, Vec<App>, Change), Failure> {
    let mode = caller.mode_of_new(new.test)?;
    let apps = app_ids::validate(caller, mode, &new.app_ids, apps?)?;
    let now = context.now();
    let number = PhoneNumber {
        id: PhoneNumberId::mint(mode, now, context.random()),
        number: new.number.clone(),
        apps: new.app_ids.iter().cloned().collect(),
        revision: 1,
        created_at: now,
        updated_at: now,
    };
    let mut change = Change::new(&caller.organization);
    change.create_phone_number(&number, &app_ids::with_params(&new.app_ids))?;
    Ok((number, apps, change))
}

/// The number that was found, if the caller may see it.
fn visible(found: Option<PhoneNumber>, caller: &impl Sees) -> Result<PhoneNumber, Failure> {
    let number = found.ok_or_else(no_such_number)?;
    caller.expect_visible(number.id.mode(), "phoneNumberId", "phone number")?;
    Ok(number)
}

/// Deletes a number from the organization and from all apps, which are the answer.
async fn delete(
    context: &Context,
    caller: &Admin,
    id: &PhoneNumberId,
    found: Option<PhoneNumber>,
) -> Result<Vec<App>, Failure> {
    let own = context.store.of(&caller.organization);
    let number = visible(found, caller)?;
    let mut change = Change::new(&caller.organization);
    change.delete_phone_number(&number, &number.apps);
    // All its apps exist, but for one that was just deleted: the transaction says so, and they are read beside it.
    let (apps, committed) = join!(own.apps_by_id(&number.apps), context.store.commit(&change));
    match (committed?, apps) {
        (Committed::Stale, _) => delete_as_it_is_now(context, caller, id).await,
        (_, Ok(apps)) => Ok(apps),
        // It is done, and the answer needs their names.
        (_, Err(_)) => own.apps_by_id(&number.apps).await,
    }
}

async fn delete_as_it_is_now(context: &Context, caller: &Admin, id: &PhoneNumberId) -> Result<Vec<App>, Failure> {
    let own = context.store.of(&caller.organization);
    let own = &own;
    let decide = || async move {
        let number = visible(own.phone_number(id).await?, caller)?;
        let apps = own.apps_by_id(&number.apps).await?;
        let mut change = Change::new(&caller.organization);
        change.delete_phone_number(&number, apps.iter().map(|app| &app.id));
        Ok((change, apps))
    };
    context.store.settle(decide).await
}

/// Which number goes to which app, or leaves it.
pub(crate) struct Assigning {
    app: AppId,
    id: NumberId,
    assignment: Assignment,
}

/// Assigns a number to an app, or takes it off; repeating it changes nothing. The answer is the number that was found,
/// changed: the change holds only if that is still how it was.
async fn assign(
    context: &Context,
    caller: &Admin,
    asked: &Assigning,
    found: Option<AnyNumber>,
) -> Result<(AnyNumber, Vec<App>), Failure> {
    let Assigning { app, id, assignment } = asked;
    caller.expect_visible(app.mode(), "appId", "app")?;
    caller.expect_visible(id.mode(), "phoneNumberId", "phone number")?;
    let own = context.store.of(&caller.organization);
    if app.mode() != id.mode() {
        return Err(mode_mismatch(&own, app, found.as_ref()).await?);
    }
    let read = || own.any_number(id);
    let decide = |found: Result<Option<AnyNumber>, Failure>| async move {
        let (now, found) = (context.now(), found?);
        let seen = found.as_ref().map_or(0, AnyNumber::revision);
        let mut change = Change::new(&caller.organization);
        change.assign((id, seen), app, *assignment, now)?;
        Ok((change, found.map(|number| number.with(app, *assignment, now))))
    };
    // Their apps are read beside the transaction, and again where another request was faster.
    let expected = found.clone().map(|number| number.with(app, *assignment, context.now()));
    let expected: BTreeSet<AppId> = expected.map(|number| number.apps().clone()).unwrap_or_default();
    let (assigned, apps) = join!(context.store.settle_from(Ok(found), read, decide), own.apps_by_id(&expected));
    let assigned = assigned?.ok_or_else(no_such_number)?;
    let apps = if *assigned.apps() == expected { apps? } else { own.apps_by_id(assigned.apps()).await? };
    Ok((assigned, apps))
}

/// Objects that do not exist come before the rule that joins objects of one mode.
async fn mode_mismatch(own: &OrganizationStore, app: &AppId, number: Option<&AnyNumber>) -> Result<Failure, Failure> {
    if own.app(app).await?.is_none() {
        return Ok(Failure::not_found("appId", "app"));
    }
    if number.is_none() {
        return Ok(no_such_number());
    }
    Ok(Failure::invalid("phoneNumberId", "A number and its apps must be of one mode, both live or both test."))
}
