//! The state of an account at the simulated platform, which follows from the profile and its numbers in the table.

use domain::Timestamp;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};

use super::NumberState;

/// The limit of every simulated number.
const LIMIT: &str = "TIER_1K";
/// The quality of a number that a scenario has flagged.
const FLAGGED: &str = "FLAGGED";

/// The state of an account at the simulated platform.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimulatedState {
    pub(super) review: Option<String>,
    pub(super) is_restricted: bool,
    pub(super) numbers: Vec<NumberState>,
}

impl SimulatedState {
    pub(crate) fn new(profile: &ChatBusinessProfile, numbers: &[ChatPhoneNumber], now: Timestamp) -> Self {
        SimulatedState {
            review: profile.review_decision.clone(),
            is_restricted: profile.simulated_restriction_until.is_some_and(|until| until > now),
            numbers: numbers.iter().map(number_state).collect(),
        }
    }
}

fn number_state(number: &ChatPhoneNumber) -> NumberState {
    let is_flagged = number.quality_event.as_deref() == Some(FLAGGED);
    NumberState {
        id: number.provider_phone_number_id.clone(),
        status: Some(if number.cloud_api_registered { "CONNECTED" } else { "PENDING" }.to_owned()),
        platform_type: Some("CLOUD_API".to_owned()),
        verification: Some(if number.verified { "VERIFIED" } else { "NOT_VERIFIED" }.to_owned()),
        quality: if is_flagged { Some("RED".to_owned()) } else { number.quality_rating.clone() },
        name_status: number.name_status.clone(),
        limit: Some(LIMIT.to_owned()),
    }
}
