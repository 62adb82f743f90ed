//! Resources that more than one function shows.

use domain::app::App;
use domain::chat::{
    ChatBusinessProfile, ChatPhoneNumber, Group, GroupStatus, JoinApprovalMode, ProfileNumber, ProfileSummary,
};
use domain::id::{AppId, ChatBusinessProfileId, ChatGroupId, ChatPhoneNumberId, OrganizationId};
use domain::{E164, Open, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// An app as phone numbers name it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppReference {
    pub app_id: AppId,
    pub app_name: String,
    pub app_slug: String,
}

impl From<App> for AppReference {
    fn from(app: App) -> Self {
        AppReference { app_id: app.id, app_name: app.name, app_slug: app.slug }
    }
}

/// References sorted by slug.
pub fn app_references(apps: Vec<App>) -> Vec<AppReference> {
    let mut references: Vec<AppReference> = apps.into_iter().map(AppReference::from).collect();
    references.sort_by(|a, b| a.app_slug.cmp(&b.app_slug));
    references
}

/// A chat phone number (service.md, "Chat phone number").
#[skip_serializing_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatPhoneNumber)]
pub struct ChatPhoneNumberView {
    pub id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    pub provider_phone_number_id: String,
    pub provider_business_account_id: String,
    pub verified: bool,
    /// As the platform says it: `GREEN`, `YELLOW`, `RED`, `UNKNOWN`, `NA`.
    pub quality_rating: Option<String>,
    /// `STANDARD`, `HIGH`.
    pub throughput_tier: Option<String>,
    /// `ONBOARDING`, `THROUGHPUT_UPGRADE`, `FLAGGED`.
    pub quality_event: Option<String>,
    pub quality_event_at: Option<Timestamp>,
    /// `APPROVED`, `REJECTED`, `PENDING`, `DEFERRED`.
    pub name_status: Option<String>,
    pub requested_verified_name: Option<String>,
    pub name_rejection_reason: Option<String>,
    pub name_decision_at: Option<Timestamp>,
    pub is_test_number: bool,
    pub cloud_api_registered: bool,
    pub business_profile: ProfileSummary,
    pub apps: Vec<AppReference>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl ChatPhoneNumberView {
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
            business_profile: number.business_profile,
            apps,
            created_at: number.created_at,
            updated_at: number.updated_at,
        }
    }
}

/// A chat business profile (service.md, "Chat business profile").
#[skip_serializing_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatBusinessProfile)]
pub struct ChatBusinessProfileView {
    pub id: ChatBusinessProfileId,
    pub organization_id: OrganizationId,
    pub provider_waba_id: String,
    pub provider_business_id: Option<String>,
    pub business_name: String,
    /// `null`: the access token never expires.
    #[serialize_always]
    #[schema(required)]
    pub token_expires_at: Option<Timestamp>,
    pub onboarding_completed_at: Option<Timestamp>,
    /// `APPROVED`, `REJECTED`, `PENDING`, `DEFERRED`.
    pub review_decision: Option<String>,
    pub review_decided_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub phone_numbers: Vec<ProfileNumber>,
    pub is_test_profile: bool,
}

impl ChatBusinessProfileView {
    pub fn new(o: &OrganizationId, profile: ChatBusinessProfile, phone_numbers: Vec<ProfileNumber>) -> Self {
        ChatBusinessProfileView {
            is_test_profile: profile.mode.is_test(),
            id: profile.id,
            organization_id: o.clone(),
            provider_waba_id: profile.provider_waba_id,
            provider_business_id: profile.provider_business_id,
            business_name: profile.business_name,
            token_expires_at: profile.token_expires_at,
            onboarding_completed_at: profile.onboarding_completed_at,
            review_decision: profile.review_decision,
            review_decided_at: profile.review_decided_at,
            created_at: profile.created_at,
            phone_numbers,
        }
    }
}

/// A chat group.
#[skip_serializing_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatGroup)]
pub struct GroupView {
    pub id: ChatGroupId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    pub subject: String,
    pub description: Option<String>,
    #[schema(value_type = JoinApprovalMode)]
    pub join_approval_mode: Open<JoinApprovalMode>,
    #[schema(value_type = GroupStatus)]
    pub status: Open<GroupStatus>,
    pub invite_link: Option<String>,
    /// Phone numbers, or the platform's user ids where it gives no number.
    pub participants: Vec<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl From<Group> for GroupView {
    fn from(group: Group) -> Self {
        let participants = group.participants();
        GroupView {
            id: group.id,
            chat_phone_number_id: group.chat_phone_number_id,
            subject: group.subject,
            description: group.description,
            join_approval_mode: group.join_approval_mode,
            status: group.status,
            invite_link: group.invite_link,
            participants,
            created_at: group.created_at,
            updated_at: group.updated_at,
        }
    }
}
