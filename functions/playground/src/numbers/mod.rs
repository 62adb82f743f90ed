//! Phone numbers of simulated users, and the SMS system numbers of an app.

pub(crate) mod http;

use api::TestApp;
use domain::chat::ChatPhoneNumber;
use domain::playground::fictional_number;
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
    let app = context.store.of(&caller.organization).app(&caller.app_id).await?;
    // The app existed when its key was checked. If it was deleted since, it has no numbers.
    Ok(app.map(|app| app.system_numbers).unwrap_or_default())
}

const NO_RECEIVER: &str = "No such simulated chat number is assigned to this app. Leave out to, to use the one created with \
    the app, or assign the number with PUT /v1/organization/apps/{appId}/phone-numbers/{phoneNumberId}.";

/// Returns the app's chat number that `to` names; without `to`, the number created with the app, else its oldest one. Fails
/// if its account was disconnected: the platform reports nothing of it any more.
pub(crate) async fn receiver(
    store: &OrganizationStore,
    caller: &TestApp,
    to: Option<&E164>,
) -> Result<ChatPhoneNumber, Failure> {
    let number = assigned(store, caller, to).await?;
    if number.released_at.is_some() {
        let message = "The account of this number is not connected, so it receives nothing. Connect the account again.";
        return Err(Failure::of_code(ErrorCode::ChatNotConfigured, message).with_param("to"));
    }
    Ok(number)
}

async fn assigned(store: &OrganizationStore, caller: &TestApp, to: Option<&E164>) -> Result<ChatPhoneNumber, Failure> {
    let app = &caller.app.app_id;
    let is_meant =
        |number: &ChatPhoneNumber| number.apps.contains(app) && to.is_none_or(|to| number.display_phone_number == *to);
    // The credential holds the number that was created with the app, which nearly all messages are for.
    if let Some(own) = &caller.simulated_chat_number
        && to.is_none_or(|to| own.display_phone_number == *to)
        && let Some(number) = store.chat_phone_number(&own.id).await?.filter(is_meant)
    {
        return Ok(number);
    }
    let assigned = store.chat_phone_numbers_of_app(app).await?;
    assigned.into_iter().find(is_meant).ok_or_else(|| Failure::not_found_with("to", NO_RECEIVER))
}
