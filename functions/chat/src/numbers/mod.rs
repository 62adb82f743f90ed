//! Chat phone numbers: stored with the platform's data, verified by a code, registered with the platform under a
//! two-step PIN, deregistered, and assigned to apps.

mod deregister;
mod hold;
pub(crate) mod http;
mod pin;
pub(crate) mod pin_http;
mod profile;
pub(crate) mod profile_http;
mod register;
mod register_again;
pub(crate) mod registration;
pub(crate) mod registration_http;
mod verification;
pub(crate) mod verification_http;

use std::collections::BTreeSet;

use api::caller::Sees as _;
use api::{AppCaller, FilteredList, List, OrgMember, app_ids};
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, PLATFORM_ID_DIGITS};
use domain::id::{AppId, ChatBusinessProfileId, ChatPhoneNumberId};
use domain::number::assignments::Assignments;
use domain::{Failure, Open, text};
use futures_util::future::try_join;
use platform::PlatformNumber;
use runtime::Context;
use store::{Change, NumberClaim, OrganizationStore};
use views::{ChatPhoneNumberView, app_references};

use crate::profiles;

pub(crate) fn no_such_number(param: &str) -> Failure {
    Failure::not_found(param, "chat phone number")
}

/// Returns the number if it is assigned to the app of the key. Any other number is treated as missing.
pub(crate) fn of_app(number: Option<ChatPhoneNumber>, caller: &AppCaller) -> Result<ChatPhoneNumber, Failure> {
    number.filter(|number| number.is_assigned_to(&caller.app_id)).ok_or_else(|| no_such_number("chatPhoneNumberId"))
}

/// Validates an id of the platform.
pub(crate) fn platform_id(sent: &str, param: &str) -> Result<String, Failure> {
    let id = text::bounded(sent, param, PLATFORM_ID_DIGITS)?;
    let is_id = id.bytes().all(|byte| byte.is_ascii_digit());
    is_id
        .then_some(id)
        .ok_or_else(|| Failure::invalid(param, format!("{param} must be an id at WhatsApp, which consists of digits.")))
}

/// Returns a new number from the platform's description.
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
        flagged_at: None,
        name_status: None,
        requested_verified_name: None,
        name_rejection_reason: None,
        name_decision_at: None,
        cloud_api_registered: false,
        registration_attempts: Vec::new(),
        has_own_pin: false,
        held_until: None,
        released_at: None,
        business_app: None,
        business_profile: profile.summary(),
        apps: BTreeSet::new(),
        assigned_at: Assignments::default(),
        line_reset_at: None,
        revision: 1,
        created_at: now,
        updated_at: now,
    };
    refresh(&mut number, profile, found);
    number
}

/// Updates the number with the fields that the platform reports. Other fields keep their values.
pub(crate) fn refresh(number: &mut ChatPhoneNumber, profile: &ChatBusinessProfile, found: &PlatformNumber) {
    number.display_phone_number = found.display_phone_number.clone();
    number.provider_business_account_id.clone_from(&profile.provider_waba_id);
    number.business_profile = profile.summary();
    number.verified = found.is_verified.unwrap_or(number.verified);
    if found.quality_rating.as_deref().is_some_and(|rating| rating != "RED") {
        number.flagged_at = None;
    }
    number.quality_rating = found.quality_rating.clone().or(number.quality_rating.take());
    number.throughput_tier = found.throughput_tier.clone().or(number.throughput_tier.take());
    let name_status = found.name_status.as_ref().and_then(Open::known);
    number.name_status = name_status.map(|known| known.as_str().to_owned()).or(number.name_status.take());
    number.cloud_api_registered = found.is_connected.unwrap_or(number.cloud_api_registered);
}

/// A number of a connected account, to add to the organization.
pub(crate) struct NumberToAdd<'a> {
    pub(crate) profile: &'a ChatBusinessProfile,
    pub(crate) found: &'a PlatformNumber,
    /// The apps to assign the number to.
    pub(crate) apps: &'a [AppId],
}

/// Adds a number to the organization, or updates it if the organization has it already. Returns the number and whether it
/// is new.
pub(crate) async fn add(
    context: &Context,
    org: &OrganizationStore,
    number: &NumberToAdd<'_>,
) -> Result<(ChatPhoneNumber, bool), Failure> {
    let NumberToAdd { profile, found, apps } = number;
    let organization = org.organization_id();
    if let Some(Open::Later(unknown)) = &found.name_status {
        context.unknown_platform_value(PlatformNumber::NAME_STATUS, unknown);
    }

    let decide = || async move {
        let mut change = Change::new(organization);
        let claim = org.platform_number(profile.mode, &found.id);
        let (claim, former) = try_join(claim, org.former_number(profile.mode, &found.id)).await?;
        let (number, is_new) = match (claim, former) {
            (Some(claim), _) if claim.organization_id != *organization => return Err(taken()),
            (Some(claim), _) => (update_known(context, org, number, &claim, &mut change).await?, false),
            (None, Some(former)) => (reclaim(context, number, &former, &mut change)?, false),
            (None, None) => {
                change.require_connected(&profile.id);
                let mut number = new_number(context, profile, found);
                number.apps = apps.iter().cloned().collect();
                number.assigned_at = Assignments::of_new(&number.apps, number.created_at);
                change.create_chat_phone_number(&number, &app_ids::with_params(apps))?;
                (number, true)
            }
        };
        Ok((change, (number, is_new)))
    };

    context.store.settle(decide).await
}

