//! The numbers that a test app is created with: two SMS system numbers and one simulated chat number.

use std::collections::BTreeSet;

use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, ReviewOutcome};
use domain::id::{ChatBusinessProfileId, ChatPhoneNumberId, OrganizationId, PhoneNumberId};
use domain::identity::app::App;
use domain::number::PhoneNumber;
use domain::number::assignments::Assignments;
use domain::testing::playground::{
    SIMULATED_BUSINESS_NAME, SIMULATED_WABA_ID, SYSTEM_NUMBERS_PER_APP, SimulatedChatNumber, fictional_number,
    platform_id_of_simulated,
};
use domain::{E164, Failure, Mode};
use runtime::Context;
use store::Change;

/// Adds the numbers to the app, and their creation to the change.
pub(super) fn add_numbers(
    context: &Context,
    organization: &OrganizationId,
    app: &mut App,
    change: &mut Change,
) -> Result<(), Failure> {
    let mut numbers = distinct_numbers(context, SYSTEM_NUMBERS_PER_APP + 1);
    let chat_number =
        numbers.pop().ok_or_else(|| Failure::internal("no number is left for the simulated chat number"))?;
    change.give_out_system_number(&chat_number)?;

    for number in &numbers {
        let id = PhoneNumberId::mint(Mode::Test, app.created_at, context.random());
        let apps = BTreeSet::from([app.id.clone()]);
        let phone_number =
            PhoneNumber { is_system: true, ..PhoneNumber::new(id, number.clone(), apps, app.created_at) };
        change.create_system_number(&phone_number)?;
        app.numbers.insert(phone_number.id.to_string());
        app.system_number_ids.push(phone_number.id);
    }

    let profile = playground_profile(context, organization);
    change.ensure_playground_profile(&profile)?;
    let simulated = simulated_number(context, &profile, chat_number, app);
    change.create_playground_number(&simulated)?;
    app.numbers.insert(simulated.id.to_string());
    app.simulated_chat_number =
        Some(SimulatedChatNumber { id: simulated.id, display_phone_number: simulated.display_phone_number });
    app.system_numbers = numbers;
    Ok(())
}

fn distinct_numbers(context: &Context, count: usize) -> Vec<E164> {
    let mut numbers = BTreeSet::new();
    while numbers.len() < count {
        numbers.insert(fictional_number(context.random()));
    }
    numbers.into_iter().collect()
}

fn playground_profile(context: &Context, organization: &OrganizationId) -> ChatBusinessProfile {
    ChatBusinessProfile {
        id: ChatBusinessProfileId::of_playground(organization),
        mode: Mode::Test,
        provider_waba_id: SIMULATED_WABA_ID.to_owned(),
        provider_business_id: None,
        business_name: SIMULATED_BUSINESS_NAME.to_owned(),
        token_expires_at: None,
        is_coexistence: false,
        onboarding_completed_at: Some(context.now()),
        review_decision: None,
        review_decided_at: None,
        disconnected_at: None,
        releasing_since: None,
        released_at: None,
        connection_at: None,
        templates_synced_at: None,
        simulated_syncs: 0,
        simulated_restriction_until: None,
        health: None,
        revision: 1,
        created_at: context.now(),
        updated_at: context.now(),
    }
}

fn simulated_number(context: &Context, profile: &ChatBusinessProfile, number: E164, app: &App) -> ChatPhoneNumber {
    let apps = BTreeSet::from([app.id.clone()]);
    ChatPhoneNumber {
        id: ChatPhoneNumberId::mint(Mode::Test, app.created_at, context.random()),
        provider_phone_number_id: platform_id_of_simulated(&number).to_owned(),
        display_phone_number: number,
        provider_business_account_id: profile.provider_waba_id.clone(),
        verified: true,
        quality_rating: Some("GREEN".to_owned()),
        throughput_tier: Some("STANDARD".to_owned()),
        throughput_at: None,
        quality_event: None,
        quality_event_at: None,
        flagged_at: None,
        name_status: Some(ReviewOutcome::Approved.as_str().to_owned()),
        requested_verified_name: None,
        name_rejection_reason: None,
        name_decision_at: None,
        cloud_api_registered: true,
        registration_attempts: Vec::new(),
        has_own_pin: false,
        held_until: None,
        released_at: None,
        business_profile: profile.summary(),
        assigned_at: Assignments::of_new(&apps, app.created_at),
        business_app: None,
        line_reset_at: None,
        apps,
        revision: 1,
        created_at: app.created_at,
        updated_at: app.created_at,
    }
}
