//! The platform's Graph API over HTTP.

use std::collections::HashSet;
use std::sync::LazyLock;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::credential::{Secret, hex};
use domain::provider::HealthStatus;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::Full;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ring::hmac;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::error::{PlatformResult, reported};
use crate::http::{Http, Reply, Reuse};
use crate::wire::{
    ACCOUNT_FIELDS, AccountResponse, Data, DebugToken, Edge, ErrorResponse, GroupResponse, HealthResponse,
    MediaResponse, NUMBER_FIELDS, NumberResponse, SendResponse, TEMPLATE_FIELDS, TemplateResponse, TokenResponse,
};
use crate::{
    AccessToken, Account, Download, GraphSettings, GroupRequest, MediaLocation, NewGroup, Platform, PlatformError,
    PlatformNumber, TemplatePage, TokenInfo, Vault,
};

/// The platform's maximum page size.
pub(crate) const PAGE_SIZE: &str = "100";
/// Characters to percent-encode in a path segment.
const PATH_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The domains that host the platform's media, in addition to its API host.
const MEDIA_HOSTS: [&str; 4] = ["fbsbx.com", "facebook.com", "fbcdn.net", "whatsapp.net"];

type Sender = LazyLock<Result<Http, String>, Box<dyn FnOnce() -> Result<Http, String> + Send>>;

/// A client of the platform's Graph API.
pub struct Graph {
    http: Http,
    /// The client that sends messages. Created on first use: most functions send none.
    sender: Sender,
    /// The client that reads media from the bucket, for uploads. Created on first use. The local stack's bucket has no TLS;
    /// the URLs are made by this service.
    bucket: Sender,
    settings: GraphSettings,
    vault: Vault,
}

/// A call of the Graph API.
pub(crate) struct Call<'a> {
    method: Method,
    path: String,
    query: Vec<(&'a str, &'a str)>,
    body: Option<Value>,
}

impl<'a> Call<'a> {
    pub(crate) fn get(path: String, query: &[(&'a str, &'a str)]) -> Self {
        Call { method: Method::GET, path, query: query.to_vec(), body: None }
    }

    pub(crate) fn with_body(method: Method, path: String, body: Value) -> Self {
        Call { method, path, query: Vec::new(), body: Some(body) }
    }

    pub(crate) fn without_body(method: Method, path: String) -> Self {
        Call { method, path, query: Vec::new(), body: None }
    }

    #[must_use]
    pub(crate) fn with_query(self, query: &[(&'a str, &'a str)]) -> Self {
        Call { query: query.to_vec(), ..self }
    }

    fn is_read(&self) -> bool {
        self.method == Method::GET
    }
}

pub(crate) fn segment(id: &str) -> String {
    utf8_percent_encode(id, PATH_SEGMENT).to_string()
}

impl Graph {
    /// Returns a client. Fails if the base URL is invalid.
    pub fn new(settings: GraphSettings, vault: Vault) -> Result<Self, String> {
        let base = Url::parse(&settings.base_url)
            .map_err(|error| format!("PLATFORM_BASE_URL is not a valid URL: {error}."))?;
        let (limits, allow_plaintext) = (settings.limits, base.scheme() == "http");
        let http = Http::new(limits, allow_plaintext, Reuse::Connections)?;
        let sender = LazyLock::new(Box::new(move || Http::new(limits, allow_plaintext, Reuse::Nothing)) as Box<_>);
        let bucket = LazyLock::new(Box::new(move || Http::new(limits, true, Reuse::Nothing)) as Box<_>);
        Ok(Graph { http, sender, bucket, settings, vault })
    }

    pub(crate) fn http(&self) -> &Http {
        &self.http
    }

    pub(crate) fn bucket(&self) -> PlatformResult<&Http> {
        Ok(self.bucket.as_ref().map_err(|error| domain::Failure::internal(error.clone()))?)
    }

