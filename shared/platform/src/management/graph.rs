//! The management operations of the platform's Graph API.

use async_trait::async_trait;
use domain::E164;
use domain::chat::{NumberProfile, NumberProfileChange};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::{BlockChange, Decided, Effect, GroupChange, JoinDecision, JoinRequest, ListPage, Management, Outcomes};
use crate::error::{PlatformError, PlatformResult};
use crate::graph::{Call, Graph, error_of, segment};
use crate::http::Reply;
use crate::types::{AccessToken, SourceFile};
use crate::wire::{
    BlockResponse, BlockedUser, Data, DecisionResponse, Edge, InviteLinkResponse, JoinRequestResponse, PROFILE_FIELDS,
    ProfileResponse,
};

#[async_trait]
impl Management for Graph {
    async fn blocked_users(
        &self,
        token: &AccessToken,
        number: &str,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<String>> {
        let most = limit.to_string();
        let mut query = vec![("limit", most.as_str())];
        query.extend(after.map(|after| ("after", after)));
        let page: Edge<BlockedUser> = self.call(token, Call::get(block_list(number), &query)).await?;
        let after =
            page.after_full_page(limit, after).map_err(|()| PlatformError::unreadable(StatusCode::OK.as_u16()))?;
        Ok(ListPage { items: page.data.into_iter().filter_map(BlockedUser::name).collect(), after })
    }

    async fn change_blocked_users(
        &self,
        token: &AccessToken,
        number: &str,
        change: BlockChange,
        users: &[E164],
    ) -> PlatformResult<Outcomes<E164>> {
        let method = match change {
            BlockChange::Block => Method::POST,
            BlockChange::Unblock => Method::DELETE,
        };
        let named: Vec<Value> = users.iter().map(|user| json!({"user": user})).collect();
        let body = json!({"messaging_product": "whatsapp", "block_users": named});
        let call = Call::with_body(method, block_list(number), body);
        // If some users fail, the response has an error status, and both the outcomes and an error.
        let outcomes = |reply: &Reply, secrets: &[&str]| {
            let response = serde_json::from_slice::<BlockResponse>(&reply.body).ok();
            let response = response.filter(BlockResponse::has_outcomes).ok_or_else(|| error_of(reply, secrets))?;
            Ok(response.outcomes(users, reply.status, secrets))
        };
        self.call_reading(token, call, outcomes).await
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

    async fn upload(&self, token: &AccessToken, file: &SourceFile) -> PlatformResult<String> {
        self.upload_file(token, file).await
    }

    async fn update_group(&self, token: &AccessToken, group: &str, change: &GroupChange) -> PlatformResult<Effect> {
        let mut body = json!({"messaging_product": "whatsapp"});
        for (name, text) in [("subject", &change.subject), ("description", &change.description)] {
            if let Some(text) = text {
                body[name] = json!(text);
            }
        }
        self.change(token, Call::with_body(Method::POST, segment(group), body)).await?;
        Ok(Effect::Later)
    }

    async fn delete_group(&self, token: &AccessToken, group: &str) -> PlatformResult<Effect> {
        self.change(token, Call::without_body(Method::DELETE, segment(group))).await?;
        Ok(Effect::Later)
    }

    async fn replace_invite_link(&self, token: &AccessToken, group: &str) -> PlatformResult<String> {
        let path = format!("{}/invite_link", segment(group));
        let call = Call::with_body(Method::POST, path, json!({"messaging_product": "whatsapp"}));
        Ok(self.call::<InviteLinkResponse>(token, call).await?.invite_link)
    }

    async fn join_requests(
        &self,
        token: &AccessToken,
        group: &str,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<JoinRequest>> {
        let most = limit.to_string();
        let mut query = vec![("limit", most.as_str())];
        query.extend(after.map(|after| ("after", after)));
        let page: Edge<JoinRequestResponse> = self.call(token, Call::get(join_list(group), &query)).await?;
        let after =
            page.after_full_page(limit, after).map_err(|()| PlatformError::unreadable(StatusCode::OK.as_u16()))?;
        Ok(ListPage { items: page.data.into_iter().map(Into::into).collect(), after })
    }

    async fn decide_join_requests(
        &self,
        token: &AccessToken,
        group: &str,
        decision: JoinDecision,
        requests: &[String],
    ) -> PlatformResult<Outcomes<Decided>> {
        let method = match decision {
            JoinDecision::Approve => Method::POST,
            JoinDecision::Reject => Method::DELETE,
        };
        let body = json!({"messaging_product": "whatsapp", "join_requests": requests});
        // If some requests fail, the status is 206, or an error status with both the outcomes and an error.
        let outcomes = |reply: &Reply, secrets: &[&str]| {
            let response =
                serde_json::from_slice::<DecisionResponse>(&reply.body).map_err(|_| error_of(reply, secrets))?;
            if response.has_outcomes() {
                return Ok(response.outcomes(requests, reply.status, secrets));
            }
            Err(response.error(secrets).unwrap_or_else(|| error_of(reply, secrets)))
        };
        self.call_reading(token, Call::with_body(method, join_list(group), body), outcomes).await
    }
}

fn profile(number: &str) -> String {
    format!("{}/whatsapp_business_profile", segment(number))
}

fn join_list(group: &str) -> String {
    format!("{}/join_requests", segment(group))
}

fn block_list(number: &str) -> String {
    format!("{}/block_users", segment(number))
}
