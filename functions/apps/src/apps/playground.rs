//! What a test app is born with: two SMS system numbers and one simulated chat number, assigned to it.

use std::collections::BTreeSet;

use api::Context;
use domain::app::App;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, ProfileSummary};
use domain::id::{ChatBusinessProfileId, ChatPhoneNumberId, OrganizationId};
use domain::playground::{SIMULATED_BUSINESS_NAME, SIMULATED_WABA_ID, SYSTEM_NUMBERS_PER_APP, fictional_number};
use domain::{E164, Failure, Mode};
use store::Change;

pub(super) fn equip(context: &Context, o: &OrganizationId, app: &mut App, change: &mut Change) -> Result<(), Failure> {
    let mut numbers = distinct_numbers(context, SYSTEM_NUMBERS_PER_APP + 1);
    for number in &numbers {
        change.give_out_system_number(o, number)?;
    }
    let chat_number = numbers.pop().ok_or_else(|| Failure::internal("no number for the simulated chat"))?;
    let profile = playground_profile(context, o);
    change.ensure_playground_profile(o, &profile)?;
    let simulated = simulated_number(context, profile, chat_number, app);
    change.create_chat_phone_number(o, &simulated)?;
    app.numbers.insert(simulated.id.to_string());
    app.simulated_chat_number = Some(simulated.id);
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

fn playground_profile(context: &Context, o: &OrganizationId) -> ChatBusinessProfile {
    ChatBusinessProfile {
        id: ChatBusinessProfileId::of_playground(o),
        mode: Mode::Test,
        provider_waba_id: SIMULATED_WABA_ID.to_owned(),
        business_name: SIMULATED_BUSINESS_NAME.to_owned(),
        created_at: context.now(),
        updated_at: context.now(),
    }
}

fn simulated_number(context: &Context, profile: ChatBusinessProfile, number: E164, app: &App) -> ChatPhoneNumber {
    ChatPhoneNumber {
        id: ChatPhoneNumberId::mint(Mode::Test, app.created_at, context.random()),
        // The simulated platform knows a number by its digits.
        provider_phone_number_id: number.as_str()[1..].to_owned(),
        display_phone_number: number,
        provider_business_account_id: profile.provider_waba_id.clone(),
        verified: true,
        quality_rating: "GREEN".to_owned(),
        throughput_tier: "STANDARD".to_owned(),
        name_status: "APPROVED".to_owned(),
        cloud_api_registered: true,
        business_profile: ProfileSummary {
            id: profile.id,
            provider_waba_id: profile.provider_waba_id,
            business_name: profile.business_name,
        },
        apps: BTreeSet::from([app.id.clone()]),
        revision: 1,
        created_at: app.created_at,
        updated_at: app.created_at,
    }
}
