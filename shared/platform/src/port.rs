//! The operations of the platform, as the service uses them.

use async_trait::async_trait;
use domain::credential::Secret;
use domain::provider::HealthStatus;

use crate::error::PlatformError;
use crate::types::{
    AccessToken, Account, Download, GroupRequest, MediaLocation, NewGroup, PlatformNumber, TemplatePage, TokenInfo,
};

pub(crate) type Answer<T> = Result<T, PlatformError>;

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
