//! Resources that more than one function shows.

use domain::app::App;
use domain::chat::{ChatMessage, ChatMessageType, ChatPhoneNumber, Direction, ProfileSummary};
use domain::id::{AppId, ChatMessageId, ChatPhoneNumberId};
use domain::{E164, Timestamp};
use serde::Serialize;
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
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatPhoneNumber)]
pub struct ChatPhoneNumberView {
    pub id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    pub provider_phone_number_id: String,
    pub provider_business_account_id: String,
    pub verified: bool,
    pub quality_rating: String,
    pub throughput_tier: String,
    pub name_status: String,
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
            name_status: number.name_status,
            cloud_api_registered: number.cloud_api_registered,
            business_profile: number.business_profile,
            apps,
            created_at: number.created_at,
            updated_at: number.updated_at,
        }
    }
}

/// A chat message (service.md, "Chat message"), as far as the playground fills it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMessage)]
pub struct ChatMessageView {
    pub id: ChatMessageId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    pub from_phone_number: E164,
    pub to_phone_number: E164,
    #[serde(rename = "type")]
    pub kind: ChatMessageType,
    pub direction: Direction,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl From<ChatMessage> for ChatMessageView {
    fn from(message: ChatMessage) -> Self {
        ChatMessageView {
            id: message.id,
            chat_phone_number_id: message.chat_phone_number_id,
            display_phone_number: message.display_phone_number,
            from_phone_number: message.from_phone_number,
            to_phone_number: message.to_phone_number,
            kind: message.kind,
            direction: message.direction,
            text_body: message.text_body,
            sent_at: message.sent_at,
            created_at: message.created_at,
            updated_at: message.updated_at,
        }
    }
}
