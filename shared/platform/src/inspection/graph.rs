//! Inspection with the platform's Graph API.

use async_trait::async_trait;
use domain::error::provider::HealthStatus;
use serde::de::DeserializeOwned;

use super::health::HealthResponse;
use super::wire::{
    ACCOUNT_STATE_FIELDS, AccountStateResponse, AppSubscriptionResponse, NUMBER_STATE_FIELDS, NumberStateResponse,
    SubscribedApp, TokenStateResponse,
};
use super::{AccountState, AppSubscription, Inspection, NumberState, Subscription, TokenState};
use crate::error::PlatformResult;
use crate::graph::{Call, Data, Graph, Reply, segment};
use crate::vault::AccessToken;

impl Graph {
    /// Returns the app's subscription to the notifications of its accounts; `None` if there is none. The platform
    /// rejects the call if the app's credentials are wrong.
    pub(crate) async fn app_subscription(&self) -> PlatformResult<Option<AppSubscription>> {
        let token = self.app_token().await?;
        let path = format!("{}/subscriptions", segment(&self.settings.app_id));
        let subscriptions: Data<Vec<AppSubscriptionResponse>> = self.call(&token, Call::get(path, &[])).await?;
        let of_accounts = subscriptions.data.into_iter().find(AppSubscriptionResponse::is_of_accounts);
        Ok(of_accounts.map(Into::into))
    }

    /// Returns the platform's information about an access token, for the app.
    pub(crate) async fn debug_token<T: DeserializeOwned>(&self, token: &AccessToken) -> PlatformResult<T> {
        let app_token = self.app_token().await?;
        let call = Call::get("debug_token".to_owned(), &[("input_token", token.expose())]);
        // The platform has been seen to repeat parts of the request, here the token.
        let hiding = |reply: &Reply, secrets: &[&str]| reply.read::<Data<T>>(&[secrets, &[token.expose()]].concat());
        Ok(self.call_reading(&app_token, call, hiding).await?.data)
    }
}

#[async_trait]
impl Inspection for Graph {
    async fn token_state(&self, token: &AccessToken) -> PlatformResult<TokenState> {
        Ok(self.debug_token::<TokenStateResponse>(token).await?.state(&self.settings.app_id))
    }

    async fn account_state(&self, token: &AccessToken, account: &str) -> PlatformResult<AccountState> {
        let call = Call::get(segment(account), &[("fields", ACCOUNT_STATE_FIELDS)]);
        Ok(self.call::<AccountStateResponse>(token, call).await?.into())
    }

    async fn account_subscription(&self, token: &AccessToken, account: &str) -> PlatformResult<Option<Subscription>> {
        let path = format!("{}/subscribed_apps", segment(account));
        let apps: Vec<SubscribedApp> = self.whole_list(token, &path, &[]).await?;
        Ok(apps.into_iter().find(|app| app.is(&self.settings.app_id)).map(Into::into))
    }

    async fn number_states(&self, token: &AccessToken, account: &str) -> PlatformResult<Vec<NumberState>> {
        let path = format!("{}/phone_numbers", segment(account));
        let numbers: Vec<NumberStateResponse> =
            self.whole_list(token, &path, &[("fields", NUMBER_STATE_FIELDS)]).await?;
        Ok(numbers.into_iter().map(Into::into).collect())
    }

    async fn health(&self, token: &AccessToken, node: &str) -> PlatformResult<HealthStatus> {
        let call = Call::get(segment(node), &[("fields", "health_status")]);
        let limit = self.settings.limits.health;
        Ok(self.call_within(limit, token, call, Reply::read::<HealthResponse>).await?.status())
    }
}
