//! The inspection operations of the platform's Graph API.

use std::collections::HashSet;

use async_trait::async_trait;
use domain::credential::Secret;
use http::StatusCode;
use serde::de::DeserializeOwned;

use super::wire::{
    ACCOUNT_STATE_FIELDS, AccountStateResponse, AppSubscriptionResponse, NUMBER_STATE_FIELDS, NumberStateResponse,
    SubscribedApp, TokenStateResponse,
};
use super::{AccountState, AppSubscription, Inspection, NumberState, Subscription, TokenState};
use crate::error::{PlatformError, PlatformResult};
use crate::graph::{Call, Graph, PAGE_SIZE, read, segment};
use crate::http::Reply;
use crate::types::AccessToken;
use crate::wire::{Data, Edge};

impl Graph {
    /// Returns the access token of the app itself.
    async fn app_token(&self) -> PlatformResult<AccessToken> {
        let secret = self.app_secret().await?;
        Ok(Secret::new(format!("{}|{}", self.app_id(), secret.expose())))
    }

    /// Returns how the app is subscribed to the notifications of its accounts; `None` if it is not. The platform rejects
    /// the call if the app's credentials are wrong.
    pub(crate) async fn app_subscription(&self) -> PlatformResult<Option<AppSubscription>> {
        let token = self.app_token().await?;
        let path = format!("{}/subscriptions", segment(self.app_id()));
        let subscriptions: Data<Vec<AppSubscriptionResponse>> = self.call(&token, Call::get(path, &[])).await?;
        let of_accounts = subscriptions.data.into_iter().find(AppSubscriptionResponse::is_of_accounts);
        Ok(of_accounts.map(Into::into))
    }

    /// Returns all elements of a list of the platform.
    async fn whole_list<T: DeserializeOwned>(
        &self,
        token: &AccessToken,
        path: &str,
        fields: Option<&str>,
    ) -> PlatformResult<Vec<T>> {
        let (mut all, mut seen, mut after) = (Vec::new(), HashSet::new(), None::<String>);
        loop {
            let mut query: Vec<_> = fields.map(|fields| ("fields", fields)).into_iter().collect();
            query.push(("limit", PAGE_SIZE));
            query.extend(after.as_deref().map(|after| ("after", after)));
            let page: Edge<T> = self.call(token, Call::get(path.to_owned(), &query)).await?;
            let next = page.after().map_err(|()| PlatformError::unreadable(StatusCode::OK.as_u16()))?;
            all.extend(page.data);
            match next {
                None => return Ok(all),
                Some(next) if seen.insert(next.clone()) => after = Some(next),
                Some(_) => return Err(PlatformError::repeated_cursor()),
            }
        }
    }
}

#[async_trait]
impl Inspection for Graph {
    async fn token_state(&self, token: &AccessToken) -> PlatformResult<TokenState> {
        let call = Call::get("debug_token".to_owned(), &[("input_token", token.expose())]);
        // The platform has been seen to repeat what was sent, here the token.
        let hiding = |reply: &Reply, secrets: &[&str]| read(reply, &[secrets, &[token.expose()]].concat());
        let app_token = self.app_token().await?;
        let response: Data<TokenStateResponse> = self.call_reading(&app_token, call, hiding).await?;
        Ok(response.data.state(self.app_id()))
    }

    async fn account_state(&self, token: &AccessToken, account: &str) -> PlatformResult<AccountState> {
        let call = Call::get(segment(account), &[("fields", ACCOUNT_STATE_FIELDS)]);
        Ok(self.call::<AccountStateResponse>(token, call).await?.into())
    }

    async fn account_subscription(&self, token: &AccessToken, account: &str) -> PlatformResult<Option<Subscription>> {
        let path = format!("{}/subscribed_apps", segment(account));
        let apps: Vec<SubscribedApp> = self.whole_list(token, &path, None).await?;
        Ok(apps.into_iter().find(|app| app.is(self.app_id())).map(Into::into))
    }

    async fn number_states(&self, token: &AccessToken, account: &str) -> PlatformResult<Vec<NumberState>> {
        let path = format!("{}/phone_numbers", segment(account));
        let numbers: Vec<NumberStateResponse> = self.whole_list(token, &path, Some(NUMBER_STATE_FIELDS)).await?;
        Ok(numbers.into_iter().map(Into::into).collect())
    }
}
