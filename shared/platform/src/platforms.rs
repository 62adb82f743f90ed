//! The port to the chat platform, and the selection of its implementation.
//!
//! [`Platform`] has all operations of the platform that this API uses: one trait per subject, each in the folder of the
//! subject with its two implementations, for [`Graph`] and for [`Simulator`]. [`Platforms`] selects one by the mode of
//! the object, never by the mode of the credential, and adds the access token of the profile. The result is a [`Line`],
//! or a `SendingLine` (in `sending`) for messages.

use std::sync::Arc;

use aws::Connection;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber};
use domain::id::ChatBusinessProfileId;
use domain::identity::credential::Secret;
use domain::{ErrorCode, Failure, Mode, Timestamp};
use store::OrganizationStore;

use crate::check::AppCheck;
use crate::connecting::Connecting;
use crate::error::PlatformError;
use crate::graph::{Graph, GraphSettings, TimeLimits};
use crate::groups::GroupManagement;
use crate::inspection::{Inspection, failure_with_health};
use crate::media::MediaTransfer;
use crate::numbers::NumberManagement;
use crate::sending::{Messaging, TokenCache};
use crate::simulator::{SIMULATED_PIN, SIMULATED_TOKEN, Simulator};
use crate::templates::TemplateManagement;
use crate::vault::{AccessToken, ProfileSecret, Vault};

/// The chat platform.
pub trait Platform:
    Messaging + Connecting + NumberManagement + GroupManagement + TemplateManagement + MediaTransfer + Inspection
{
}

impl Platform for Graph {}

impl Platform for Simulator {}

/// The real platform and its access tokens.
#[derive(Clone)]
pub struct Platforms {
    pub graph: Arc<Graph>,
    pub vault: Vault,
    /// The access tokens of profiles that send messages.
    pub(crate) tokens: TokenCache,
    pub(crate) app_check: Arc<AppCheck>,
}

/// Access to the platform on behalf of one profile.
pub struct Line {
    pub platform: Arc<dyn Platform>,
    pub token: AccessToken,
    /// The two-step PIN of the profile's numbers.
    pub pin: Secret,
}

impl Line {
    pub(crate) fn simulated(simulator: Simulator) -> Self {
        let (token, pin) = (Secret::new(SIMULATED_TOKEN), Secret::new(SIMULATED_PIN));
        Line { platform: Arc::new(simulator), token, pin }
    }

    /// Returns the API failure for an error of the platform, with the health status of `node` if something is blocked.
    pub async fn failure(&self, error: PlatformError, node: &str) -> Failure {
        failure_with_health(error, &*self.platform, &self.token, node).await
    }
}

impl Platforms {
    /// Returns the platforms. Fails if the platform's base URL is invalid.
    pub fn new(settings: GraphSettings, vault: Vault) -> Result<Self, String> {
        let graph = Arc::new(Graph::new(settings, vault.clone())?);
        Ok(Platforms { graph, vault, tokens: TokenCache::default(), app_check: Arc::default() })
    }

    /// Returns the platform without a profile, for an onboarding.
    pub fn of_signup(&self, mode: Mode, is_coexistence: bool) -> Arc<dyn Platform> {
        match mode {
            Mode::Live => self.graph.clone(),
            Mode::Test => Arc::new(Simulator::new(0).in_coexistence(is_coexistence)),
        }
    }

    /// Returns access on behalf of a profile. Fails if its account was disconnected by a caller.
    pub async fn line(&self, profile: &ChatBusinessProfile) -> Result<Line, Failure> {
        expect_account(profile)?;
        self.line_of(&profile.id, Simulator::new(profile.simulated_syncs)).await
    }

    /// Returns access on behalf of a profile. The simulated platform keeps the account's templates in the
    /// organization's part of the table.
    pub async fn line_of_account(
        &self,
        organization: &OrganizationStore,
        profile: &ChatBusinessProfile,
        now: Timestamp,
    ) -> Result<Line, Failure> {
        expect_account(profile)?;
        let simulator = Simulator::new(profile.simulated_syncs).remembering(organization.clone(), now);
        self.line_of(&profile.id, simulator).await
    }

    /// Returns access on behalf of a number's profile, without reading the profile. The simulated platform keeps the
    /// state of its numbers in the organization's part of the table. Fails if the number was released with its account.
    pub async fn line_of_number(
        &self,
        organization: &OrganizationStore,
        number: &ChatPhoneNumber,
        now: Timestamp,
    ) -> Result<Line, Failure> {
        if number.released_at.is_some() {
            return Err(not_connected());
        }
        let simulator = Simulator::new(0).remembering(organization.clone(), now);
        self.line_of(&number.business_profile.id, simulator).await
    }

    /// Returns access on behalf of a profile: to the simulated platform if the profile is simulated, or else with the
    /// profile's access token. Fails if there is none.
    async fn line_of(&self, profile: &ChatBusinessProfileId, simulator: Simulator) -> Result<Line, Failure> {
        match profile.mode() {
            Mode::Test => Ok(Line::simulated(simulator)),
            Mode::Live => {
                let secret = self.vault.profile(profile).await?;
                Ok(self.live_line(secret.ok_or_else(not_connected)?))
            }
        }
    }

    pub(crate) fn live_line(&self, secret: ProfileSecret) -> Line {
        Line { platform: self.graph.clone(), token: secret.access_token, pin: secret.pin }
    }

    /// Returns the token of a profile that is being disconnected, if there is one.
    pub async fn token_to_release(&self, profile: &ChatBusinessProfile) -> Result<Option<AccessToken>, Failure> {
        match profile.mode {
            Mode::Test => Ok(Some(Secret::new(SIMULATED_TOKEN))),
            Mode::Live => Ok(self.vault.profile(&profile.id).await?.map(|secret| secret.access_token)),
        }
    }
}

/// Fails if the account of a profile was disconnected by a caller.
pub(crate) fn expect_account(profile: &ChatBusinessProfile) -> Result<(), Failure> {
    if profile.is_given_up() { Err(not_connected()) } else { Ok(()) }
}

/// Returns the failure for an account that is not connected.
pub fn not_connected() -> Failure {
    Failure::of_code(
        ErrorCode::ChatNotConfigured,
        "The account is not connected. Connect it again, by a signup or with an access token.",
    )
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
