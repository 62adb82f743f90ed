//! The operation that registers a number of the organization, with the caller's two-step PIN or the stored one. A number
//! that is registered already is registered again, which takes an approved display name into use.

use api::Admin;
use domain::Failure;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::identity::credential::Secret;
use platform::{Line, NumberStanding, not_connected};
use store::OrganizationStore;

use super::profile::{NUMBER, entry, reach};
use super::registration::{barrier, register};
use crate::{ChatContext, audit};

/// Registers a number. Returns it as it is then.
pub(super) async fn perform(
    chat: &ChatContext,
    caller: &Admin,
    number: Option<ChatPhoneNumber>,
    pin: Option<&Secret>,
) -> Result<ChatPhoneNumber, Failure> {
    let (number, line) = reach(chat, caller, number).await?;
    let org = &chat.context.store.of(&caller.organization);
    let profile = profile_of(org, &number).await?;
    let found = standing(&line, &number).await?;
    if let Some(reason) = barrier(&profile, &number, &found, chat.context.now()) {
        return Err(Failure::conflict(format!("The number cannot be registered now. {reason}")).with_param(NUMBER));
    }
    let under_way = audit::begin(chat, &caller.organization, entry(chat, &caller.trail, &number)).await?;
    let registered = match register(chat, org, &line, &number.id, pin).await {
        Ok((number, Some(error))) => Err(line.failure(error, &number.provider_phone_number_id).await),
        Ok((number, None)) => Ok(number),
        Err(failure) => Err(failure),
    };
    under_way.end(registered).await
}

/// Returns the profile of a number's account. Fails if the account is being disconnected: its secrets are deleted then.
pub(super) async fn profile_of(
    org: &OrganizationStore,
    number: &ChatPhoneNumber,
) -> Result<ChatBusinessProfile, Failure> {
    let profile = org.chat_business_profile(&number.business_profile.id).await?;
    let profile = profile.ok_or_else(|| Failure::internal("the profile of a number does not exist"))?;
    if profile.is_given_up() { Err(not_connected()) } else { Ok(profile) }
}

/// Returns whether the number is verified and in use at the platform.
pub(super) async fn standing(line: &Line, number: &ChatPhoneNumber) -> Result<NumberStanding, Failure> {
    let node = &number.provider_phone_number_id;
    match line.platform.number_standing(&line.token, node).await {
        Ok(standing) => Ok(standing),
        Err(error) => Err(line.failure(error, node).await),
    }
}
