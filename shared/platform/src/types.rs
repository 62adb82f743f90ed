//! The data that is exchanged with the platform, under this project's own field names.

use domain::chat::ReviewOutcome;
use domain::chat::group::JoinApprovalMode;
use domain::credential::Secret;
use domain::{E164, Open, Timestamp};
use serde_json::Value;
use tempfile::NamedTempFile;

/// A business token. It never appears in responses or logs.
pub type AccessToken = Secret;

/// The platform's information about an access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    pub is_valid: bool,
    /// The app for which the token was issued; `None` if the platform does not say.
    pub app: Option<TokenApp>,
    pub expires_at: Option<Timestamp>,
    /// The permission to manage accounts.
    pub management: Permission,
    /// The permission to send and receive messages.
    pub messaging: Permission,
    /// The most recently connected account.
    pub newest_account: Option<String>,
}

/// The app for which a token was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenApp {
    /// The app of this installation.
    Own,
    Other,
}

/// A permission of a token, and the accounts to which it is limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    Missing,
    AllAccounts,
    Accounts(Vec<String>),
}

impl Permission {
    /// Returns whether the permission includes an account.
    pub fn covers(&self, account: &str) -> bool {
        match self {
            Permission::Missing => false,
            Permission::AllAccounts => true,
            Permission::Accounts(accounts) => accounts.iter().any(|covered| covered == account),
        }
    }
}

/// A business account at the platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: String,
    pub name: String,
    pub owner_business_id: Option<String>,
}

/// A phone number as the platform describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformNumber {
    pub id: String,
    pub display_phone_number: E164,
    pub is_verified: bool,
    /// Whether the number is registered with the platform's API; `None` if the platform does not say.
    pub is_connected: Option<bool>,
    /// Whether the number is in use, through the API or an app.
    pub is_in_use: bool,
    /// Whether the number is in use in the platform's business app on a phone.
    pub is_on_business_app: bool,
    pub quality_rating: Option<String>,
    pub throughput_tier: Option<String>,
    /// The outcome of the display name's review.
    pub name_status: Option<Open<ReviewOutcome>>,
    pub verified_name: Option<String>,
}

/// A message template as the platform describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlatformTemplate {
    pub id: String,
    pub name: String,
    pub language: String,
    pub category: String,
    pub status: String,
    pub components: Value,
    pub parameter_format: Option<String>,
    /// `None` if the platform does not say.
    pub message_send_ttl_seconds: Option<i64>,
    pub quality_score: Option<String>,
    pub rejected_reason: Option<String>,
}

/// A page of an account's templates.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplatePage {
    pub templates: Vec<PlatformTemplate>,
    /// The cursor of the next page; `None` on the last page.
    pub after: Option<String>,
}

/// The settings of a group to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGroup {
    pub subject: String,
    pub description: Option<String>,
    pub join_approval_mode: JoinApprovalMode,
}

/// An accepted request for a group. The platform creates the group later and sends a notification; the simulator
/// creates it immediately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRequest {
    pub request_id: String,
    pub created: Option<CreatedGroup>,
}

/// A group that has been created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedGroup {
    pub id: String,
    pub invite_link: String,
}

/// The download address of a media file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaLocation {
    pub url: String,
    pub mime_type: Option<String>,
    pub sha256: Option<String>,
}

/// A downloaded file, deleted when this value is dropped.
pub struct Download {
    pub file: NamedTempFile,
    pub size: u64,
    pub sha256: [u8; 32],
}

/// A file to upload. It has no `Debug`, because its URL gives access to the file.
pub struct SourceFile {
    /// Where to read it: a presigned URL of the bucket.
    pub url: String,
    pub file_name: String,
    pub mime_type: String,
    /// In bytes.
    pub size: u64,
}
