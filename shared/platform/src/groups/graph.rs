//! Groups in the platform's Graph API.

use async_trait::async_trait;
use domain::chat::ChatUser;
use http::Method;
use serde_json::{Value, json};

use super::wire::{DecisionResponse, GroupResponse, InviteLinkResponse, JoinRequestResponse};
use super::{Decided, Effect, GroupChange, GroupManagement, GroupRequest, JoinDecision, JoinRequest, NewGroup};
use crate::error::PlatformResult;
use crate::graph::{Call, Graph, Reply, named_user, segment};
use crate::lists::ListPage;
use crate::outcomes::Outcomes;
use crate::vault::AccessToken;

#[async_trait]
impl GroupManagement for Graph {
    async fn create_group(&self, token: &AccessToken, number: &str, group: &NewGroup) -> PlatformResult<GroupRequest> {
        let mut body = json!({
            "messaging_product": "whatsapp",
            "subject": group.subject,
            "join_approval_mode": group.join_approval_mode.as_str(),
        });
        if let Some(description) = &group.description {
            body["description"] = json!(description);
        }
        let path = format!("{}/groups", segment(number));
        let response: GroupResponse = self.call(token, Call::with_body(Method::POST, path, body)).await?;
        Ok(GroupRequest { request_id: response.request_id, created: None })
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
        let page = self.page::<JoinRequestResponse>(token, join_list(group), limit, after).await?;
        Ok(ListPage { items: page.items.into_iter().map(Into::into).collect(), after: page.after })
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
            let response = serde_json::from_slice::<DecisionResponse>(&reply.body).map_err(|_| reply.error(secrets))?;
            if response.has_outcomes() {
                return Ok(response.outcomes(requests, reply.status, secrets));
            }
            Err(response.error(secrets).unwrap_or_else(|| reply.error(secrets)))
        };
        self.call_reading(token, Call::with_body(method, join_list(group), body), outcomes).await
    }

    async fn add_participants(
        &self,
        token: &AccessToken,
        group: &str,
        participants: &[String],
    ) -> PlatformResult<Effect> {
        self.change(token, of_participants(Method::POST, group, participants)).await?;
        Ok(Effect::Later)
    }

    async fn remove_participants(
        &self,
        token: &AccessToken,
        group: &str,
        participants: &[String],
    ) -> PlatformResult<Effect> {
        self.change(token, of_participants(Method::DELETE, group, participants)).await?;
        Ok(Effect::Later)
    }
}

/// Returns the call that adds or removes participants.
fn of_participants(method: Method, group: &str, participants: &[String]) -> Call<'static> {
    let named = |text: &String| match text.parse::<ChatUser>() {
        Ok(user) => named_user(&user),
        Err(_) => json!({"user": text}),
    };
    let named: Vec<Value> = participants.iter().map(named).collect();
    let body = json!({"messaging_product": "whatsapp", "participants": named});
    Call::with_body(method, format!("{}/participants", segment(group)), body)
}

fn join_list(group: &str) -> String {
    format!("{}/join_requests", segment(group))
}
