//! The operations of the platform that this API uses.

use async_trait::async_trait;
use domain::credential::Secret;
use domain::provider::HealthStatus;
use serde_json::Value;

use crate::error::PlatformResult;
use crate::inspection::Inspection;
use crate::management::Management;
use crate::templates::TemplateManagement;
use crate::types::{
    AccessToken, Account, Download, GroupRequest, MediaLocation, NewGroup, PlatformNumber, TemplatePage, TokenInfo,
};

/// The chat platform. The mode of an object selects the implementation: `Graph` or `Simulator`.
#[async_trait]
pub trait Platform: Management + TemplateManagement + Inspection {
    /// Exchanges an authorization code for an access token. Never retried: a code is valid for a single call.
    async fn exchange_code(&self, code: &str, redirect_uri: Option<&str>) -> PlatformResult<AccessToken>;
    /// Returns whether the token is valid, its expiry and its accounts.
    async fn inspect_token(&self, token: &AccessToken) -> PlatformResult<TokenInfo>;
    async fn account(&self, token: &AccessToken, account: &str) -> PlatformResult<Account>;
    /// Returns all phone numbers of an account.
    async fn phone_numbers(&self, token: &AccessToken, account: &str) -> PlatformResult<Vec<PlatformNumber>>;
    /// Subscribes this installation to the account's notifications.
    async fn subscribe(&self, token: &AccessToken, account: &str) -> PlatformResult<()>;
    /// Ends the subscription. Succeeds if there is none.
    async fn unsubscribe(&self, token: &AccessToken, account: &str) -> PlatformResult<()>;
    /// Registers a number with the platform's API.
    async fn register(&self, token: &AccessToken, number: &str, pin: &Secret) -> PlatformResult<()>;
    /// Returns a page of an account's templates; `after` is the cursor of the previous page.
    async fn templates(&self, token: &AccessToken, account: &str, after: Option<&str>) -> PlatformResult<TemplatePage>;
    /// Makes one attempt to send a message in the platform's format, and returns the platform's id of it. Never
    /// retried; [`PlatformError::is_outcome_unknown`] tells whether a failed attempt may have sent the message.
    async fn send(
        &self,
        token: &AccessToken,
        app_secret: &Secret,
        number: &str,
        message: &Value,
    ) -> PlatformResult<String>;
    /// Marks an inbound message as read and, if `is_typing`, shows the user that a reply is being written.
    async fn mark_read(&self, token: &AccessToken, number: &str, message: &str, is_typing: bool) -> PlatformResult<()>;
    /// Requests the creation of a group.
    async fn create_group(&self, token: &AccessToken, number: &str, group: &NewGroup) -> PlatformResult<GroupRequest>;
    async fn remove_participants(
        &self,
        token: &AccessToken,
        group: &str,
        participants: &[String],
    ) -> PlatformResult<()>;
    /// Returns the health status of an account, a number or a template.
    async fn health(&self, token: &AccessToken, node: &str) -> PlatformResult<HealthStatus>;
    /// Returns the download address of a media file.
    async fn media(&self, token: &AccessToken, media: &str) -> PlatformResult<MediaLocation>;
    /// Downloads a media file of at most `max_bytes` bytes.
    async fn download(&self, token: &AccessToken, url: &str, max_bytes: u64) -> PlatformResult<Download>;
}
