//! Chat phone numbers.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::{BusinessApp, ChatMessage, ProfileSummary};
use crate::id::{AppId, ChatPhoneNumberId};
use crate::number::assignments::Assignments;
use crate::schema::QualityRating;
use crate::{E164, Timestamp};

pub const NUMBERS_PER_ORGANIZATION: u32 = 1000;
/// How many registrations and deregistrations of a number may be attempted within `REGISTRATION_WINDOW`. After ten
/// attempts in three days the platform blocks a number for three days; this API uses at most half of them.
pub const REGISTRATIONS: usize = 5;
/// The platform's window for counting registrations.
pub const REGISTRATION_WINDOW: Duration = Duration::from_secs(72 * 3600);
/// How long a request may hold a number to change its registration or its two-step PIN; longer than any request takes.
pub const HOLD: Duration = Duration::from_secs(60);

/// A chat phone number, as it is stored.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatPhoneNumber {
    pub id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    pub provider_phone_number_id: String,
    pub provider_business_account_id: String,
    pub verified: bool,
    pub quality_rating: Option<String>,
    pub throughput_tier: Option<String>,
    /// The platform's timestamp of the tier, if a notification reported it.
    pub throughput_at: Option<Timestamp>,
    pub quality_event: Option<String>,
    pub quality_event_at: Option<Timestamp>,
    /// Since when the platform rates the number's quality as low: later events of other kinds leave it so.
    pub flagged_at: Option<Timestamp>,
    pub name_status: Option<String>,
    pub requested_verified_name: Option<String>,
    pub name_rejection_reason: Option<String>,
    pub name_decision_at: Option<Timestamp>,
    pub cloud_api_registered: bool,
    /// When registration or deregistration was attempted, within the platform's window.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registration_attempts: Vec<Timestamp>,
    /// Whether a caller has chosen the number's two-step PIN, which is then in a secret of the number. Other numbers
    /// have the PIN of their profile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_own_pin: bool,
    /// Until when a request holds the number to change its registration or its two-step PIN.
    pub held_until: Option<Timestamp>,
    /// What the business shares of its business app; `None` if nothing was requested.
    pub business_app: Option<BusinessApp>,
    pub business_profile: ProfileSummary,
    /// When the number was released with its account; `None` once it is connected again.
    pub released_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub apps: BTreeSet<AppId>,
    #[serde(default, skip_serializing_if = "Assignments::is_empty")]
    pub assigned_at: Assignments,
    /// When the number was last unassigned from an app, or released. Its line of queued messages is renewed then.
    pub line_reset_at: Option<Timestamp>,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A WhatsApp number, as its business profile lists it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatBusinessProfileNumber)]
pub struct ProfileNumber {
    pub id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    /// WhatsApp's id of the number.
    pub provider_phone_number_id: String,
    /// Whether WhatsApp has verified that the business owns the number.
    pub verified: bool,
    #[schema(value_type = Option<QualityRating>)]
    pub quality_rating: Option<String>,
    pub business_app: Option<BusinessApp>,
}

impl From<&ChatPhoneNumber> for ProfileNumber {
    fn from(number: &ChatPhoneNumber) -> Self {
        ProfileNumber {
            id: number.id.clone(),
            display_phone_number: number.display_phone_number.clone(),
            provider_phone_number_id: number.provider_phone_number_id.clone(),
            verified: number.verified,
            quality_rating: number.quality_rating.clone(),
            business_app: number.business_app.clone(),
        }
    }
}

impl ChatPhoneNumber {
    /// Returns whether the app may use this number.
    pub fn is_assigned_to(&self, app: &AppId) -> bool {
        self.apps.contains(app)
    }

    /// Returns whether the app may see a message of this number. Messages from before its assignment are hidden from
    /// it.
    pub fn shows(&self, app: &AppId, message: &ChatMessage) -> bool {
        message.chat_phone_number_id == self.id
            && self.assigned_since(app).is_some_and(|since| message.created_at >= since)
    }

    /// Returns since when the number has been assigned to the app; `None` if it is not.
    pub fn assigned_since(&self, app: &AppId) -> Option<Timestamp> {
        self.assigned_at.since(&self.apps, app, self.created_at)
    }

    /// Returns for how many seconds a request holds the number; `None` if none does.
    pub fn held_for(&self, now: Timestamp) -> Option<u32> {
        let left = self.held_until?.seconds() - now.seconds();
        u32::try_from(left).ok().filter(|left| *left > 0)
    }

    /// Returns the registration attempts within the window that ends at `now`.
    pub fn attempts_since(&self, now: Timestamp) -> Vec<Timestamp> {
        let recent = |at: &&Timestamp| at.plus(REGISTRATION_WINDOW) > now;
        self.registration_attempts.iter().filter(recent).copied().collect()
    }
}
