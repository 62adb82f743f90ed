//! One HTTP exchange with the platform's Graph API. A [`Call`] becomes a request, which carries the access token in a
//! header, and in its query the proof that the caller knows the app secret. [`Http`] sends it once. The [`Reply`] is read
//! as the expected response, or as the error that the platform reports. [`Graph`] decides whether a failed call is
//! repeated.

use std::time::Duration;

use bytes::Bytes;
use domain::Failure;
use domain::error::provider::Provider;
use domain::identity::credential::{Secret, hex};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ring::hmac;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::form_urlencoded::Serializer;
use web::{Answer, Reuse};

use super::Graph;
use crate::error::{PlatformError, PlatformResult, reported};
use crate::vault::AccessToken;

/// The limit for responses in bytes; a page of templates is the largest response.
pub(crate) const MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;
/// Characters to percent-encode in a path segment.
const PATH_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A call of the Graph API.
pub(crate) struct Call<'a> {
    pub(super) method: Method,
    path: String,
    query: Vec<(&'a str, &'a str)>,
    body: Option<Value>,
}

impl<'a> Call<'a> {
    pub(crate) fn get(path: String, query: &[(&'a str, &'a str)]) -> Self {
        Call::without_body(Method::GET, path).with_query(query)
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
}

/// Returns an id as a segment of a path.
pub(crate) fn segment(id: &str) -> String {
    utf8_percent_encode(id, PATH_SEGMENT).to_string()
}

impl Graph {
    /// Returns the secret of the installation's app. Fails if no app is configured.
    pub(crate) async fn app_secret(&self) -> PlatformResult<Secret> {
        if self.settings.app_id.is_empty() {
            return Err(PlatformError::NotConfigured);
        }
        let app = self.vault.app().await?;
        app.app_secrets.into_iter().next().ok_or(PlatformError::NotConfigured)
    }

    /// Returns the request of a call, on behalf of an access token if there is one. The app secret proves that the token
    /// was not stolen.
    pub(crate) fn request(
        &self,
        call: &Call<'_>,
        token: Option<(&AccessToken, &Secret)>,
    ) -> PlatformResult<Request<Full<Bytes>>> {
        let mut query = Serializer::new(String::new());
        query.extend_pairs(&call.query);
        if let Some((token, app_secret)) = token {
            query.append_pair("appsecret_proof", &proof(app_secret, token));
        }

        let uri = self.address(&format!("{}?{}", call.path, query.finish()));
        let mut request = Request::builder().method(call.method.clone()).uri(uri);
        if let Some((token, _)) = token {
            request = request.header(AUTHORIZATION, authorization("Bearer", token)?);
        }

        let body = match &call.body {
            None => Bytes::new(),
            Some(body) => {
                request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                Bytes::from(body.to_string())
            }
        };
        Ok(request.body(Full::new(body)).map_err(Failure::internal)?)
    }
}

/// Returns the header with an access token.
pub(crate) fn authorization(scheme: &str, token: &AccessToken) -> PlatformResult<HeaderValue> {
    let value = HeaderValue::from_str(&format!("{scheme} {}", token.expose()));
    let mut value = value.map_err(|_| Failure::internal("the access token is not a valid header value"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Returns the platform's `appsecret_proof`: the hexadecimal HMAC-SHA256 of the token with the app secret as its key.
pub(crate) fn proof(app_secret: &Secret, token: &AccessToken) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, app_secret.expose().as_bytes());
    hex(hmac::sign(&key, token.expose().as_bytes()).as_ref())
}

/// The HTTP client, whose failures are failures of the platform.
pub(crate) struct Http(web::Http);

impl Http {
    /// Returns a client. `allow_plaintext` permits URLs without TLS, for a local stand-in of the platform.
    pub(super) fn new(connect: Duration, allow_plaintext: bool, reuse: Reuse) -> Result<Self, String> {
        web::Http::new(connect, allow_plaintext, reuse).map(Http)
    }

    /// Sends a request, and returns the response when its body begins.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> PlatformResult<Response<Incoming>> {
        Ok(self.0.send(request).await?)
    }

    /// Sends a request and reads the whole response. The caller limits the time.
    pub(crate) async fn exchange(&self, request: Request<Full<Bytes>>) -> PlatformResult<Reply> {
        self.exchange_up_to(request, MAX_RESPONSE_BYTES).await
    }

    /// Works like `exchange` with another limit for the response, in bytes.
    pub(crate) async fn exchange_up_to(
        &self,
        request: Request<Full<Bytes>>,
        max_bytes: usize,
    ) -> PlatformResult<Reply> {
        let Answer { status, body } = self.0.exchange(request, max_bytes).await?;
        Ok(Reply { status, body })
    }

    /// Limits the time of a call.
    pub(crate) async fn within<T>(limit: Duration, call: impl Future<Output = PlatformResult<T>>) -> PlatformResult<T> {
        web::within(limit, call).await
    }
}

/// A response with any status.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

impl Reply {
    /// Parses the response. `secrets` are removed from error messages, because the platform can repeat parts of the
    /// request.
    pub(crate) fn read<T: DeserializeOwned>(&self, secrets: &[&str]) -> PlatformResult<T> {
        if !self.status.is_success() {
            return Err(self.error(secrets));
        }
        // A successful response can have no body.
        let body: &[u8] = if self.body.is_empty() { b"{}" } else { &self.body };
        serde_json::from_slice(body).map_err(|_| self.error(secrets))
    }

    /// Returns the error that the response reports, or [`PlatformError::unreadable`] if it reports none.
    pub(crate) fn error(&self, secrets: &[&str]) -> PlatformError {
        match serde_json::from_slice::<ErrorResponse>(&self.body) {
            Ok(ErrorResponse { error }) => reported(error.provider(self.status.as_u16(), secrets), self.status),
            Err(_) => PlatformError::unreadable(self.status.as_u16()),
        }
    }

    /// Returns whether an error response has a code. One without a code can come from a proxy in front of the platform.
    pub(crate) fn names_a_code(&self) -> bool {
        serde_json::from_slice::<ErrorResponse>(&self.body).is_ok_and(|response| response.error.code.is_some())
    }
}

#[derive(Deserialize)]
struct ErrorResponse {
    error: GraphError,
}

/// An error of the platform, about a call or a part of it.
#[derive(Deserialize)]
pub(crate) struct GraphError {
    pub(crate) code: Option<i64>,
    #[serde(default)]
    pub(crate) message: String,
    /// The description for people. For templates, `message` alone is "Invalid parameter".
    pub(crate) error_user_msg: Option<String>,
    pub(crate) fbtrace_id: Option<String>,
}

impl GraphError {
    /// Returns the provider details of the error. The HTTP status replaces a missing code. Secrets are removed from the
    /// message, because the platform has been seen to repeat parts of the request.
    pub(crate) fn provider(self, status: u16, secrets: &[&str]) -> Provider {
        let hide = |text: String, secret: &&str| {
            if secret.is_empty() { text } else { text.replace(*secret, "[removed]") }
        };
        let message = match self.error_user_msg.filter(|details| !details.is_empty()) {
            Some(details) => format!("{}: {details}", self.message),
            None => self.message,
        };
        let message = secrets.iter().fold(message, hide);
        Provider::platform(self.code.unwrap_or(i64::from(status)), &message, self.fbtrace_id).with_http_status(status)
    }
}
