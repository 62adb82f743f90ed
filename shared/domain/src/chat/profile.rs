//! Chat business profiles.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::ChatBusinessProfileId;
use crate::{Mode, Timestamp};

pub const PROFILES_PER_ORGANIZATION: u32 = 50;

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
    /// When the platform reported the account as disconnected; `None` once it is connected again.
    pub disconnected_at: Option<Timestamp>,
    /// The platform's timestamp of the latest disconnection or reconnection. Older ones are ignored.
    pub connection_at: Option<Timestamp>,
    /// When the last template sync requested the templates from the platform. Older updates of templates are ignored.
    pub templates_synced_at: Option<Timestamp>,
    /// How often the templates were synced; part of the simulated platform's state.
    #[serde(default)]
    pub simulated_syncs: u32,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A business profile, as its phone numbers show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatBusinessProfileSummary)]
pub struct ProfileSummary {
    pub id: ChatBusinessProfileId,
    pub provider_waba_id: String,
    pub business_name: String,
}

impl ChatBusinessProfile {
    /// Returns the profile as its phone numbers show it.
    pub fn summary(&self) -> ProfileSummary {
        ProfileSummary {
            id: self.id.clone(),
            provider_waba_id: self.provider_waba_id.clone(),
            business_name: self.business_name.clone(),
        }
    }
}
