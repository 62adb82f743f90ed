//! The calls of the Graph API that the port has: accounts, numbers, templates, messages, groups and media.

use std::collections::HashSet;

use async_trait::async_trait;
use domain::credential::Secret;
use domain::provider::HealthStatus;
use http::header::AUTHORIZATION;
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};
use url::Url;

use super::Graph;
use super::call::{Call, PAGE_SIZE, bearer, error_of, names_a_code, proof, read, segment};
use crate::error::PlatformResult;
use crate::http::{Http, Reply};
use crate::wire::{
    ACCOUNT_FIELDS, AccountResponse, Data, DebugToken, Edge, GroupResponse, HealthResponse, MediaResponse,
    NUMBER_FIELDS, NumberResponse, SendResponse, TEMPLATE_FIELDS, TemplateResponse, TokenResponse,
};
use crate::{
    AccessToken, Account, Download, GroupRequest, MediaLocation, NewGroup, Platform, PlatformError, PlatformNumber,
    TemplatePage, TokenInfo,
};

#[async_trait]
impl Platform for Graph {
    async fn exchange_code(&self, code: &str, redirect_uri: Option<&str>) -> PlatformResult<AccessToken> {
        let app_secret = self.app_secret().await?;
        let mut query =
            vec![("client_id", self.settings.app_id.as_str()), ("client_secret", app_secret.expose()), ("code", code)];
        query.extend(redirect_uri.map(|uri| ("redirect_uri", uri)));
        let request = self.request(&Call::get("oauth/access_token".to_owned(), &query), None)?;
        let reply = Http::within(self.settings.limits.call, self.http.exchange(request)).await?;
        let secrets = [code, app_secret.expose()];
        Ok(Secret::new(read::<TokenResponse>(&reply, &secrets)?.access_token))
    }

    async fn inspect_token(&self, token: &AccessToken) -> PlatformResult<TokenInfo> {
        let (app_id, app_secret) = (&self.settings.app_id, self.app_secret().await?);
        let app_token = Secret::new(format!("{app_id}|{}", app_secret.expose()));
        let call = Call::get("debug_token".to_owned(), &[("input_token", token.expose())]);
        // The platform may repeat the inspected token, too.
        let described =
            |reply: &Reply, secrets: &[&str]| read::<Data<DebugToken>>(reply, &[secrets, &[token.expose()]].concat());
        Ok(self.call_reading(&app_token, call, described).await?.data.info(app_id))
    }

    async fn account(&self, token: &AccessToken, account: &str) -> PlatformResult<Account> {
        let call = Call::get(segment(account), &[("fields", ACCOUNT_FIELDS)]);
        Ok(self.call::<AccountResponse>(token, call).await?.into())
    }

    async fn phone_numbers(&self, token: &AccessToken, account: &str) -> PlatformResult<Vec<PlatformNumber>> {
        let (mut numbers, mut seen, mut after) = (Vec::new(), HashSet::new(), None::<String>);
        loop {
            let mut query = vec![("fields", NUMBER_FIELDS), ("limit", PAGE_SIZE)];
            query.extend(after.as_deref().map(|after| ("after", after)));
            let path = format!("{}/phone_numbers", segment(account));
            let page: Edge<NumberResponse> = self.call(token, Call::get(path, &query)).await?;
            let next = page.after().map_err(|()| PlatformError::unreadable(StatusCode::OK.as_u16()))?;
            numbers.extend(page.data.into_iter().filter_map(NumberResponse::number));
            match next {
                None => return Ok(numbers),
                Some(next) if seen.insert(next.clone()) => after = Some(next),
                Some(_) => return Err(PlatformError::repeated_cursor()),
            }
        }
    }

    async fn subscribe(&self, token: &AccessToken, account: &str) -> PlatformResult<()> {
        let path = format!("{}/subscribed_apps", segment(account));
        self.change(token, Call::with_body(Method::POST, path, json!({}))).await
    }

    async fn unsubscribe(&self, token: &AccessToken, account: &str) -> PlatformResult<()> {
        let path = format!("{}/subscribed_apps", segment(account));
        self.change(token, Call::without_body(Method::DELETE, path)).await
    }

