//! Connecting accounts: the signup of a business, and the steps after it.
//!
//! A person signs up in the platform's dialog (`dialog.rs`), which returns an authorization code. The code is exchanged
//! for an access token; the platform reports the connected account and the permissions of the token. Then this
//! installation subscribes to the account's notifications. Disconnecting ends the subscription. The numbers of an
//! account are in `numbers`.

mod dialog;
mod graph;
mod simulator;
mod wire;

use async_trait::async_trait;
use domain::Timestamp;
use domain::chat::AppData;

use crate::error::PlatformResult;
use crate::vault::AccessToken;

/// The part of the port that connects accounts.
#[async_trait]
pub trait Connecting: Send + Sync {
    /// Exchanges an authorization code for an access token. Never retried: a code is valid for a single call.
    async fn exchange_code(&self, code: &str, redirect_uri: Option<&str>) -> PlatformResult<AccessToken>;
    /// Returns whether the token is valid, its expiry and its accounts.
    async fn inspect_token(&self, token: &AccessToken) -> PlatformResult<TokenInfo>;
    async fn account(&self, token: &AccessToken, account: &str) -> PlatformResult<Account>;
    /// Subscribes this installation to the account's notifications.
    async fn subscribe(&self, token: &AccessToken, account: &str) -> PlatformResult<()>;
    /// Asks the platform to send a part of the business app that is used with a number. Returns whether this was the first
    /// request: a later one has no effect.
    async fn request_app_data(&self, token: &AccessToken, number: &str, data: AppData) -> PlatformResult<bool>;
    /// Ends the subscription. Succeeds if there is none.
    async fn unsubscribe(&self, token: &AccessToken, account: &str) -> PlatformResult<()>;
}

/// The platform's information about an access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    pub is_valid: bool,
    /// The app for which the token was issued; `None` if the platform does not report it.
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
