//! Connecting accounts with the platform's Graph API.

use async_trait::async_trait;
use domain::chat::AppData;
use domain::identity::credential::Secret;
use http::Method;
use serde_json::json;

use super::wire::{ACCOUNT_FIELDS, AccountResponse, DebugToken, TokenResponse};
use super::{Account, Connecting, TokenInfo};
use crate::error::{PlatformError, PlatformResult};
use crate::graph::{Call, Graph, segment};
use crate::vault::AccessToken;

/// The platform's code for a part of the business app that was requested before.
const REQUESTED_BEFORE: i64 = 2_593_107;

#[async_trait]
impl Connecting for Graph {
    async fn exchange_code(&self, code: &str, redirect_uri: Option<&str>) -> PlatformResult<AccessToken> {
        let app_secret = self.app_secret().await?;
        let mut query =
            vec![("client_id", self.settings.app_id.as_str()), ("client_secret", app_secret.expose()), ("code", code)];
        query.extend(redirect_uri.map(|uri| ("redirect_uri", uri)));
        let call = Call::get("oauth/access_token".to_owned(), &query);
        let response: TokenResponse = self.call_without_token(call, &[code, app_secret.expose()]).await?;
        Ok(Secret::new(response.access_token))
    }

    async fn inspect_token(&self, token: &AccessToken) -> PlatformResult<TokenInfo> {
        Ok(self.debug_token::<DebugToken>(token).await?.info(&self.settings.app_id))
    }

    async fn account(&self, token: &AccessToken, account: &str) -> PlatformResult<Account> {
        let call = Call::get(segment(account), &[("fields", ACCOUNT_FIELDS)]);
        Ok(self.call::<AccountResponse>(token, call).await?.into())
    }

    async fn subscribe(&self, token: &AccessToken, account: &str) -> PlatformResult<()> {
        self.change(token, Call::with_body(Method::POST, subscription_of(account), json!({}))).await
    }

    async fn request_app_data(&self, token: &AccessToken, number: &str, data: AppData) -> PlatformResult<bool> {
        let sync_type = match data {
            AppData::Contacts => "smb_app_state_sync",
            AppData::History => "history",
        };
        let body = json!({"messaging_product": "whatsapp", "sync_type": sync_type});
        let path = format!("{}/smb_app_data", segment(number));
        match self.change(token, Call::with_body(Method::POST, path, body)).await {
            Ok(()) => Ok(true),
            Err(PlatformError::Rejected(provider)) if provider.number() == REQUESTED_BEFORE => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn unsubscribe(&self, token: &AccessToken, account: &str) -> PlatformResult<()> {
        self.change(token, Call::without_body(Method::DELETE, subscription_of(account))).await
    }
}

fn subscription_of(account: &str) -> String {
    format!("{}/subscribed_apps", segment(account))
}
