//! Chat business profiles, chat phone numbers and chat messages (service.md, "Resources and their fields").

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::id::{AppId, ChatBusinessProfileId, ChatMessageId, ChatPhoneNumberId};
use crate::{E164, Mode, Timestamp};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatBusinessProfile {
    pub id: ChatBusinessProfileId,
    pub mode: Mode,
    pub provider_waba_id: String,
    pub business_name: String,
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

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatPhoneNumber {
    pub id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    pub provider_phone_number_id: String,
    pub provider_business_account_id: String,
    pub verified: bool,
    pub quality_rating: String,
    pub throughput_tier: String,
    pub name_status: String,
    pub cloud_api_registered: bool,
    pub business_profile: ProfileSummary,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub apps: BTreeSet<AppId>,
    pub revision: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Direction {
    Inbound,
    Outbound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatMessageType {
    Text,
    Image,
    Video,
    Audio,
    Document,
    Location,
    Contacts,
    Template,
    Interactive,
    Reaction,
    Sticker,
    Button,
    Order,
    System,
    Pin,
    Unknown,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatMessage {
    pub id: ChatMessageId,
    pub chat_phone_number_id: ChatPhoneNumberId,
    pub display_phone_number: E164,
    pub from_phone_number: E164,
    pub to_phone_number: E164,
    #[serde(rename = "type")]
    pub kind: ChatMessageType,
    pub direction: Direction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

pub const TEXT_LENGTH: usize = 4096;
