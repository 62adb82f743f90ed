//! Chat phone numbers: as the platform has them, registered with it, and assigned to apps.

pub(crate) mod http;
mod register;
pub(crate) mod registration;

use std::collections::BTreeSet;

use api::caller::Sees as _;
use api::{FilteredList, List, OrgMember, app_ids};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::{AppId, ChatBusinessProfileId, ChatPhoneNumberId, OrganizationId};
use domain::{Failure, text};
use platform::PlatformNumber;
use runtime::Context;
use store::{Change, NumberClaim, Page, PageOfEachMode, Reads};
use views::{ChatPhoneNumberView, app_references};

use crate::{ChatContext, profiles};

const LONGEST_PLATFORM_ID: usize = 32;

pub(crate) fn no_such_number(param: &str) -> Failure {
    Failure::not_found(param, "chat phone number")
}

/// The platform's ids are digits.
pub(crate) fn platform_id(sent: &str, param: &str) -> Result<String, Failure> {
    let id = text::bounded(sent, param, LONGEST_PLATFORM_ID)?;
    let is_id = id.bytes().all(|byte| byte.is_ascii_digit());
    is_id
        .then_some(id)
        .ok_or_else(|| Failure::invalid(param, format!("{param} must be an id of the platform: digits.")))
}

pub(crate) fn new_number(context: &Context, profile: &ChatBusinessProfile, found: &PlatformNumber) -> ChatPhoneNumber {
    let now = context.now();
    let mut number = ChatPhoneNumber {
        id: ChatPhoneNumberId::mint(profile.mode, now, context.random()),
        display_phone_number: found.display_phone_number.clone(),
        provider_phone_number_id: found.id.clone(),
        provider_business_account_id: profile.provider_waba_id.clone(),
        verified: false,
        quality_rating: None,
        throughput_tier: None,
        throughput_at: None,
        quality_event: None,
        quality_event_at: None,
        name_status: None,
        requested_verified_name: None,
        name_rejection_reason: None,
        name_decision_at: None,
        cloud_api_registered: false,
        registration_attempts: Vec::new(),
        business_profile: profile.summary(),
        apps: BTreeSet::new(),
        revision: 1,
        created_at: now,
        updated_at: now,
    };
    refresh(&mut number, profile, found);
    number
}

/// What the platform says of the number now; what it does not say stays.
pub(crate) fn refresh(number: &mut ChatPhoneNumber, profile: &ChatBusinessProfile, found: &PlatformNumber) {
    number.display_phone_number = found.display_phone_number.clone();
    number.provider_business_account_id.clone_from(&profile.provider_waba_id);
    number.business_profile = profile.summary();
    number.verified = found.is_verified;
    number.quality_rating = found.quality_rating.clone().or(number.quality_rating.take());
    number.throughput_tier = found.throughput_tier.clone().or(number.throughput_tier.take());
    number.name_status = found.name_status.clone().or(number.name_status.take());
    number.cloud_api_registered = found.is_connected.unwrap_or(number.cloud_api_registered);
}

/// A number of the profile's account: new, or known to the organization already. `true`: it is new.
pub(crate) async fn take_in(
    chat: &ChatContext,
    o: &OrganizationId,
    profile: &ChatBusinessProfile,
    found: &PlatformNumber,
    apps: &[AppId],
) -> Result<(ChatPhoneNumber, bool), Failure> {
    let context = &chat.context;
    let own = &context.store.of(o);
    let decide = || async move {
        let mut change = Change::new(o);
        let claim = own.platform_number(profile.mode, &found.id).await?;
        let (number, is_new) = match claim {
            Some(claim) if claim.organization_id != *o => return Err(taken()),
            Some(claim) => (known(chat, o, profile, found, (&claim, apps), &mut change).await?, false),
            None => {
                let mut number = new_number(context, profile, found);
                number.apps = apps.iter().cloned().collect();
                change.create_chat_phone_number(&number, &app_ids::with_params(apps))?;
                (number, true)
            }
        };
        Ok((change, (number, is_new)))
    };
    context.store.settle(decide).await
}

pub(crate) fn taken() -> Failure {
    Failure::already_exists("providerPhoneNumberId", "This phone number of the platform is already connected.")
}