    async fn register(&self, token: &AccessToken, number: &str, pin: &Secret) -> PlatformResult<()> {
        let body = json!({"messaging_product": "whatsapp", "pin": pin.expose()});
        let path = format!("{}/register", segment(number));
        self.change(token, Call::with_body(Method::POST, path, body)).await
    }

    async fn templates(&self, token: &AccessToken, account: &str, after: Option<&str>) -> PlatformResult<TemplatePage> {
        let mut query = vec![("fields", TEMPLATE_FIELDS), ("limit", PAGE_SIZE)];
        query.extend(after.map(|after| ("after", after)));
        let path = format!("{}/message_templates", segment(account));
        let page: Edge<TemplateResponse> = self.call(token, Call::get(path, &query)).await?;
        let after = page.after().map_err(|()| PlatformError::unreadable(StatusCode::OK.as_u16()))?;
        Ok(TemplatePage { templates: page.data.into_iter().map(Into::into).collect(), after })
    }

    async fn send(
        &self,
        token: &AccessToken,
        app_secret: &Secret,
        number: &str,
        message: &Value,
    ) -> PlatformResult<String> {
        let sender = self.sender.as_ref().map_err(|error| domain::Failure::internal(error.clone()))?;
        let call = Call::with_body(Method::POST, format!("{}/messages", segment(number)), message.clone());
        let request = self.request(&call, Some((token, &proof(app_secret, token))))?;
        let reply = Http::within(self.settings.limits.call, sender.exchange(request)).await?;
        if names_a_code(&reply) {
            return Err(error_of(&reply, &[token.expose(), app_secret.expose()]));
        }
        let unreadable = || PlatformError::unreadable(reply.status.as_u16());
        let sent = serde_json::from_slice::<SendResponse>(&reply.body).ok().filter(|_| reply.status.is_success());
        sent.and_then(SendResponse::id).ok_or_else(unreadable)
    }

    async fn mark_read(&self, token: &AccessToken, number: &str, message: &str, is_typing: bool) -> PlatformResult<()> {
        let mut body = json!({"messaging_product": "whatsapp", "status": "read", "message_id": message});
        if is_typing {
            body["typing_indicator"] = json!({"type": "text"});
        }
        let path = format!("{}/messages", segment(number));
        self.change(token, Call::with_body(Method::POST, path, body)).await
    }

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

    async fn remove_participants(
        &self,
        token: &AccessToken,
        group: &str,
        participants: &[String],
    ) -> PlatformResult<()> {
        let users: Vec<Value> = participants.iter().map(|participant| json!({"user": participant})).collect();
        let body = json!({"messaging_product": "whatsapp", "participants": users});
        let path = format!("{}/participants", segment(group));
        self.change(token, Call::with_body(Method::DELETE, path, body)).await
    }

    async fn health(&self, token: &AccessToken, node: &str) -> PlatformResult<HealthStatus> {
        let call = Call::get(segment(node), &[("fields", "health_status")]);
        Ok(self.call_within(self.settings.limits.health, token, call, read::<HealthResponse>).await?.status())
    }

    async fn media(&self, token: &AccessToken, media: &str) -> PlatformResult<MediaLocation> {
        let response: MediaResponse = self.call(token, Call::get(segment(media), &[])).await?;
        Ok(MediaLocation { url: response.url, mime_type: response.mime_type, sha256: response.sha256 })
    }

    async fn download(&self, token: &AccessToken, url: &str, max_bytes: u64) -> PlatformResult<Download> {
        let address = Url::parse(url).ok().filter(|url| self.is_platform_address(url));
        let address = address.ok_or_else(|| PlatformError::unreadable(StatusCode::OK.as_u16()))?;
        let request = Request::get(address.as_str()).header(AUTHORIZATION, bearer(token)?).body(Full::default());
        let request = request.map_err(|error| PlatformError::Internal(domain::Failure::internal(error)))?;
        match self.http.download(request, max_bytes).await {
            Ok(Ok(download)) => Ok(download),
            Ok(Err(reply)) => Err(error_of(&reply, &[token.expose()])),
            Err(Some(error)) => Err(error),
            Err(None) => Err(PlatformError::too_large(max_bytes)),
        }
    }
}
