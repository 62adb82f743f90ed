use domain::Timestamp;
use domain::chat::{ChatBusinessProfile, ProfileHealth, ProfileNumber, ReviewOutcome};
use domain::id::{ChatBusinessProfileId, OrganizationId};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// A connected WhatsApp account (business profile).
#[skip_serializing_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatBusinessProfile)]
pub struct ChatBusinessProfileView {
    pub id: ChatBusinessProfileId,
    pub organization_id: OrganizationId,
    /// The id of the WhatsApp Business Account (WABA).
    pub provider_waba_id: String,
    /// The id of the Meta business portfolio that owns the account.
    pub provider_business_id: Option<String>,
    /// The name of the business, as WhatsApp shows it.
    pub business_name: String,
    /// The expiry of the access token; `null` if it never expires.
    #[serialize_always]
    #[schema(required)]
    pub token_expires_at: Option<Timestamp>,
    pub onboarding_completed_at: Option<Timestamp>,
    #[schema(value_type = Option<ReviewOutcome>)]
    pub review_decision: Option<String>,
    pub review_decided_at: Option<Timestamp>,
    /// When the account was disconnected. Absent while it is connected.
    pub disconnected_at: Option<Timestamp>,
    /// The outcome of the latest daily check; absent before the first one and for simulated profiles.
    pub health: Option<ProfileHealth>,
    pub created_at: Timestamp,
    /// The account's phone numbers.
    pub phone_numbers: Vec<ProfileNumber>,
    /// Whether the account is simulated.
    pub is_test_profile: bool,
}

impl ChatBusinessProfileView {
    /// Returns the view of a profile with its phone numbers.
    pub fn new(organization: &OrganizationId, profile: ChatBusinessProfile, phone_numbers: Vec<ProfileNumber>) -> Self {
        ChatBusinessProfileView {
            is_test_profile: profile.mode.is_test(),
            id: profile.id,
            organization_id: organization.clone(),
            provider_waba_id: profile.provider_waba_id,
            provider_business_id: profile.provider_business_id,
            business_name: profile.business_name,
            token_expires_at: profile.token_expires_at,
            onboarding_completed_at: profile.onboarding_completed_at,
            review_decision: profile.review_decision,
            review_decided_at: profile.review_decided_at,
            disconnected_at: profile.disconnected_at,
            health: profile.health,
            created_at: profile.created_at,
            phone_numbers,
        }
    }
}