    /// Returns the URL of a path of the API.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}/{}/{path}", self.settings.base_url, self.settings.version)
    }

    /// The version of the API.
    pub(crate) fn version(&self) -> &str {
        &self.settings.version
    }

    /// Returns the id of the installation's app; empty if none is configured.
    pub(crate) fn app_id(&self) -> &str {
        &self.settings.app_id
    }

    pub(crate) async fn app_secret(&self) -> PlatformResult<Secret> {
        if self.settings.app_id.is_empty() {
            return Err(PlatformError::NotConfigured);
        }
        let app = self.vault.app().await?;
        app.app_secrets.into_iter().next().ok_or(PlatformError::NotConfigured)
    }

    fn request(&self, call: &Call<'_>, token: Option<(&AccessToken, &str)>) -> PlatformResult<Request<Full<Bytes>>> {
        let internal = |error: http::Error| PlatformError::Internal(domain::Failure::internal(error));
        let mut query = Serializer::new(String::new());
        query.extend_pairs(&call.query);
        if let Some((_, proof)) = token {
            query.append_pair("appsecret_proof", proof);
        }
        let uri = self.address(&format!("{}?{}", call.path, query.finish()));
        let mut request = Request::builder().method(call.method.clone()).uri(uri);
        if let Some((token, _)) = token {
            request = request.header(AUTHORIZATION, bearer(token)?);
        }
        let body = match &call.body {
            None => Bytes::new(),
            Some(body) => {
                request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                Bytes::from(body.to_string())
            }
        };
        request.body(Full::new(body)).map_err(internal)
    }

    /// Makes a call and retries it once if that is safe: a read always, a change only if it cannot have taken effect.
    /// Both attempts share the time limit of a call.
    pub(crate) async fn call<T: DeserializeOwned>(&self, token: &AccessToken, call: Call<'_>) -> PlatformResult<T> {
        self.call_reading(token, call, read).await
    }

    /// Makes a call like [`Graph::call`], whose response `read` reads whatever its status is. `read` also gets the secrets
    /// that must not appear in messages.
    pub(crate) async fn call_reading<T>(
        &self,
        token: &AccessToken,
        call: Call<'_>,
        read: impl Fn(&Reply, &[&str]) -> PlatformResult<T> + Sync,
    ) -> PlatformResult<T> {
        self.call_within(self.settings.limits.call, token, call, read).await
    }

    async fn call_within<T>(
        &self,
        limit: Duration,
        token: &AccessToken,
        call: Call<'_>,
        read: impl Fn(&Reply, &[&str]) -> PlatformResult<T> + Sync,
    ) -> PlatformResult<T> {
        let app_secret = self.app_secret().await?;
        let request = self.request(&call, Some((token, &proof(&app_secret, token))))?;
        let secrets = [token.expose(), app_secret.expose()];
        let attempt = || async { read(&self.http.exchange(request.clone()).await?, &secrets) };
        Http::within(limit, async {
            match attempt().await {
                Err(error) if error.is_retryable(call.is_read()) => attempt().await,
                result => result,
            }
        })
        .await
    }

    /// Makes a call whose response body is not needed.
    pub(crate) async fn change(&self, token: &AccessToken, call: Call<'_>) -> PlatformResult<()> {
        self.call::<Value>(token, call).await.map(|_| ())
    }

    /// Returns whether the URL belongs to the platform. The business token must not be sent to any other host.
    fn is_platform_address(&self, url: &Url) -> bool {
        let is_api_host = Url::parse(&self.settings.base_url).is_ok_and(|base| base.origin() == url.origin());
        let host = url.host_str().unwrap_or_default();
        let is_below =
            |domain: &str| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let has_usual_port = url.scheme() == "https" && url.port().is_none();
        is_api_host || (has_usual_port && MEDIA_HOSTS.into_iter().any(is_below))
    }
}

fn bearer(token: &AccessToken) -> PlatformResult<HeaderValue> {
    let value = HeaderValue::from_str(&format!("Bearer {}", token.expose()));
    let mut value = value.map_err(|_| domain::Failure::internal("the access token is not a valid header value"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Returns the platform's `appsecret_proof`: the hexadecimal HMAC-SHA256 of the token with the app secret as its key.
pub(crate) fn proof(app_secret: &Secret, token: &AccessToken) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, app_secret.expose().as_bytes());
    hex(hmac::sign(&key, token.expose().as_bytes()).as_ref())
}

/// Parses a response. `secrets` are removed from error messages, because the platform may repeat what was sent.
pub(crate) fn read<T: DeserializeOwned>(reply: &Reply, secrets: &[&str]) -> PlatformResult<T> {
    if !reply.status.is_success() {
        return Err(error_of(reply, secrets));
    }
    // A successful response may have no body.
    let body: &[u8] = if reply.body.is_empty() { b"{}" } else { &reply.body };
    serde_json::from_slice(body).map_err(|_| match serde_json::from_slice::<ErrorResponse>(body) {
        Ok(error) => reported(error.provider(reply.status.as_u16(), secrets), reply.status),
        Err(_) => PlatformError::unreadable(reply.status.as_u16()),
    })
}

pub(crate) fn error_of(reply: &Reply, secrets: &[&str]) -> PlatformError {
    let status = reply.status.as_u16();
    match serde_json::from_slice::<ErrorResponse>(&reply.body) {
        Err(_) => PlatformError::unreadable(status),
        Ok(error) => reported(error.provider(status, secrets), reply.status),
    }
}

/// Returns whether an error response says why: any other one may come from something between here and the platform.
fn names_a_code(reply: &Reply) -> bool {
    serde_json::from_slice::<ErrorResponse>(&reply.body).is_ok_and(|error| error.names_a_code())
}

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