pub(crate) fn taken() -> Failure {
    Failure::already_exists("providerPhoneNumberId", "This WhatsApp number is already connected.")
}

/// Updates a number that the organization has already: moves it to the profile if it belonged to another profile, and
/// assigns it to the apps.
async fn update_known(
    context: &Context,
    org: &OrganizationStore,
    number: &NumberToAdd<'_>,
    claim: &NumberClaim,
    change: &mut Change,
) -> Result<ChatPhoneNumber, Failure> {
    let NumberToAdd { profile, found, apps } = number;
    let before = org.chat_phone_number(&claim.number_id).await?;
    let before = before.ok_or_else(|| Failure::internal("the claimed number does not exist"))?;

    let mut after = before.clone();
    refresh(&mut after, profile, found);
    let is_moved = before.business_profile.id != profile.id;
    let new_apps: Vec<_> =
        app_ids::with_params(apps).into_iter().filter(|(app, _)| !before.apps.contains(app)).collect();
    if after == before && !is_moved && new_apps.is_empty() {
        return Ok(after);
    }

    begin_revision(context, &mut after, &new_apps);
    if is_moved {
        change.require_connected(&profile.id);
        change.move_chat_phone_number(&before, &after, &new_apps)?;
    } else {
        change.update_chat_phone_number(&before, &after, &new_apps)?;
    }
    after.apps.extend(new_apps.into_iter().map(|(app, _)| app));
    Ok(after)
}

/// Takes back a number that the organization had before its account was disconnected.
fn reclaim(
    context: &Context,
    number: &NumberToAdd<'_>,
    before: &ChatPhoneNumber,
    change: &mut Change,
) -> Result<ChatPhoneNumber, Failure> {
    let NumberToAdd { profile, found, apps } = number;
    let mut after = ChatPhoneNumber { released_at: None, ..before.clone() };
    refresh(&mut after, profile, found);
    let new_apps: Vec<_> =
        app_ids::with_params(apps).into_iter().filter(|(app, _)| !before.apps.contains(app)).collect();
    begin_revision(context, &mut after, &new_apps);
    change.require_connected(&profile.id);
    change.reclaim_chat_phone_number(before, &after, &new_apps)?;
    after.apps.extend(new_apps.into_iter().map(|(app, _)| app));
    Ok(after)
}

fn begin_revision(context: &Context, after: &mut ChatPhoneNumber, new_apps: &[(AppId, String)]) {
    after.revision += 1;
    after.updated_at = context.now();
    for (app, _) in new_apps {
        after.assigned_at.begin(app, after.updated_at);
    }
}

/// Applies `edit` to a number, and repeats that if another request changes the number concurrently.
pub(crate) async fn amend(
    context: &Context,
    org: &OrganizationStore,
    id: &ChatPhoneNumberId,
    edit: impl Fn(&mut ChatPhoneNumber) -> Result<(), Failure>,
) -> Result<ChatPhoneNumber, Failure> {
    let edit = &edit;
    let decide = || async move {
        let before = org.chat_phone_number(id).await?;
        let before = before.ok_or_else(|| no_such_number("chatPhoneNumberId"))?;
        let (mut after, mut change) = (before.clone(), Change::new(org.organization_id()));
        edit(&mut after)?;
        if after != before {
            after.revision += 1;
            after.updated_at = context.now();
            change.update_chat_phone_number(&before, &after, &[])?;
        }
        Ok((change, after))
    };
    context.store.settle(decide).await
}

async fn view(org: &OrganizationStore, number: ChatPhoneNumber) -> Result<ChatPhoneNumberView, Failure> {
    let apps = org.apps_by_id(&number.apps).await?;
    Ok(ChatPhoneNumberView::new(number, app_references(apps)))
}

async fn visible_view(
    context: &Context,
    caller: &OrgMember,
    number: Option<ChatPhoneNumber>,
) -> Result<ChatPhoneNumberView, Failure> {
    let param = "chatPhoneNumberId";
    let number = number.ok_or_else(|| no_such_number(param))?;
    caller.expect_visible(number.id.mode(), param, "chat phone number")?;
    view(&context.store.of(&caller.organization), number).await
}

/// Returns a page of the organization's numbers, or of one profile's numbers.
async fn list(
    context: &Context,
    caller: &OrgMember,
    list: &FilteredList<ChatBusinessProfileId>,
) -> Result<List<ChatPhoneNumberView>, Failure> {
    let organization = &caller.organization;
    let org = context.store.of(organization);
    let name = match &list.filter {
        None => "chat-phone-numbers".to_owned(),
        Some(profile) => format!("chat-phone-numbers/{profile}"),
    };
    let request = list.query.page(organization, &name)?;

    let page = match &list.filter {
        None => org.chat_phone_numbers(caller.mode.visible(), &request).await?,
        Some(profile) => {
            caller.expect_visible(profile.mode(), "chatBusinessProfileId", "chat business profile")?;
            let page = org.chat_phone_numbers_of_profile(profile, &request).await?;
            if page.items.is_empty() {
                profiles::find(&org, caller, profile, "chatBusinessProfileId").await?;
            }
            page
        }
    };

    let ids: BTreeSet<&AppId> = page.items.iter().flat_map(|number| &number.apps).collect();
    let apps = org.apps_by_id(ids).await?;
    let views = page.map(|number| {
        let assigned = apps.iter().filter(|app| number.apps.contains(&app.id)).cloned().collect();
        ChatPhoneNumberView::new(number, app_references(assigned))
    });
    List::new(views, organization, &name, |number| number.id.ksuid())
}
