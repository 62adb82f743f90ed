//! The operation that ends the registration of a number.

use api::Admin;
use domain::Failure;
use domain::chat::ChatPhoneNumber;
use platform::Line;
use store::OrganizationStore;

use super::amend;
use super::hold::Hold;
use super::profile::{NUMBER, entry, reach};
use super::register_again::{profile_of, standing};
use super::registration::count_attempt;
use crate::{ChatContext, audit};

/// Deregisters a number. One that is not registered is left as it is, so that a repeated request makes no attempt.
/// Returns the number as it is then.
pub(super) async fn perform(
    chat: &ChatContext,
    caller: &Admin,
    number: Option<ChatPhoneNumber>,
) -> Result<ChatPhoneNumber, Failure> {
    let (number, line) = reach(chat, caller, number).await?;
    let context = &chat.context;
    let org = &context.store.of(&caller.organization);
    let profile = profile_of(org, &number).await?;
    let found = standing(&line, &number).await?;
    if profile.is_coexistence || found.is_on_business_app {
        let message = "The number is in use on the WhatsApp Business app and cannot be deregistered here. Its owner can \
                       disconnect it in the app, under Settings, Account, Business Platform.";
        return Err(Failure::conflict(message).with_param(NUMBER));
    }
    if !found.is_connected.unwrap_or(number.cloud_api_registered) {
        if !number.cloud_api_registered {
            return Ok(number);
        }
        return amend(context, org, &number.id, |number| {
            number.cloud_api_registered = false;
            Ok(())
        })
        .await;
    }

    let under_way = audit::begin(chat, &caller.organization, entry(chat, &caller.trail, &number)).await?;
    under_way.end(deregister(chat, org, &line, &number).await).await
}

async fn deregister(
    chat: &ChatContext,
    org: &OrganizationStore,
    line: &Line,
    number: &ChatPhoneNumber,
) -> Result<ChatPhoneNumber, Failure> {
    let now = chat.context.now();
    let hold = Hold::take(chat, org, &number.id, |number| {
        count_attempt(number, now).map_err(|failure| failure.with_param(NUMBER))
    })
    .await?;
    let node = &number.provider_phone_number_id;
    match line.platform.deregister(&line.token, node).await {
        Ok(()) => hold.release_with(|number| number.cloud_api_registered = false).await,
        Err(error) => hold.or_release(Err(line.failure(error, node).await)).await,
    }
}
