//! E3: a number of a connected account, taken into the organization and registered with the platform.

use api::{Admin, app_ids};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{AppId, OrganizationId};
use domain::number::NumberId;
use domain::{E164, Failure};
use platform::{Line, PlatformNumber};
use store::{Assignment, Change, NumberClaim};

use super::registration::{obstacle, register};
use super::{amend, new_number, no_such_number, refresh};
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

pub(super) async fn perform(chat: &ChatContext, caller: &Admin, wanted: &Registration) -> Result<Registered, Failure> {
    let o = &caller.organization;
    let profile = profile_of_account(chat, caller, &wanted.provider_business_account_id).await?;
    app_ids::find(&chat.context, caller, profile.mode, &wanted.app_ids).await?;
    let known = known_number(chat, o, &profile, &wanted.provider_phone_number_id).await?;
    let line = chat.platforms.line(&profile).await?;
    let found = at_platform(&line, &profile, wanted).await?;
    match known {
        None => first_time(chat, o, &line, &profile, wanted, &found).await,
        Some(number) => again(chat, o, &line, number, wanted, &found).await,
    }
}

/// A live account first, then a simulated one, as far as the caller may see them.
async fn profile_of_account(chat: &ChatContext, caller: &Admin, account: &str) -> Result<ChatBusinessProfile, Failure> {
    let (o, store) = (&caller.organization, &chat.context.store);
    for &mode in caller.mode.visible() {
        let claim = store.platform_account(o, mode, account).await?;
        if let Some(claim) = claim.filter(|claim| claim.organization_id == *o) {
            let profile = store.chat_business_profile(o, &claim.profile_id).await?;
            return profile.ok_or_else(|| Failure::internal("an account is claimed by a profile that does not exist"));
        }
    }
    Err(Failure::not_found(ACCOUNT, "business account among the organization's chat business profiles"))
}

fn taken() -> Failure {
    Failure::already_exists(NUMBER, "This phone number of the platform is connected already.")
}

/// A number of this organization that is not registered yet; any other known number is taken.
async fn known_number(
    chat: &ChatContext,
    o: &OrganizationId,
    profile: &ChatBusinessProfile,
    platform_id: &str,
) -> Result<Option<ChatPhoneNumber>, Failure> {
    let store = &chat.context.store;
    let claim: Option<NumberClaim> = store.platform_number(o, profile.mode, platform_id).await?;
    let Some(claim) = claim else { return Ok(None) };
    if claim.organization_id != *o || claim.profile_id != profile.id {
        return Err(taken());
    }
    let number = store.chat_phone_number(o, &claim.number_id).await?.ok_or_else(|| no_such_number(NUMBER))?;
    if number.cloud_api_registered { Err(taken()) } else { Ok(Some(number)) }
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

/// Stored first, then registered where the rules allow it; a refusal leaves a number that is not registered.
async fn first_time(
    chat: &ChatContext,
    o: &OrganizationId,
    line: &Line,
    profile: &ChatBusinessProfile,
    wanted: &Registration,
    found: &PlatformNumber,
) -> Result<Registered, Failure> {
    let mut number = new_number(&chat.context, profile, found);
    number.apps = wanted.app_ids.iter().cloned().collect();
    let mut change = Change::new();
    change.create_chat_phone_number(o, &number, &app_ids::with_params(&wanted.app_ids))?;
    chat.context.store.commit(&change).await?;
    if obstacle(&number, found, chat.context.now()).is_none() {
        let (attempted, refusal) = register(chat, o, line, &number.id).await?;
        if let Some(error) = refusal {
            let code = Failure::from(error).provider_details().map_or(0, |provider| provider.code);
            tracing::warn!(number = %number.id, code, "a number could not be registered");
        }
        number = attempted;
    }
    Ok(Registered { number, is_new: true })
}

/// Whoever asks again wants to know why it was not registered.
async fn again(
    chat: &ChatContext,
    o: &OrganizationId,
    line: &Line,
    number: ChatPhoneNumber,
    wanted: &Registration,
    found: &PlatformNumber,
) -> Result<Registered, Failure> {
    let id = number.id.clone();
    let mut number = amend(chat, o, &id, |number| {
        refresh(number, found);
        Ok(())
    })
    .await?;
    if !number.cloud_api_registered {
        if let Some(why) = obstacle(&number, found, chat.context.now()) {
            return Err(Failure::conflict(format!("The number cannot be registered now. {why}")).with_param(NUMBER));
        }
        let (attempted, refusal) = register(chat, o, line, &id).await?;
        if let Some(error) = refusal {
            return Err(line.failure(error, &number.provider_phone_number_id).await);
        }
        number = attempted;
    }
    for app in wanted.app_ids.iter().filter(|app| !number.apps.contains(app)) {
        let mut change = Change::new();
        change.assign(o, &NumberId::Chat(id.clone()), app, Assignment::Assign, chat.context.now())?;
        chat.context.store.commit(&change).await?;
    }
    let number = chat.context.store.chat_phone_number(o, &id).await?.ok_or_else(|| no_such_number(NUMBER))?;
    Ok(Registered { number, is_new: false })
}
