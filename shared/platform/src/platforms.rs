//! The platform of each mode, with the token of a profile.

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
        failure_with_health(error, self.platform.as_ref(), &self.token, node).await
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

/// The failure that an error of the platform means. What is blocked or restricted gets the health status of `node`, by a second,
/// short call; if that call fails, the failure has no health status.
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
