//! Phone numbers of the organization, and which apps use them.

pub(crate) mod http;

use std::collections::BTreeSet;

use api::caller::Sees;
use api::idempotency::Retries;
use api::{Admin, Context, app_ids};
use domain::app::App;
use domain::chat::ChatPhoneNumber;
use domain::id::{AppId, OrganizationId, PhoneNumberId};
use domain::number::{NumberId, PhoneNumber};
use domain::{E164, Failure};
use store::{Assignment, Change};

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
    let apps = app_ids::judge(caller, mode, &new.app_ids, apps?)?;
    let now = context.now();
    let number = PhoneNumber {
        id: PhoneNumberId::mint(mode, now, context.random()),
        number: new.number.clone(),
        apps: new.app_ids.iter().cloned().collect(),
        revision: 1,
        created_at: now,
        updated_at: now,
    };
    let mut change = Change::new();
    change.create_phone_number(&caller.organization, &number, &app_ids::with_params(&new.app_ids))?;
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
    mut found: Option<PhoneNumber>,
) -> Result<Vec<App>, Failure> {
    let o = &caller.organization;
    let mut retries = Retries::default();
    loop {
        let number = visible(found, caller)?;
        let apps = context.store.apps_by_id(o, &number.apps).await?;
        let mut change = Change::new();
        change.delete_phone_number(&caller.organization, &number, apps.iter().map(|app| &app.id));
        if retries.settle(context, &change).await?.is_some() {
            return Ok(apps);
        }
        found = context.store.phone_number(o, id).await?;
    }
}

/// Either kind of number.
pub(crate) enum AnyNumber {
    Phone(PhoneNumber),
    Chat(Box<ChatPhoneNumber>),
}

impl AnyNumber {
    fn apps(&self) -> &BTreeSet<AppId> {
        match self {
            AnyNumber::Phone(number) => &number.apps,
            AnyNumber::Chat(number) => &number.apps,
        }
    }
}

/// Assigns a number to an app, or takes it off; repeating it changes nothing.
async fn assign(
    context: &Context,
    caller: &Admin,
    app: &AppId,
    id: &NumberId,
    assignment: Assignment,
) -> Result<(AnyNumber, Vec<App>), Failure> {
    caller.expect_visible(app.mode(), "appId", "app")?;
    caller.expect_visible(id.mode(), "phoneNumberId", "phone number")?;
    let o = &caller.organization;
    if app.mode() != id.mode() {
        return Err(mode_mismatch(context, o, app, id).await?);
    }
    let mut change = Change::new();
    change.assign(o, id, app, assignment, context.now())?;
    context.store.commit(&change).await?;
    let number = any_number(context, o, id).await?.ok_or_else(no_such_number)?;
    let apps = context.store.apps_by_id(o, number.apps()).await?;
    Ok((number, apps))
}

async fn any_number(context: &Context, o: &OrganizationId, id: &NumberId) -> Result<Option<AnyNumber>, Failure> {
    Ok(match id {
        NumberId::Phone(id) => context.store.phone_number(o, id).await?.map(AnyNumber::Phone),
        NumberId::Chat(id) => {
            context.store.chat_phone_number(o, id).await?.map(|number| AnyNumber::Chat(Box::new(number)))
        }
    })
}

/// Objects that do not exist come before the rule that joins objects of one mode.
async fn mode_mismatch(context: &Context, o: &OrganizationId, app: &AppId, id: &NumberId) -> Result<Failure, Failure> {
    if context.store.app(o, app).await?.is_none() {
        return Ok(Failure::not_found("appId", "app"));
    }
    if any_number(context, o, id).await?.is_none() {
        return Ok(no_such_number());
    }
    Ok(Failure::invalid("phoneNumberId", "A number and its apps must be of one mode, both live or both test."))
}
