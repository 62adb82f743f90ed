use domain::chat::{BusinessApp, ChatPhoneNumber, ProfileSummary, ReviewOutcome};
use domain::id::ChatPhoneNumberId;
use domain::schema::{QualityEvent, QualityRating, ThroughputTier};
use domain::{E164, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::AppReference;

/// A WhatsApp number (chat phone number).
#[skip_serializing_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatPhoneNumber)]
pub struct ChatPhoneNumberView {
    pub id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    /// The id of the number at WhatsApp.
    pub provider_phone_number_id: String,
    /// The id of the WhatsApp Business Account (WABA) that the number belongs to.
    pub provider_business_account_id: String,
    /// Whether the business has verified to WhatsApp that it owns the number.
    pub verified: bool,
    #[schema(value_type = Option<QualityRating>)]
    pub quality_rating: Option<String>,
    #[schema(value_type = Option<ThroughputTier>)]
    pub throughput_tier: Option<String>,
    #[schema(value_type = Option<QualityEvent>)]
    pub quality_event: Option<String>,
    pub quality_event_at: Option<Timestamp>,
    #[schema(value_type = Option<ReviewOutcome>)]
    pub name_status: Option<String>,
    /// The display name that WhatsApp has reviewed.
    pub requested_verified_name: Option<String>,
    /// Why WhatsApp rejected the display name.
    pub name_rejection_reason: Option<String>,
    pub name_decision_at: Option<Timestamp>,
    /// Whether the number is simulated. Only test apps may use it.
    pub is_test_number: bool,
    /// Whether the number is registered with WhatsApp's Cloud API, so that it can send.
    pub cloud_api_registered: bool,
    pub business_app: Option<BusinessApp>,
    pub business_profile: ProfileSummary,
    /// The apps that the number is assigned to, sorted by slug.
    pub apps: Vec<AppReference>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl ChatPhoneNumberView {
    /// Returns the view of a number that is assigned to `apps`.
    pub fn new(number: ChatPhoneNumber, apps: Vec<AppReference>) -> Self {
        ChatPhoneNumberView {
            is_test_number: number.id.mode().is_test(),
            id: number.id,
            display_phone_number: number.display_phone_number,
            provider_phone_number_id: number.provider_phone_number_id,
            provider_business_account_id: number.provider_business_account_id,
            verified: number.verified,
            quality_rating: number.quality_rating,
            throughput_tier: number.throughput_tier,
            quality_event: number.quality_event,
            quality_event_at: number.quality_event_at,
            name_status: number.name_status,
            requested_verified_name: number.requested_verified_name,
            name_rejection_reason: number.name_rejection_reason,
            name_decision_at: number.name_decision_at,
            cloud_api_registered: number.cloud_api_registered,
            business_app: number.business_app,
            business_profile: number.business_profile,
            apps,
            created_at: number.created_at,
            updated_at: number.updated_at,
        }
    }
}
