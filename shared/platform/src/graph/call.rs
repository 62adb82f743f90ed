//! What all calls of the Graph API have in common: paths, authorization, the retry, and the responses.

use std::time::Duration;

use bytes::Bytes;
use domain::credential::{Secret, hex};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request};
use http_body_util::Full;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ring::hmac;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::form_urlencoded::Serializer;

use super::Graph;
use crate::error::{PlatformResult, reported};
use crate::http::{Http, Reply};
use crate::wire::ErrorResponse;
use crate::{AccessToken, PlatformError};

/// The platform's maximum page size.
pub(crate) const PAGE_SIZE: &str = "100";
/// Characters to percent-encode in a path segment.
const PATH_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

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
    pub(super) fn request(
        &self,
        call: &Call<'_>,
        token: Option<(&AccessToken, &str)>,
    ) -> PlatformResult<Request<Full<Bytes>>> {
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

    pub(super) async fn call_within<T>(
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
}

pub(super) fn bearer(token: &AccessToken) -> PlatformResult<HeaderValue> {
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
pub(super) fn names_a_code(reply: &Reply) -> bool {
    serde_json::from_slice::<ErrorResponse>(&reply.body).is_ok_and(|error| error.names_a_code())
}