/// The number as it is now, moved here if another account of the organization had it, and assigned to more apps.
async fn known(
    chat: &ChatContext,
    o: &OrganizationId,
    profile: &ChatBusinessProfile,
    found: &PlatformNumber,
    (claim, apps): (&NumberClaim, &[AppId]),
    change: &mut Change,
) -> Result<ChatPhoneNumber, Failure> {
    let context = &chat.context;
    let before = context.store.of(o).chat_phone_number(&claim.number_id).await?;
    let before = before.ok_or_else(|| Failure::internal("a claimed number does not exist"))?;
    let mut after = before.clone();
    refresh(&mut after, profile, found);
    let is_moved = before.business_profile.id != profile.id;
    let new_apps: Vec<_> =
        app_ids::with_params(apps).into_iter().filter(|(app, _)| !before.apps.contains(app)).collect();
    if after == before && !is_moved && new_apps.is_empty() {
        return Ok(after);
    }
    after.revision += 1;
    after.updated_at = context.now();
    if is_moved {
        change.move_chat_phone_number(&before, &after, &new_apps)?;
    } else {
        change.update_chat_phone_number(&before, &after, &new_apps)?;
    }
    after.apps.extend(new_apps.into_iter().map(|(app, _)| app));
    Ok(after)
}

/// Changes a number as it is now, whoever else changes it.
pub(crate) async fn amend(
    chat: &ChatContext,
    o: &OrganizationId,
    id: &ChatPhoneNumberId,
    change_it: impl Fn(&mut ChatPhoneNumber) -> Result<(), Failure>,
) -> Result<ChatPhoneNumber, Failure> {
    let context = &chat.context;
    let (own, change_it) = (&context.store.of(o), &change_it);
    let decide = || async move {
        let before = own.chat_phone_number(id).await?;
        let before = before.ok_or_else(|| no_such_number("chatPhoneNumberId"))?;
        let (mut after, mut change) = (before.clone(), Change::new(o));
        change_it(&mut after)?;
        if after != before {
            after.revision += 1;
            after.updated_at = context.now();
            change.update_chat_phone_number(&before, &after, &[])?;
        }
        Ok((change, after))
    };
    context.store.settle(decide).await
}

async fn view(chat: &ChatContext, o: &OrganizationId, number: ChatPhoneNumber) -> Result<ChatPhoneNumberView, Failure> {
    let apps = chat.context.store.of(o).apps_by_id(&number.apps).await?;
    Ok(ChatPhoneNumberView::new(number, app_references(apps)))
}

async fn shown(
    chat: &ChatContext,
    caller: &OrgMember,
    found: Option<ChatPhoneNumber>,
) -> Result<ChatPhoneNumberView, Failure> {
    let param = "chatPhoneNumberId";
    let number = found.ok_or_else(|| no_such_number(param))?;
    caller.expect_visible(number.id.mode(), param, "chat phone number")?;
    view(chat, &caller.organization, number).await
}

/// A page of the organization's numbers, or of one profile's, with the name of its list.
pub(crate) enum Listed {
    All(String, PageOfEachMode<ChatPhoneNumber>),
    OfProfile(String, ChatBusinessProfileId, Page<ChatPhoneNumber>),
}

async fn listed(reads: &Reads, list: FilteredList<ChatBusinessProfileId>) -> Result<Listed, Failure> {
    match list.filter {
        None => {
            let name = "chat-phone-numbers".to_owned();
            let page = reads.chat_phone_numbers(&list.query.page(reads.organization_id(), &name)?).await?;
            Ok(Listed::All(name, page))
        }
        Some(profile) => {
            let name = format!("chat-phone-numbers/{profile}");
            let request = list.query.page(reads.organization_id(), &name)?;
            let page = reads.chat_phone_numbers_of_profile(&profile, &request).await?;
            Ok(Listed::OfProfile(name, profile, page))
        }
    }
}

async fn list(chat: &ChatContext, caller: &OrgMember, found: Listed) -> Result<List<ChatPhoneNumberView>, Failure> {
    let (o, store) = (&caller.organization, &chat.context.store);
    let (name, page) = match found {
        Listed::All(name, page) => (name, page.seen_by(caller.mode)),
        Listed::OfProfile(name, profile, page) => {
            caller.expect_visible(profile.mode(), "chatBusinessProfileId", "chat business profile")?;
            if page.items.is_empty() {
                profiles::find(chat, caller, o, (&profile, "chatBusinessProfileId")).await?;
            }
            (name, page)
        }
    };
    let ids: BTreeSet<&AppId> = page.items.iter().flat_map(|number| &number.apps).collect();
    let apps = store.of(o).apps_by_id(ids).await?;
    let views = page.map(|number| {
        let own = apps.iter().filter(|app| number.apps.contains(&app.id)).cloned().collect();
        ChatPhoneNumberView::new(number, app_references(own))
    });
    Ok(List::new(views, o, &name))
}
