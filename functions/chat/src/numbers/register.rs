//! E3: a number of a connected account, taken into the organization and registered with the platform.

use api::{Admin, app_ids};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{AppId, OrganizationId};
use domain::{E164, Failure};
use platform::{Line, PlatformError, PlatformNumber};

use super::registration::{obstacle, register};
use super::{take_in, taken};
use crate::ChatContext;

const ACCOUNT: &str = "providerBusinessAccountId";
const NUMBER: &str = "providerPhoneNumberId";

pub(crate) struct Registration {
    pub(super) display_phone_number: E164,
    pub(super) provider_phone_number_id: String,
    pub(super) provider_business_account_id: String,
    pub(super) app_ids: Vec<AppId>,
}

pub(super) struct Registered {
    pub(super) number: ChatPhoneNumber,
    pub(super) is_new: bool,
}

/// Whoever asks for a number that is known and not registered wants to know why; a number that is new is taken in whatever
/// the platform says of registering it.
pub(super) async fn perform(chat: &ChatContext, caller: &Admin, wanted: &Registration) -> Result<Registered, Failure> {
    let organization = &caller.organization;
    let profile = profile_of_account(chat, caller, &wanted.provider_business_account_id).await?;
    app_ids::find(&chat.context, caller, profile.mode, &wanted.app_ids).await?;
    let line = chat.platforms.line(&profile).await?;
    let found = at_platform(&line, &profile, wanted).await?;
    if is_registered(chat, organization, &profile, &found).await? {
        return Err(taken());
    }
    let (number, is_new) = take_in(chat, organization, &profile, &found, &wanted.app_ids).await?;
    match obstacle(&profile, &number, &found, chat.context.now()) {
        Some(_) if is_new => Ok(Registered { number, is_new }),
        Some(why) => {
            let message = format!("The number cannot be registered now. {why}");
            Err(Failure::conflict(message).with_param(NUMBER))
        }
        None => {
            let (number, refusal) = register(chat, organization, &line, &number.id).await?;
            match refusal {
                Some(error) if is_new => log(&number, error),
                Some(error) => return Err(line.failure(error, &number.provider_phone_number_id).await),
                None => {}
            }
            Ok(Registered { number, is_new })
        }
    }
}

fn log(number: &ChatPhoneNumber, error: PlatformError) {
    let code = Failure::from(error).provider_details().map_or(0, |provider| provider.code);
    tracing::warn!(number = %number.id, code, "a number could not be registered");
}

/// Registered with the platform's API already, as far as both know.
async fn is_registered(
    chat: &ChatContext,
    organization: &OrganizationId,
    profile: &ChatBusinessProfile,
    found: &PlatformNumber,
) -> Result<bool, Failure> {
    let store = &chat.context.store;
    let claim = store.of(organization).platform_number(profile.mode, &found.id).await?;
    let Some(claim) = claim.filter(|claim| claim.organization_id == *organization) else { return Ok(false) };
    let number = store.of(organization).chat_phone_number(&claim.number_id).await?;
    Ok(number.is_some_and(|number| found.is_connected.unwrap_or(number.cloud_api_registered)))
}

/// A live account first, then a simulated one, as far as the caller may see them.
async fn profile_of_account(chat: &ChatContext, caller: &Admin, account: &str) -> Result<ChatBusinessProfile, Failure> {
    let (organization, store) = (&caller.organization, &chat.context.store);
    for &mode in caller.mode.visible() {
        let claim = store.of(organization).platform_account(mode, account).await?;
        if let Some(claim) = claim.filter(|claim| claim.organization_id == *organization) {
            let profile = store.of(organization).chat_business_profile(&claim.profile_id).await?;
            return profile.ok_or_else(|| Failure::internal("an account is claimed by a profile that does not exist"));
        }
    }
    Err(Failure::not_found(ACCOUNT, "business account among the organization's chat business profiles"))
}

async fn at_platform(
    line: &Line,
    profile: &ChatBusinessProfile,
    wanted: &Registration,
) -> Result<PlatformNumber, Failure> {
    let listed = line.platform.phone_numbers(&line.token, &profile.provider_waba_id).await;
    let listed = match listed {
        Ok(listed) => listed,
        Err(error) => return Err(line.failure(error, &profile.provider_waba_id).await),
    };
    let found = listed.into_iter().find(|number| number.id == wanted.provider_phone_number_id);
    found.filter(|number| number.display_phone_number == wanted.display_phone_number).ok_or_else(|| {
        let message = "The platform lists no number with this id and these digits in the account.";
        Failure::invalid("displayPhoneNumber", message)
    })
}
