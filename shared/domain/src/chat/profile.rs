//! Chat business profiles.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::ProfileHealth;
use crate::id::ChatBusinessProfileId;
use crate::{Mode, Timestamp};

pub const PROFILES_PER_ORGANIZATION: u32 = 50;
/// How many accounts an organization may try to connect per hour in each mode.
pub const ONBOARDINGS_AN_HOUR: u64 = 20;
/// How often the templates of a profile may be synced per hour.
pub const SYNCS_AN_HOUR: u64 = 60;
/// The longest access token, in characters. The platform promises no maximum; its tokens have about 200.
pub const ACCESS_TOKEN_LENGTH: usize = 4096;

/// A business account of the platform that an organization has connected.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatBusinessProfile {
    pub id: ChatBusinessProfileId,
    pub mode: Mode,
    pub provider_waba_id: String,
    pub provider_business_id: Option<String>,
    pub business_name: String,
    /// `None` if the token never expires.
    pub token_expires_at: Option<Timestamp>,
    /// Whether the business keeps using its business app. If so, none of its numbers is ever registered.
    #[serde(default)]
    pub is_coexistence: bool,
    pub onboarding_completed_at: Option<Timestamp>,
    pub review_decision: Option<String>,
    pub review_decided_at: Option<Timestamp>,
    /// Since when the account is not connected: the platform reported it, or a caller disconnected it. `None` once it is
    /// connected again.
    pub disconnected_at: Option<Timestamp>,
    /// Since when a caller's disconnection is in progress. The account still belongs to this organization.
    pub releasing_since: Option<Timestamp>,
    /// When a caller's disconnection was complete: since then any organization may connect the account.
    pub released_at: Option<Timestamp>,
    /// The platform's timestamp of the latest disconnection or reconnection. Older ones are ignored.
    pub connection_at: Option<Timestamp>,
    /// When the last template sync requested the templates from the platform. Older updates of templates are ignored.
    pub templates_synced_at: Option<Timestamp>,
    /// How often the templates were synced; part of the simulated platform's state.
    #[serde(default)]
    pub simulated_syncs: u32,
    /// Until when the simulated platform restricts the account; part of its state.
    pub simulated_restriction_until: Option<Timestamp>,
    /// The outcome of the latest daily check; `None` before the first one and in test mode.
    pub health: Option<ProfileHealth>,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The WhatsApp account (business profile) that a number belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatBusinessProfileSummary)]
pub struct ProfileSummary {
    pub id: ChatBusinessProfileId,
    /// WhatsApp's id of the business account.
    pub provider_waba_id: String,
    /// The name of the business, as WhatsApp shows it.
    pub business_name: String,
}

impl ChatBusinessProfile {
    /// Returns whether a caller has disconnected the account, or is disconnecting it. Nothing is done on its behalf then.
    pub fn is_given_up(&self) -> bool {
        self.releasing_since.is_some() || self.released_at.is_some()
    }

    /// Returns the profile as its phone numbers show it.
    pub fn summary(&self) -> ProfileSummary {
        ProfileSummary {
            id: self.id.clone(),
            provider_waba_id: self.provider_waba_id.clone(),
            business_name: self.business_name.clone(),
        }
    }
}
