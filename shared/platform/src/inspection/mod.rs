//! Inspection: whether messages can be sent and received.
//!
//! The platform reports the state of tokens, accounts, subscriptions and numbers; the platform check reads all of them,
//! and turns them into findings in `check`. It also reports the health status of an account, a number or a template:
//! the blocked or limited entities, the reasons, and possible solutions. This status also explains errors, so a call
//! that failed because something is blocked is followed by a call for the health status (`health.rs`). The simulated
//! platform takes its state from the table (`simulated_state.rs`).

mod graph;
mod health;
mod simulated_state;
mod simulator;
mod wire;

use async_trait::async_trait;
use domain::Timestamp;
use domain::error::provider::HealthStatus;

use crate::error::PlatformResult;
use crate::vault::AccessToken;

pub use health::failure_with_health;
pub(crate) use simulated_state::SimulatedState;

/// The permissions that a token needs.
pub(crate) const PERMISSIONS: [&str; 2] = ["whatsapp_business_management", "whatsapp_business_messaging"];

/// The part of the port that reports whether messages can be sent and received. It changes nothing.
#[async_trait]
pub trait Inspection: Send + Sync {
    async fn token_state(&self, token: &AccessToken) -> PlatformResult<TokenState>;
    async fn account_state(&self, token: &AccessToken, account: &str) -> PlatformResult<AccountState>;
    /// Returns the subscription of this installation's app to the account's notifications; `None` if there is none.
    async fn account_subscription(&self, token: &AccessToken, account: &str) -> PlatformResult<Option<Subscription>>;
    /// Returns the state of all numbers of an account.
    async fn number_states(&self, token: &AccessToken, account: &str) -> PlatformResult<Vec<NumberState>>;
    /// Returns the health status of an account, a number or a template.
    async fn health(&self, token: &AccessToken, node: &str) -> PlatformResult<HealthStatus>;
}

/// The state of an access token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenState {
    pub is_valid: bool,
    /// Whether the token was issued for this installation's app; `true` if the platform does not report it.
    pub is_of_this_app: bool,
    /// When the token ends; `None` if it never does.
    pub ends_at: Option<Timestamp>,
    /// The permissions of the token; empty if the platform does not report them.
    pub permissions: Vec<TokenPermission>,
}

/// A permission of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenPermission {
    pub name: String,
    /// The accounts that the permission is limited to; `None` if it holds for all.
    pub accounts: Option<Vec<String>>,
}

/// The state of an account.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountState {
    /// The outcome of the account's review, as the platform writes it.
    pub review: Option<String>,
    pub health: HealthStatus,
}

/// The subscription of an app to the notifications of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscription {
    /// The URL that replaces the app's own callback URL for this account.
    pub callback_override: Option<String>,
}

/// The subscription of an app to the notifications of all its accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppSubscription {
    pub callback_url: String,
    pub is_active: bool,
    pub fields: Vec<String>,
}

/// The state of a number, with the platform's own values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberState {
    /// The platform's id of the number.
    pub id: String,
    pub status: Option<String>,
    pub platform_type: Option<String>,
    pub verification: Option<String>,
    pub quality: Option<String>,
    pub name_status: Option<String>,
    /// The limit of people with whom a conversation may begin per day, such as `TIER_2K`.
    pub limit: Option<String>,
}
