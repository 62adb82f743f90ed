//! The data that the service exchanges with the platform, in the service's own words.

use domain::chat::group::JoinApprovalMode;
use domain::credential::Secret;
use domain::{E164, Timestamp};
use serde_json::Value;
use tempfile::NamedTempFile;

/// A business token; it is shown nowhere.
pub type AccessToken = Secret;

/// What a token is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    pub is_valid: bool,
    pub expires_at: Option<Timestamp>,
    /// The accounts it is for; `None` where it lists none, which means all.
    pub accounts: Option<Vec<String>>,
    /// The account that was connected last.
    pub newest_account: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: String,
    pub name: String,
    pub owner_business_id: Option<String>,
}

/// A phone number as the platform has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformNumber {
    pub id: String,
    pub display_phone_number: E164,
    pub is_verified: bool,
    /// It sends and receives through the platform's API already; `None` where the platform does not tell.
    pub is_connected: Option<bool>,
    /// It sends and receives, through whatever.
    pub is_in_use: bool,
    /// It is in use on somebody's phone.
    pub is_on_business_app: bool,
    pub quality_rating: Option<String>,
    pub throughput_tier: Option<String>,
    pub name_status: Option<String>,
    pub verified_name: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlatformTemplate {
    pub id: String,
    pub name: String,
    pub language: String,
    pub category: String,
    pub status: String,
    pub components: Value,
    pub parameter_format: Option<String>,
    pub quality_score: Option<String>,
    pub rejected_reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TemplatePage {
    pub templates: Vec<PlatformTemplate>,
    /// Where the next page begins; `None` is the end.
    pub after: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGroup {
    pub subject: String,
    pub description: Option<String>,
    pub join_approval_mode: JoinApprovalMode,
}

/// The platform makes groups later and says so by a notification; the simulated one makes them at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRequest {
    pub request_id: String,
    pub made: Option<MadeGroup>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeGroup {
    pub id: String,
    pub invite_link: String,
}

/// Where the bytes of a medium are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaLocation {
    pub url: String,
    pub mime_type: Option<String>,
    pub sha256: Option<String>,
}

/// Bytes on disk, gone when this is dropped.
pub struct Download {
    pub file: NamedTempFile,
    pub size: u64,
    pub sha256: [u8; 32],
}
