//! Selects the platform of a mode, with the access token of a profile.

use std::sync::Arc;

use aws::Connection;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::credential::Secret;
use domain::id::ChatBusinessProfileId;
use domain::{Failure, Mode};

use crate::error::PlatformError;
use crate::graph::Graph;
use crate::port::Platform;
use crate::settings::{GraphSettings, TimeLimits};
use crate::simulator::{SIMULATED_PIN, SIMULATED_TOKEN, Simulator};
use crate::types::AccessToken;
use crate::vault::Vault;

/// The real platform and its access tokens. The mode of the object, never that of the credential, selects the platform.
#[derive(Clone)]
pub struct Platforms {
    pub graph: Arc<Graph>,
    pub vault: Vault,
}

/// Access to the platform on behalf of one profile.
pub struct Line {
    pub platform: Arc<dyn Platform>,
    pub token: AccessToken,
    /// The two-step PIN of the profile's numbers.
    pub pin: Secret,
}

impl Line {
    /// Returns the API failure for an error of the platform, with the health status of `node` if something is blocked.
    pub async fn failure(&self, error: PlatformError, node: &str) -> Failure {
        failure_with_health(error, self.platform.as_ref(), &self.token, node).await
    }
}

impl Platforms {
    /// Returns the platforms. Fails if the platform's base URL is invalid.
    pub fn new(settings: GraphSettings, vault: Vault) -> Result<Self, String> {
        Ok(Platforms { graph: Arc::new(Graph::new(settings, vault.clone())?), vault })
    }

    /// Returns the platform without a profile, for an onboarding.
    pub fn of_mode(&self, mode: Mode) -> Arc<dyn Platform> {
        match mode {
            Mode::Live => self.graph.clone(),
            Mode::Test => Arc::new(Simulator::new(0)),
        }
    }

    /// Returns access on behalf of a profile.
    pub async fn line(&self, profile: &ChatBusinessProfile) -> Result<Line, Failure> {
        self.line_of(&profile.id, profile.simulated_syncs).await
    }

    /// Returns access on behalf of a number's profile, which does not have to be read for it.
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
                let kept = kept.ok_or_else(|| Failure::internal("a live profile has no access token"))?;
                Ok(Line { platform: self.graph.clone(), token: kept.access_token, pin: kept.pin })
            }
        }
    }
}

/// Returns the API failure for an error of the platform. If something is blocked or restricted, a second call with a
/// short time limit adds the health status of `node`; if that call fails, the failure has no health status.
pub async fn failure_with_health(
    error: PlatformError,
    platform: &dyn Platform,
    token: &AccessToken,
    node: &str,
) -> Failure {
    if !error.is_blocked() {
        return error.into();
    }
    let health = platform.health(token, node).await.ok();
    error.with_health_status(health).into()
}

/// Returns the platforms from environment variables. `required` returns a variable and records it if it is missing.
pub fn from_environment(
    connection: &Connection,
    mut required: impl FnMut(&'static str) -> String,
) -> Result<Platforms, String> {
    let vault = vault_from_environment(connection, &mut required);
    let settings = GraphSettings {
        base_url: required("PLATFORM_BASE_URL").trim_end_matches('/').to_owned(),
        version: required("PLATFORM_API_VERSION"),
        // Optional: an installation without an app at the platform works in test mode.
        app_id: std::env::var("PLATFORM_APP_ID").unwrap_or_default(),
        limits: TimeLimits::default(),
    };
    Platforms::new(settings, vault)
}

/// Returns access to the secrets from environment variables; see [`from_environment`].
pub fn vault_from_environment(connection: &Connection, mut required: impl FnMut(&'static str) -> String) -> Vault {
    Vault::new(connection, required("PLATFORM_SECRET"), required("PROFILE_SECRETS_PREFIX"))
}
