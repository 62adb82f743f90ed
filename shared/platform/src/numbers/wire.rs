//! The responses about phone numbers, their profiles and the users that they have blocked.

use std::collections::HashMap;

use domain::chat::{ChatUser, NumberProfile, ReviewOutcome};
use domain::{E164, Open};
use http::StatusCode;
use serde::Deserialize;

use super::{NumberStanding, PlatformNumber};
use crate::error::PlatformError;
use crate::graph::id;
use crate::outcomes::{Outcomes, Part};

pub(super) const NUMBER_FIELDS: &str = "id,display_phone_number,verified_name,quality_rating,code_verification_status,\
    platform_type,throughput,name_status,status,is_on_biz_app";
pub(super) const STANDING_FIELDS: &str = "code_verification_status,platform_type,status,is_on_biz_app";
pub(super) const PROFILE_FIELDS: &str = "about,address,description,email,profile_picture_url,websites,vertical";

/// A phone number of an account.
#[derive(Deserialize)]
pub(super) struct NumberResponse {
    #[serde(deserialize_with = "id")]
    id: String,
    display_phone_number: Option<String>,
    verified_name: Option<String>,
    quality_rating: Option<String>,
    throughput: Option<Throughput>,
    name_status: Option<String>,
    #[serde(flatten)]
    standing: StandingResponse,
}

/// The fields of a number that decide what may be done with its registration.
#[derive(Deserialize)]
pub(super) struct StandingResponse {
    code_verification_status: Option<String>,
    platform_type: Option<String>,
    status: Option<String>,
    #[serde(default)]
    is_on_biz_app: bool,
}

impl StandingResponse {
    pub(super) fn standing(&self) -> NumberStanding {
        NumberStanding {
            // A number without a status of its verification is treated as unverified.
            is_verified: Some(self.code_verification_status.as_deref() == Some("VERIFIED")),
            is_connected: is_connected(self.status.as_deref(), self.platform_type.as_deref()),
            is_in_use: self.status.as_deref() == Some("CONNECTED"),
            is_on_business_app: self.is_on_biz_app,
        }
    }
}

#[derive(Deserialize)]
struct Throughput {
    level: Option<String>,
}

impl NumberResponse {
    /// Returns the number; `None` if the platform shows no digits, because it cannot be used then.
    pub(super) fn number(self) -> Option<PlatformNumber> {
        let display_phone_number = E164::from_digits_in(self.display_phone_number.as_deref().unwrap_or_default())?;
        let standing = self.standing.standing();
        Some(PlatformNumber {
            id: self.id,
            display_phone_number,
            is_verified: standing.is_verified,
            is_connected: standing.is_connected,
            is_in_use: standing.is_in_use,
            is_on_business_app: standing.is_on_business_app,
            quality_rating: self.quality_rating,
            throughput_tier: self.throughput.and_then(|throughput| throughput.level),
            name_status: self.name_status.as_deref().and_then(name_status),
            verified_name: self.verified_name,
        })
    }
}

/// Returns whether the number is registered with the platform's API; `None` for states such as `FLAGGED`, which do not
/// show it.
fn is_connected(status: Option<&str>, platform_type: Option<&str>) -> Option<bool> {
    match status? {
        "CONNECTED" => Some(platform_type == Some("CLOUD_API")),
        "PENDING" | "DISCONNECTED" | "UNVERIFIED" | "DELETED" | "MIGRATED" => Some(false),
        _ => None,
    }
}

/// Returns the outcome of a display name's review; `NONE` means that there was no review.
fn name_status(platform: &str) -> Option<Open<ReviewOutcome>> {
    (platform != "NONE").then(|| ReviewOutcome::of_platform(platform))
}

/// The profile of a number. The platform omits unset fields, or sends them empty.
#[derive(Deserialize)]
pub(super) struct ProfileResponse {
    about: Option<String>,
    address: Option<String>,
    description: Option<String>,
    email: Option<String>,
    websites: Option<Vec<String>>,
    vertical: Option<String>,
    profile_picture_url: Option<String>,
}

impl From<ProfileResponse> for NumberProfile {
    fn from(response: ProfileResponse) -> Self {
        let set = |text: Option<String>| text.filter(|text| !text.is_empty());
        NumberProfile {
            about: set(response.about),
            address: set(response.address),
            description: set(response.description),
            email: set(response.email),
            websites: response.websites.unwrap_or_default(),
            vertical: set(response.vertical),
            profile_picture_url: set(response.profile_picture_url),
        }
    }
}

/// A user in the list of those that a number has blocked.
#[derive(Deserialize)]
pub(super) struct BlockedUser {
    wa_id: Option<String>,
    user_id: Option<String>,
}

impl BlockedUser {
    /// Returns the user's phone number, else the platform's id of the user; `None` if the platform names neither.
    pub(super) fn name(self) -> Option<String> {
        let number = self.wa_id.as_deref().and_then(E164::from_digits_in);
        number.map(|number| number.to_string()).or(self.user_id).or(self.wa_id)
    }
}

/// The response to a request to block or unblock users.
#[derive(Deserialize)]
pub(super) struct BlockResponse {
    block_users: BlockOutcomes,
}

#[derive(Deserialize)]
struct BlockOutcomes {
    #[serde(default)]
    added_users: Vec<Part>,
    #[serde(default)]
    removed_users: Vec<Part>,
    #[serde(default)]
    failed_users: Vec<Part>,
}

impl BlockResponse {
    /// Returns whether the response names a user, and is not an error only.
    pub(super) fn has_outcomes(&self) -> bool {
        let BlockOutcomes { added_users, removed_users, failed_users } = &self.block_users;
        [added_users, removed_users, failed_users].iter().any(|users| !users.is_empty())
    }

    /// Returns the outcome for each user, in the order of the request.
    pub(super) fn outcomes(self, users: &[ChatUser], status: StatusCode, secrets: &[&str]) -> Outcomes<ChatUser> {
        let BlockOutcomes { added_users, removed_users, failed_users } = self.block_users;
        let user = |named: &Part| ChatUser::of_platform(&named.input);
        let done = added_users.iter().chain(&removed_users).filter_map(|named| Some((user(named)?, Ok(()))));
        let mut outcomes: HashMap<ChatUser, Result<(), PlatformError>> = done.collect();
        for failed in failed_users {
            let Some(user) = user(&failed) else { continue };
            outcomes.insert(user, Err(failed.failure(status, secrets)));
        }
        let unreported = || Err(PlatformError::unreadable(status.as_u16()));
        users.iter().map(|user| (user.clone(), outcomes.remove(user).unwrap_or_else(unreported))).collect()
    }
}
