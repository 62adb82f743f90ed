//! The chat platform: one trait, the real one over HTTP, and the simulated one of test mode, which nothing leaves. Only this
//! crate speaks the platform's field names of requests and answers.

mod error;
mod graph;
mod http;
mod settings;
mod simulator;
mod vault;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use aws::Connection;
use domain::chat::group::JoinApprovalMode;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::credential::Secret;
use domain::id::ChatBusinessProfileId;
use domain::provider::HealthStatus;
use domain::{E164, Failure, Mode, Timestamp};
use serde_json::Value;
use tempfile::NamedTempFile;

pub use error::{PlatformError, enriched, failure_of_code};
pub use graph::Graph;
pub use settings::{GraphSettings, TimeLimits};
pub use simulator::{LONGEST_CODE, SIMULATED_PIN, SIMULATED_TOKEN, Simulator};
pub use vault::{AppCredentials, ProfileSecret, Vault};

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

type Answer<T> = Result<T, PlatformError>;

#[async_trait]
pub trait Platform: Send + Sync {
    /// Never repeated: a code is good for one call.
    async fn exchange_code(&self, code: &str, redirect_uri: Option<&str>) -> Answer<AccessToken>;
    async fn inspect_token(&self, token: &AccessToken) -> Answer<TokenInfo>;
    async fn account(&self, token: &AccessToken, account: &str) -> Answer<Account>;
    /// All of an account's numbers.
    async fn phone_numbers(&self, token: &AccessToken, account: &str) -> Answer<Vec<PlatformNumber>>;
    /// Has the platform send this installation the account's notifications.
    async fn subscribe(&self, token: &AccessToken, account: &str) -> Answer<()>;
    async fn register(&self, token: &AccessToken, number: &str, pin: &Secret) -> Answer<()>;
    async fn templates(&self, token: &AccessToken, account: &str, after: Option<&str>) -> Answer<TemplatePage>;
    async fn create_group(&self, token: &AccessToken, number: &str, group: &NewGroup) -> Answer<GroupRequest>;
    async fn remove_participants(&self, token: &AccessToken, group: &str, participants: &[String]) -> Answer<()>;
    /// Of an account, a number or a template.
    async fn health(&self, token: &AccessToken, node: &str) -> Answer<HealthStatus>;
    async fn media(&self, token: &AccessToken, media: &str) -> Answer<MediaLocation>;
    async fn download(&self, token: &AccessToken, url: &str, most: u64) -> Answer<Download>;
}

/// The real platform and the tokens for it. The mode of an object, never that of a credential, chooses the platform.
#[derive(Clone)]
pub struct Platforms {
    pub graph: Arc<Graph>,
    pub vault: Vault,
}

/// A platform with the token of one profile.
pub struct Line {
    pub platform: Arc<dyn Platform>,
    pub token: AccessToken,
    /// The two-step PIN of the profile's numbers.
    pub pin: Secret,
}

impl Line {
    /// What an error of the platform means, with the health status of `node` where that says more.
    pub async fn failure(&self, error: PlatformError, node: &str) -> Failure {
        enriched(error, self.platform.as_ref(), &self.token, node).await
    }
}

impl Platforms {
    pub fn new(settings: GraphSettings, vault: Vault) -> Result<Self, String> {
        Ok(Platforms { graph: Arc::new(Graph::new(settings, vault.clone())?), vault })
    }

    /// Without a profile, for an onboarding.
    pub fn of_mode(&self, mode: Mode) -> Arc<dyn Platform> {
        match mode {
            Mode::Live => self.graph.clone(),
            Mode::Test => Arc::new(Simulator::new(0)),
        }
    }

    pub async fn line(&self, profile: &ChatBusinessProfile) -> Result<Line, Failure> {
        self.line_of(&profile.id, profile.simulated_syncs).await
    }

    /// For what a number does: of its profile nothing needs to be read but the secret.
    pub async fn line_of_number(&self, number: &ChatPhoneNumber) -> Result<Line, Failure> {
        self.line_of(&number.business_profile.id, 0).await
    }

    async fn line_of(&self, profile: &ChatBusinessProfileId, simulated_syncs: u32) -> Result<Line, Failure> {
        match profile.mode() {
            Mode::Test => Ok(Line {
                platform: Arc::new(Simulator::new(simulated_syncs)),
                token: Secret::new(SIMULATED_TOKEN),
                pin: Secret::new(SIMULATED_PIN),
            }),
            Mode::Live => {
                let kept = self.vault.profile(profile).await?;
                let kept = kept.ok_or_else(|| Failure::internal("a live profile has no token"))?;
                Ok(Line { platform: self.graph.clone(), token: kept.access_token, pin: kept.pin })
            }
        }
    }
}

/// What a function that speaks to the platform finds in its environment; `required` also notes what is missing.
pub fn from_environment(
    connection: &Connection,
    mut required: impl FnMut(&'static str) -> String,
) -> Result<Platforms, String> {
    let vault = vault_from_environment(connection, &mut required);
    let settings = GraphSettings {
        base_url: required("PLATFORM_BASE_URL").trim_end_matches('/').to_owned(),
        version: required("PLATFORM_API_VERSION"),
        // An installation without an app at the platform works in test mode.
        app_id: std::env::var("PLATFORM_APP_ID").unwrap_or_default(),
        limits: TimeLimits::default(),
    };
    Platforms::new(settings, vault)
}

pub fn vault_from_environment(connection: &Connection, mut required: impl FnMut(&'static str) -> String) -> Vault {
    Vault::new(connection, required("PLATFORM_SECRET"), required("PROFILE_SECRETS_PREFIX"))
}
