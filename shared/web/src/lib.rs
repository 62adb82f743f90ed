//! An HTTP client for systems outside of AWS: limited in time and size, without redirects and proxies.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;
use tower::Service;
use tower::timeout::Timeout;
use tower::timeout::future::ResponseFuture;
use tower::util::MapFuture;

/// Some hosts reject requests without a `User-Agent`.
const AGENT: HeaderValue = HeaderValue::from_static(concat!("messaging-api/", env!("CARGO_PKG_VERSION")));
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// An HTTP client.
pub struct Http(Client<Connector, Full<Bytes>>);

type Https = HttpsConnector<HttpConnector>;
type Opening = ResponseFuture<<Https as Service<Uri>>::Future>;
/// Limits name resolution, TCP and TLS together: if one of them times out, the request was certainly not sent. The pool
/// requires an `Unpin` future, hence the boxing.
type Connector = MapFuture<Timeout<Https>, fn(Opening) -> Pin<Box<Opening>>>;

/// Whether requests share connections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    Connections,
    /// Each request has a connection of its own and is written to it once. So a request that fails before the
    /// connection exists was certainly not sent. A kept connection can be closed while a request is written to it,
    /// which a frozen function does not notice. Then it would be unknown whether the other side has read the request.
    Nothing,
}

/// Why there is no whole response.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    #[error("the other side {why}")]
    Unreachable { why: &'static str, was_sent: bool },
    #[error("the response with the status {0} is too long")]
    TooLong(StatusCode),
    #[error("the response was cut off")]
    CutOff,
}

/// A response with any status.
pub struct Answer {
    pub status: StatusCode,
    pub body: Bytes,
}

impl Http {
    /// Returns a client. `allow_plaintext` permits URLs without TLS, for a local stand-in.
    pub fn new(connect: Duration, allow_plaintext: bool, reuse: Reuse) -> Result<Self, String> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Divided among the addresses of a name, so that one that does not respond leaves time for the next.
        tcp.set_connect_timeout(Some(connect));

        let roots = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .map_err(|error| error.to_string())?;
        let https =
            if allow_plaintext { roots.https_or_http() } else { roots.https_only() }.enable_http1().wrap_connector(tcp);
        let connector = Connector::new(Timeout::new(https, connect), Box::pin);

        let keeps = reuse == Reuse::Connections;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(if keeps { usize::MAX } else { 0 })
            .retry_canceled_requests(keeps)
            .build(connector);
        Ok(Http(client))
    }

    /// Sends a request, and returns the response when its body begins.
    pub async fn send(&self, mut request: Request<Full<Bytes>>) -> Result<Response<Incoming>, WebError> {
        request.headers_mut().insert(USER_AGENT, AGENT);
        self.0.request(request).await.map_err(|error| WebError::Unreachable {
            why: if error.is_connect() { "could not be reached" } else { "closed the connection" },
            was_sent: !error.is_connect(),
        })
    }

    /// Sends a request and reads the whole response, of at most so many bytes. The caller limits the time.
    pub async fn exchange(&self, request: Request<Full<Bytes>>, max_bytes: usize) -> Result<Answer, WebError> {
        let response = self.send(request).await?;
        let status = response.status();
        match Limited::new(response.into_body(), max_bytes).collect().await {
            Ok(body) => Ok(Answer { status, body: body.to_bytes() }),
            Err(error) if error.is::<LengthLimitError>() => Err(WebError::TooLong(status)),
            Err(_) => Err(WebError::CutOff),
        }
    }
}

/// Limits the time of a call.
pub async fn within<T, E: From<WebError>>(limit: Duration, call: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let late = WebError::Unreachable { why: "did not respond in time", was_sent: true };
    timeout(limit, call).await.unwrap_or_else(|_| Err(late.into()))
}
