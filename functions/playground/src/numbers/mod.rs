//! Phone numbers of simulated users, and the SMS system numbers of an app.

pub(crate) mod http;

use api::TestApp;
use domain::chat::ChatPhoneNumber;
use domain::testing::playground::fictional_number;
use domain::{E164, ErrorCode, Failure};
use runtime::Context;
use store::{Change, OrganizationStore};

/// Decides on a new number. The commit is stale if the organization has the number already.
fn generate(context: &Context, TestApp { app: caller, .. }: &TestApp) -> Result<(E164, Change), Failure> {
    let number = fictional_number(context.random());
    let mut change = Change::new(&caller.organization);
    change.give_out_user_number(&number)?;
    Ok((number, change))
}

async fn system_numbers(context: &Context, TestApp { app: caller, .. }: &TestApp) -> Result<Vec<E164>, Failure> {
    context.store.of(&caller.organization).system_numbers_of_app(&caller.app_id).await
}

fn no_receiver(param: &str) -> String {
    format!(
        "No such simulated chat number is assigned to this app. Leave out {param}, to use the one created with the app, or \
         assign the number with PUT /v1/organization/apps/{{appId}}/phone-numbers/{{phoneNumberId}}."
    )
}

/// Returns the app's chat number that `to` names; without `to`, the number created with the app, else its oldest one.
/// Fails if its account was disconnected, because the platform no longer reports anything about it.
pub(crate) async fn receiver(
    store: &OrganizationStore,
    caller: &TestApp,
    to: Option<&E164>,
) -> Result<ChatPhoneNumber, Failure> {
    let number = of_app(store, caller, to, "to").await?;
    if number.released_at.is_some() {
        let message = "The account of this number is not connected, so it receives nothing. Connect the account again.";
        return Err(Failure::of_code(ErrorCode::ChatNotConfigured, message).with_param("to"));
    }
    Ok(number)
}

/// Returns the app's chat number that `to` names, even if its account was disconnected. `param` is the request's
/// parameter.
pub(crate) async fn of_app(
    store: &OrganizationStore,
    caller: &TestApp,
    to: Option<&E164>,
    param: &str,
) -> Result<ChatPhoneNumber, Failure> {
    let app = &caller.app.app_id;
    let is_meant =
        |number: &ChatPhoneNumber| number.apps.contains(app) && to.is_none_or(|to| number.display_phone_number == *to);
    // The credential contains the number that was created with the app, and nearly all messages are for it.
    if let Some(own) = &caller.simulated_chat_number
        && to.is_none_or(|to| own.display_phone_number == *to)
        && let Some(number) = store.chat_phone_number(&own.id).await?.filter(is_meant)
    {
        return Ok(number);
    }
    let assigned = store.chat_phone_numbers_of_app(app).await?;
    assigned.into_iter().find(is_meant).ok_or_else(|| Failure::not_found_with(param, no_receiver(param)))
}
