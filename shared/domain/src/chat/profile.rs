use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::ChatBusinessProfileId;
use crate::{Mode, Timestamp};

pub const PROFILES_PER_ORGANIZATION: u32 = 50;

/// A business account at the platform that an organization has connected.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatBusinessProfile {
    pub id: ChatBusinessProfileId,
    pub mode: Mode,
    pub provider_waba_id: String,
    pub provider_business_id: Option<String>,
    pub business_name: String,
    /// `None`: the token never expires.
    pub token_expires_at: Option<Timestamp>,
    /// The business goes on using its business app: no number of it is ever registered.
    #[serde(default)]
    pub is_coexistence: bool,
    pub onboarding_completed_at: Option<Timestamp>,
    pub review_decision: Option<String>,
    pub review_decided_at: Option<Timestamp>,
    /// When the platform said that the account is gone, until it is connected again.
    pub disconnected_at: Option<Timestamp>,
    /// When the platform was asked for what the last template sync stored: older news of templates change nothing.
    pub templates_synced_at: Option<Timestamp>,
    /// The state of the simulated platform: how often the templates were synced.
    #[serde(default)]
    pub simulated_syncs: u32,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a number shows of its profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatBusinessProfileSummary)]
pub struct ProfileSummary {
    pub id: ChatBusinessProfileId,
    pub provider_waba_id: String,
    pub business_name: String,
}

impl ChatBusinessProfile {
    pub fn summary(&self) -> ProfileSummary {
        ProfileSummary {
            id: self.id.clone(),
            provider_waba_id: self.provider_waba_id.clone(),
            business_name: self.business_name.clone(),
        }
    }
}
