//! The operation that adds a number of a connected account to the organization and registers it with the platform.

use api::{Admin, app_ids};
use domain::audit::{Entry, TargetKind};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::AppId;
use domain::identity::credential::Secret;
use domain::{E164, Failure};
use platform::{Line, PlatformError, PlatformNumber};
use store::OrganizationStore;

use super::registration::{obstacle, register};
use super::{NumberToAdd, add, taken};
use crate::{ChatContext, audit};

const ACCOUNT: &str = "providerBusinessAccountId";
const NUMBER: &str = "providerPhoneNumberId";

/// The validated body of the operation.
pub(crate) struct Registration {
    pub(super) display_phone_number: E164,
    pub(super) provider_phone_number_id: String,
    pub(super) provider_business_account_id: String,
    pub(super) app_ids: Vec<AppId>,
    /// The number's two-step PIN; without one, the stored one is used.
    pub(super) pin: Option<Secret>,
}

pub(super) struct Registered {
    pub(super) number: ChatPhoneNumber,
    pub(super) is_new: bool,
}

/// Performs the operation. A new number is added even if it cannot be registered. For a known number that is not
/// registered, the reason is returned as an error.
pub(super) async fn perform(chat: &ChatContext, caller: &Admin, wanted: &Registration) -> Result<Registered, Failure> {
    let context = &chat.context;
    let org = &context.store.of(&caller.organization);
    let profile = profile_of_account(org, caller, &wanted.provider_business_account_id).await?;
    app_ids::find(context, caller, profile.mode, &wanted.app_ids).await?;
    let line = chat.platforms.line(&profile).await?;
    let found = at_platform(&line, &profile, wanted).await?;
    if is_registered(org, &profile, &found).await? {
        return Err(taken());
    }

    let under_way = audit::begin(chat, &caller.organization, entry(chat, caller, &profile, wanted)).await?;
    let registered = add_and_register(chat, org, &line, &profile, &found, wanted).await;
    under_way.end_with(registered, |entry, made| entry.about(TargetKind::ChatPhoneNumber, &made.number.id)).await
}

/// Returns the entry of the audit log. The target is the account until the number has an id.
fn entry(chat: &ChatContext, caller: &Admin, profile: &ChatBusinessProfile, wanted: &Registration) -> Entry {
    let entry = chat.context.entry(&caller.trail, profile.mode).about(TargetKind::ChatBusinessProfile, &profile.id);
    entry.field("displayPhoneNumber", None, Some(&wanted.display_phone_number.to_string()))
}

async fn add_and_register(
    chat: &ChatContext,
    org: &OrganizationStore,
    line: &Line,
    profile: &ChatBusinessProfile,
    found: &PlatformNumber,
    wanted: &Registration,
) -> Result<Registered, Failure> {
    let context = &chat.context;
    let (number, is_new) = add(context, org, &NumberToAdd { profile, found, apps: &wanted.app_ids }).await?;
    match obstacle(profile, &number, &found.standing(), context.now()) {
        Some(_) if is_new => Ok(Registered { number, is_new }),
        Some(reason) => {
            let message = format!("The number cannot be registered now. {reason}");
            Err(Failure::conflict(message).with_param(NUMBER))
        }
        None => {
            let (number, rejection) = register(chat, org, line, &number.id, wanted.pin.as_ref()).await?;
            match rejection {
                Some(error) if is_new => log(&number, error),
                Some(error) => return Err(line.failure(error, &number.provider_phone_number_id).await),
                None => {}
            }
            Ok(Registered { number, is_new })
        }
    }
}

fn log(number: &ChatPhoneNumber, error: PlatformError) {
    let code = Failure::from(error).provider_details().map_or(0, |provider| provider.number());
    tracing::warn!(number = %number.id, code, "a number could not be registered");
}

/// Returns whether the organization has the number and the number is registered with the platform's API, according to
/// the platform or, if it does not report that, to the stored number.
async fn is_registered(
    org: &OrganizationStore,
    profile: &ChatBusinessProfile,
    found: &PlatformNumber,
) -> Result<bool, Failure> {
    let claim = org.platform_number(profile.mode, &found.id).await?;
    let Some(claim) = claim.filter(|claim| claim.organization_id == *org.organization_id()) else { return Ok(false) };
    let number = org.chat_phone_number(&claim.number_id).await?;
    Ok(number.is_some_and(|number| found.is_connected.unwrap_or(number.cloud_api_registered)))
}

/// Returns the profile of the account: of a live account first, else of a simulated one, if the caller may see them.
async fn profile_of_account(
    org: &OrganizationStore,
    caller: &Admin,
    account: &str,
) -> Result<ChatBusinessProfile, Failure> {
    for &mode in caller.mode.visible() {
        let claim = org.platform_account(mode, account).await?;
        if let Some(claim) = claim.filter(|claim| claim.organization_id == *org.organization_id()) {
            let profile = org.chat_business_profile(&claim.profile_id).await?;
            return profile.ok_or_else(|| Failure::internal("an account is claimed by a profile that does not exist"));
        }
    }
    let message = "No chat business profile of this organization has this account. Connect the account with POST \
                   /v1/organization/chat/business-profiles/callback.";
    Err(Failure::not_found_with(ACCOUNT, message))
}

/// Reads the number from the platform's list of the account.
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
        let message = "WhatsApp lists no number with this providerPhoneNumberId and displayPhoneNumber in the account.";
        Failure::invalid("displayPhoneNumber", message)
    })
}
