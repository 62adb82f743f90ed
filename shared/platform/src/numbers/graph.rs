//! Phone numbers in the platform's Graph API.

use async_trait::async_trait;
use domain::chat::number_code::CodeMethod;
use domain::chat::{ChatUser, NumberProfile, NumberProfileChange};
use domain::identity::credential::Secret;
use http::Method;
use serde_json::{Value, json};

use super::wire::{
    BlockResponse, BlockedUser, NUMBER_FIELDS, NumberResponse, PROFILE_FIELDS, ProfileResponse, STANDING_FIELDS,
    StandingResponse,
};
use super::{BlockChange, NumberManagement, NumberStanding, PlatformNumber};
use crate::error::PlatformResult;
use crate::graph::{Call, Data, Graph, Reply, named_user, segment};
use crate::lists::ListPage;
use crate::outcomes::Outcomes;
use crate::vault::AccessToken;

#[async_trait]
impl NumberManagement for Graph {
    async fn phone_numbers(&self, token: &AccessToken, account: &str) -> PlatformResult<Vec<PlatformNumber>> {
        let path = format!("{}/phone_numbers", segment(account));
        let numbers: Vec<NumberResponse> = self.whole_list(token, &path, &[("fields", NUMBER_FIELDS)]).await?;
        Ok(numbers.into_iter().filter_map(NumberResponse::number).collect())
    }

    async fn number_standing(&self, token: &AccessToken, number: &str) -> PlatformResult<NumberStanding> {
        let call = Call::get(segment(number), &[("fields", STANDING_FIELDS)]);
        Ok(self.call::<StandingResponse>(token, call).await?.standing())
    }

    async fn request_code(
        &self,
        token: &AccessToken,
        number: &str,
        method: CodeMethod,
        language: &str,
    ) -> PlatformResult<()> {
        let body = json!({"code_method": method, "language": language});
        let path = format!("{}/request_code", segment(number));
        self.change(token, Call::with_body(Method::POST, path, body)).await
    }

    async fn verify_code(&self, token: &AccessToken, number: &str, code: &Secret) -> PlatformResult<()> {
        let path = format!("{}/verify_code", segment(number));
        let call = Call::with_body(Method::POST, path, json!({"code": code.expose()}));
        self.change_with_secret(token, call, code).await
    }

    async fn register(&self, token: &AccessToken, number: &str, pin: &Secret) -> PlatformResult<()> {
        let body = json!({"messaging_product": "whatsapp", "pin": pin.expose()});
        let path = format!("{}/register", segment(number));
        self.change_with_secret(token, Call::with_body(Method::POST, path, body), pin).await
    }

    async fn change_pin(&self, token: &AccessToken, number: &str, pin: &Secret) -> PlatformResult<()> {
        let call = Call::with_body(Method::POST, segment(number), json!({"pin": pin.expose()}));
        self.change_with_secret(token, call, pin).await
    }

    async fn deregister(&self, token: &AccessToken, number: &str) -> PlatformResult<()> {
        let path = format!("{}/deregister", segment(number));
        self.change(token, Call::with_body(Method::POST, path, json!({}))).await
    }

    async fn number_profile(&self, token: &AccessToken, number: &str) -> PlatformResult<NumberProfile> {
        let call = Call::get(profile(number), &[("fields", PROFILE_FIELDS)]);
        let response: Data<Vec<ProfileResponse>> = self.call(token, call).await?;
        Ok(response.data.into_iter().next().map(Into::into).unwrap_or_default())
    }

    async fn change_number_profile(
        &self,
        token: &AccessToken,
        number: &str,
        change: &NumberProfileChange,
    ) -> PlatformResult<()> {
        let NumberProfileChange { about, address, description, email, websites, vertical, picture_handle } = change;
        let mut body = json!({"messaging_product": "whatsapp"});
        let texts = [("about", about), ("address", address), ("description", description), ("email", email)];
        for (name, text) in texts.into_iter().chain([("profile_picture_handle", picture_handle)]) {
            if let Some(text) = text {
                body[name] = json!(text);
            }
        }
        if let Some(websites) = websites {
            body["websites"] = json!(websites);
        }
        if let Some(vertical) = vertical {
            body["vertical"] = json!(vertical);
        }
        self.change(token, Call::with_body(Method::POST, profile(number), body)).await
    }

    async fn blocked_users(
        &self,
        token: &AccessToken,
        number: &str,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<String>> {
        let page = self.page::<BlockedUser>(token, block_list(number), limit, after).await?;
        Ok(ListPage { items: page.items.into_iter().filter_map(BlockedUser::name).collect(), after: page.after })
    }

    async fn change_blocked_users(
        &self,
        token: &AccessToken,
        number: &str,
        change: BlockChange,
        users: &[ChatUser],
    ) -> PlatformResult<Outcomes<ChatUser>> {
        let method = match change {
            BlockChange::Block => Method::POST,
            BlockChange::Unblock => Method::DELETE,
        };
        let named: Vec<Value> = users.iter().map(named_user).collect();
        let body = json!({"messaging_product": "whatsapp", "block_users": named});
        let call = Call::with_body(method, block_list(number), body);
        // If some users fail, the response has an error status, and both the outcomes and an error.
        let outcomes = |reply: &Reply, secrets: &[&str]| {
            let response = serde_json::from_slice::<BlockResponse>(&reply.body).ok();
            let response = response.filter(BlockResponse::has_outcomes).ok_or_else(|| reply.error(secrets))?;
            Ok(response.outcomes(users, reply.status, secrets))
        };
        self.call_reading(token, call, outcomes).await
    }
}

impl Graph {
    /// Makes a call whose body has a secret besides the token. Messages must not repeat it.
    async fn change_with_secret(&self, token: &AccessToken, call: Call<'_>, secret: &Secret) -> PlatformResult<()> {
        let hiding = |reply: &Reply, secrets: &[&str]| reply.read::<Value>(&[secrets, &[secret.expose()]].concat());
        self.call_reading(token, call, hiding).await.map(|_| ())
    }
}

fn profile(number: &str) -> String {
    format!("{}/whatsapp_business_profile", segment(number))
}

fn block_list(number: &str) -> String {
    format!("{}/block_users", segment(number))
}
