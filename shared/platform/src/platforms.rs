//! Selects the platform of a mode, with the access token of a profile.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use aws::Connection;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::credential::Secret;
use domain::id::ChatBusinessProfileId;
use domain::{ErrorCode, Failure, Mode, Timestamp};
use serde_json::Value;
use store::OrganizationStore;

use crate::app_check::AppCheck;
use crate::error::PlatformError;
use crate::graph::Graph;
use crate::inspection::SimulatedState;
use crate::port::Platform;
use crate::settings::{GraphSettings, TimeLimits};
use crate::simulator::{SIMULATED_PIN, SIMULATED_TOKEN, Simulator};
use crate::tokens::TokenCache;
use crate::types::AccessToken;
use crate::vault::Vault;

/// The real platform and its access tokens. The mode of the object, never that of the credential, selects the platform.
#[derive(Clone)]
pub struct Platforms {
    pub graph: Arc<Graph>,
    pub vault: Vault,
    tokens: TokenCache,
    pub(crate) app_check: Arc<AppCheck>,
}

/// Access to the platform on behalf of one profile.
pub struct Line {
    pub platform: Arc<dyn Platform>,
    pub token: AccessToken,
    /// The two-step PIN of the profile's numbers.
    pub pin: Secret,
}

/// Access to the platform on behalf of a profile that sends messages. It holds everything that a send needs, so that
/// nothing can delay or fail an attempt but the platform.
pub struct SendingLine {
    line: Line,
    app_secret: Secret,
}

impl SendingLine {
    /// Makes one attempt to send a message; see [`Platform::send`].
    pub async fn send(&self, number: &str, message: &Value) -> Result<String, PlatformError> {
        self.platform.send(&self.token, &self.app_secret, number, message).await
    }
}

impl Deref for SendingLine {
    type Target = Line;

    fn deref(&self) -> &Line {
        &self.line
    }
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
        let graph = Arc::new(Graph::new(settings, vault.clone())?);
        Ok(Platforms { graph, vault, tokens: TokenCache::default(), app_check: Arc::default() })
    }

    /// Returns the platform without a profile, for an onboarding.
    pub fn of_mode(&self, mode: Mode) -> Arc<dyn Platform> {
        match mode {
            Mode::Live => self.graph.clone(),
            Mode::Test => Arc::new(Simulator::new(0)),
        }
    }

    /// Returns access on behalf of a profile. Fails if its account was disconnected by a caller.
    pub async fn line(&self, profile: &ChatBusinessProfile) -> Result<Line, Failure> {
        if profile.is_given_up() {
            return Err(not_connected());
        }
        self.line_of(&profile.id, profile.simulated_syncs).await
    }

    /// Returns access on behalf of a profile. The simulated platform remembers the account's templates in the store of the
    /// organization.
    pub async fn line_of_account(
        &self,
        organization: &OrganizationStore,
        profile: &ChatBusinessProfile,
        now: Timestamp,
    ) -> Result<Line, Failure> {
        let line = self.line(profile).await?;
        Ok(match profile.mode {
            Mode::Live => line,
            Mode::Test => {
                let simulator = Simulator::new(profile.simulated_syncs).remembering(organization.clone(), now);
                Line { platform: Arc::new(simulator), ..line }
            }
        })
    }

    /// Returns access on behalf of a number's profile, without reading the profile. The simulated platform remembers its
    /// numbers in the store of the organization. Fails if the number was released with its account.
    pub async fn line_of_number(
        &self,
        organization: &OrganizationStore,
        number: &ChatPhoneNumber,
        now: Timestamp,
    ) -> Result<Line, Failure> {
        if number.released_at.is_some() {
            return Err(not_connected());
        }
        let line = self.line_of(&number.business_profile.id, 0).await?;
        Ok(match number.id.mode() {
            Mode::Live => line,
            Mode::Test => {
                let simulator = Simulator::new(0).remembering(organization.clone(), now);
                Line { platform: Arc::new(simulator), ..line }
            }
        })
    }

    /// Returns access on behalf of a profile for sending, with a cached token: for a minute, and only for the revision
    /// of the profile that was read, so that a new signup takes effect at once. `None` if there is no token.
    pub async fn line_for_sending(
        &self,
        organization: &OrganizationStore,
        profile: &ChatBusinessProfile,
        now: Timestamp,
    ) -> Result<Option<SendingLine>, Failure> {
        if profile.mode.is_test() {
            let simulator = Simulator::new(profile.simulated_syncs)
                .remembering(organization.clone(), now)
                .sending_for(&profile.provider_waba_id);
            let line = Line { platform: Arc::new(simulator), ..self.line(profile).await? };
            return Ok(Some(SendingLine { line, app_secret: Secret::new(SIMULATED_TOKEN) }));
        }

        let kept = match self.tokens.get(&profile.id, profile.revision, Instant::now()) {
            Some(kept) => kept,
            None => {
                let Some(kept) = self.vault.profile(&profile.id).await? else { return Ok(None) };
                self.tokens.keep(&profile.id, profile.revision, &kept, Instant::now());
                kept
            }
        };

        let app_secret = self.graph.app_secret().await?;
        let line = Line { platform: self.graph.clone(), token: kept.access_token, pin: kept.pin };
        Ok(Some(SendingLine { line, app_secret }))
    }

    /// Returns the token of a profile that is being disconnected, if there is one.
    pub async fn token_to_release(&self, profile: &ChatBusinessProfile) -> Result<Option<AccessToken>, Failure> {
        match profile.mode {
            Mode::Test => Ok(Some(Secret::new(SIMULATED_TOKEN))),
            Mode::Live => Ok(self.vault.profile(&profile.id).await?.map(|kept| kept.access_token)),
        }
    }

    /// Returns access on behalf of a profile to check it; `None` if there is no token. The simulated platform knows what
    /// the table says of the profile and its numbers.
    pub(crate) async fn line_for_check(
        &self,
        profile: &ChatBusinessProfile,
        numbers: &[ChatPhoneNumber],
        now: Timestamp,
    ) -> Result<Option<Line>, Failure> {
        if profile.mode.is_test() {
            let simulator = Simulator::new(profile.simulated_syncs).knowing(SimulatedState::new(profile, numbers, now));
            return Ok(Some(Line { platform: Arc::new(simulator), ..self.line(profile).await? }));
        }
        let kept = self.vault.profile(&profile.id).await?;
        Ok(kept.map(|kept| Line { platform: self.graph.clone(), token: kept.access_token, pin: kept.pin }))
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
                let kept = kept.ok_or_else(not_connected)?;
                Ok(Line { platform: self.graph.clone(), token: kept.access_token, pin: kept.pin })
            }
        }
    }
}

/// Returns the failure for an account through which nothing can be done.
pub fn not_connected() -> Failure {
    Failure::of_code(
        ErrorCode::ChatNotConfigured,
        "The account is not connected. Connect it again, by a signup or with an access token.",
    )
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
