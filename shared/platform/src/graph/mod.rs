//! The client of the platform's Graph API.
//!
//! [`Graph`] keeps the connections, the address and the credentials of the installation's app. The folders of the
//! subjects implement the port for it: each builds a [`Call`], makes it with one of the methods here, and reads the
//! response. [`Graph::call`] repeats a call once if that cannot take effect twice. A message is never repeated, so
//! `sending` makes its single attempt itself. A single attempt is in `exchange`.

mod exchange;

use std::sync::LazyLock;
use std::time::Duration;

use domain::Failure;
use domain::chat::ChatUser;
use domain::identity::credential::Secret;
use http::Method;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use url::Url;
use web::Reuse;

use crate::error::PlatformResult;
use crate::vault::{AccessToken, Vault};

pub(crate) use exchange::{Call, GraphError, Http, MAX_RESPONSE_BYTES, Reply, authorization, proof, segment};

/// The platform's address, API version and app, and the time limits of calls.
#[derive(Clone, Debug)]
pub struct GraphSettings {
    /// The base URL, without a trailing slash.
    pub base_url: String,
    /// The version of the Graph API: a `v` and a number with one decimal.
    pub version: String,
    /// The id of the installation's app at the platform; empty if none is configured.
    pub app_id: String,
    pub limits: TimeLimits,
}

/// The time limits of calls to the platform.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    /// The limit for resolving the name, connecting, and the TLS handshake together.
    pub connect: Duration,
    /// The limit for a whole call including its retry.
    pub call: Duration,
    pub health: Duration,
    pub download: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        TimeLimits {
            connect: Duration::from_secs(3),
            call: Duration::from_secs(8),
            health: Duration::from_secs(3),
            download: Duration::from_secs(300),
        }
    }
}

type LazyHttp = LazyLock<Result<Http, String>, Box<dyn FnOnce() -> Result<Http, String> + Send>>;

/// A client of the platform's Graph API.
pub struct Graph {
    pub(crate) http: Http,
    /// The client for messages, each of which has a connection of its own. Created on first use: most functions send none.
    pub(crate) attempts: LazyHttp,
    /// The client that reads media from the bucket, for uploads. Created on first use. The local stack's bucket has no
    /// TLS; the URLs are made by this service.
    bucket: LazyHttp,
    pub(crate) settings: GraphSettings,
    vault: Vault,
}

impl Graph {
    /// Returns a client. Fails if the base URL is invalid.
    pub fn new(settings: GraphSettings, vault: Vault) -> Result<Self, String> {
        let base = Url::parse(&settings.base_url)
            .map_err(|error| format!("PLATFORM_BASE_URL is not a valid URL: {error}."))?;
        let (connect, allow_plaintext) = (settings.limits.connect, base.scheme() == "http");
        let http = Http::new(connect, allow_plaintext, Reuse::Connections)?;
        let attempts = LazyLock::new(Box::new(move || Http::new(connect, allow_plaintext, Reuse::Nothing)) as Box<_>);
        let bucket = LazyLock::new(Box::new(move || Http::new(connect, true, Reuse::Nothing)) as Box<_>);
        Ok(Graph { http, attempts, bucket, settings, vault })
    }

    pub(crate) fn bucket(&self) -> PlatformResult<&Http> {
        Ok(self.bucket.as_ref().map_err(|error| Failure::internal(error.clone()))?)
    }

    /// Returns the URL of a path of the API.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}/{}/{path}", self.settings.base_url, self.settings.version)
    }

    /// Returns the access token of the app itself.
    pub(crate) async fn app_token(&self) -> PlatformResult<AccessToken> {
        let secret = self.app_secret().await?;
        Ok(Secret::new(format!("{}|{}", self.settings.app_id, secret.expose())))
    }

    /// Makes a call once, without an access token. `secrets` are removed from error messages.
    pub(crate) async fn call_without_token<T: DeserializeOwned>(
        &self,
        call: Call<'_>,
        secrets: &[&str],
    ) -> PlatformResult<T> {
        let request = self.request(&call, None)?;
        Http::within(self.settings.limits.call, self.http.exchange(request)).await?.read(secrets)
    }

    /// Makes a call and retries it once if that is safe: a read always, a change only if it cannot have taken effect.
    /// Both attempts share the time limit of a call.
    pub(crate) async fn call<T: DeserializeOwned>(&self, token: &AccessToken, call: Call<'_>) -> PlatformResult<T> {
        self.call_reading(token, call, Reply::read).await
    }

    /// Makes a call like [`Graph::call`], whose response body is not needed.
    pub(crate) async fn change(&self, token: &AccessToken, call: Call<'_>) -> PlatformResult<()> {
        self.call::<Value>(token, call).await.map(|_| ())
    }

    /// Makes a call like [`Graph::call`], whose response is read by `read` for every status. `read` also receives the
    /// secrets that must not appear in messages.
    pub(crate) async fn call_reading<T>(
        &self,
        token: &AccessToken,
        call: Call<'_>,
        read: impl Fn(&Reply, &[&str]) -> PlatformResult<T> + Sync,
    ) -> PlatformResult<T> {
        self.call_within(self.settings.limits.call, token, call, read).await
    }

    /// Makes a call like [`Graph::call_reading`], with a time limit of its own.
    pub(crate) async fn call_within<T>(
        &self,
        limit: Duration,
        token: &AccessToken,
        call: Call<'_>,
        read: impl Fn(&Reply, &[&str]) -> PlatformResult<T> + Sync,
    ) -> PlatformResult<T> {
        let app_secret = self.app_secret().await?;
        let request = self.request(&call, Some((token, &app_secret)))?;
        let secrets = [token.expose(), app_secret.expose()];
        let is_read = call.method == Method::GET;

        let attempt = || async { read(&self.http.exchange(request.clone()).await?, &secrets) };
        Http::within(limit, async {
            match attempt().await {
                Err(error) if error.is_retryable(is_read) => attempt().await,
                result => result,
            }
        })
        .await
    }
}

/// Returns a user in the form of the platform's lists of users: `user` for a phone number, `user_id` for a user id.
pub(crate) fn named_user(user: &ChatUser) -> Value {
    match user {
        ChatUser::Number(number) => json!({"user": number}),
        ChatUser::Id(id) => json!({"user_id": id}),
    }
}

/// Deserializes an id of the platform from a string or a number.
pub(crate) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Text(String),
        Number(u64),
    }
    Ok(match Id::deserialize(deserializer)? {
        Id::Text(text) => text,
        Id::Number(number) => number.to_string(),
    })
}

/// A response whose content is in a field of its own.
#[derive(Deserialize)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
}
