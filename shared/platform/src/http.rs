//! The HTTP client for the platform: limited in time and size, without redirects and proxies.

use std::io::Write;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use ring::digest::{Context, SHA256};
use tokio::time::timeout;
use tower::Service;
use tower::timeout::Timeout;
use tower::timeout::future::ResponseFuture;
use tower::util::MapFuture;

use crate::{Download, PlatformError, TimeLimits};

/// The limit for responses in bytes; a page of templates is the largest response.
pub(crate) const MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;
/// The platform's media hosts reject requests without a `User-Agent`.
const AGENT: HeaderValue = HeaderValue::from_static(concat!("messaging-api/", env!("CARGO_PKG_VERSION")));
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) struct Http {
    client: Client<Connector, Full<Bytes>>,
    limits: TimeLimits,
}

type Https = HttpsConnector<HttpConnector>;
type Connecting = ResponseFuture<<Https as Service<Uri>>::Future>;
/// Limits name resolution, TCP and TLS together: whatever of them hangs, the request was certainly not sent. The pool
/// requires an `Unpin` future, hence the boxing.
type Connector = MapFuture<Timeout<Https>, fn(Connecting) -> Pin<Box<Connecting>>>;

/// Whether requests share connections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reuse {
    Connections,
    /// Each request has a connection of its own and is written to it once. So a request that fails before the
    /// connection exists was certainly not sent. A kept connection can be closed while a request is written to it,
    /// which a frozen function does not notice, and then nobody knows whether the platform has read the request.
    Nothing,
}

impl Reuse {
    fn idle_connections(self) -> usize {
        match self {
            Reuse::Connections => usize::MAX,
            Reuse::Nothing => 0,
        }
    }
}

/// A response with any status.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

impl Http {
    /// Returns a client. `allow_plaintext` permits URLs without TLS, for a local stand-in of the platform.
    pub(crate) fn new(limits: TimeLimits, allow_plaintext: bool, reuse: Reuse) -> Result<Self, String> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Divided among the addresses of a name, so that one that does not respond leaves time for the next.
        tcp.set_connect_timeout(Some(limits.connect));
        let roots = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .map_err(|error| error.to_string())?;
        let https =
            if allow_plaintext { roots.https_or_http() } else { roots.https_only() }.enable_http1().wrap_connector(tcp);
        let connector = Connector::new(Timeout::new(https, limits.connect), Box::pin);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(reuse.idle_connections())
            .retry_canceled_requests(reuse == Reuse::Connections)
            .build(connector);
        Ok(Http { client, limits })
    }

    async fn send(&self, mut request: Request<Full<Bytes>>) -> Result<Response<hyper::body::Incoming>, PlatformError> {
        request.headers_mut().insert(USER_AGENT, AGENT);
        self.client.request(request).await.map_err(|error| PlatformError::Unreachable {
            why: if error.is_connect() { "could not be reached" } else { "closed the connection" },
            was_sent: !error.is_connect(),
        })
    }

    /// Sends a request and reads the whole response. The caller limits the time.
    pub(crate) async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Reply, PlatformError> {
        self.exchange_up_to(request, MAX_RESPONSE_BYTES).await
    }

    /// Does the same with another limit for the response, in bytes.
    pub(crate) async fn exchange_up_to(
        &self,
        request: Request<Full<Bytes>>,
        max_bytes: usize,
    ) -> Result<Reply, PlatformError> {
        let response = self.send(request).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), max_bytes).collect().await;
        let body = body.map_err(|error| {
            if error.is::<http_body_util::LengthLimitError>() {
                PlatformError::unreadable(status.as_u16())
            } else {
                PlatformError::Unreachable {
                    why: "closed the connection before the end of its response",
                    was_sent: true,
                }
            }
        })?;
        Ok(Reply { status, body: body.to_bytes() })
    }

    /// Limits the time of a call.
    pub(crate) async fn within<T>(
        limit: Duration,
        call: impl Future<Output = Result<T, PlatformError>>,
    ) -> Result<T, PlatformError> {
        let late = PlatformError::Unreachable { why: "did not respond in time", was_sent: true };
        timeout(limit, call).await.unwrap_or(Err(late))
    }

    /// Streams a response to disk. `Ok(Err(_))` is a response with an error status, and `Err(None)` means that the file
    /// is larger than `max_bytes`.
    pub(crate) async fn download(
        &self,
        request: Request<Full<Bytes>>,
        max_bytes: u64,
    ) -> Result<Result<Download, Reply>, Option<PlatformError>> {
        Self::within(self.limits.download, async { Ok(self.stream(request, max_bytes).await) }).await.map_err(Some)?
    }

    async fn stream(
        &self,
        request: Request<Full<Bytes>>,
        max_bytes: u64,
    ) -> Result<Result<Download, Reply>, Option<PlatformError>> {
        let internal = |error: std::io::Error| Some(PlatformError::Internal(domain::Failure::internal(error)));
        let response = self.send(request).await?;
        let status = response.status();
        if !status.is_success() {
            let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
            let body = body.map_err(|_| PlatformError::unreadable(status.as_u16()))?.to_bytes();
            return Ok(Err(Reply { status, body }));
        }
        let mut file = tempfile::NamedTempFile::new().map_err(internal)?;
        let (mut size, mut hash) = (0, Context::new(&SHA256));
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            let cut = PlatformError::Unreachable {
                why: "closed the connection before the end of its response",
                was_sent: true,
            };
            let Ok(chunk) = frame.map_err(|_| cut)?.into_data() else { continue };
            size += chunk.len() as u64;
            if size > max_bytes {
                return Err(None);
            }
            hash.update(&chunk);
            file.write_all(&chunk).map_err(internal)?;
        }
        file.flush().map_err(internal)?;
        let mut sha256 = [0; 32];
        sha256.copy_from_slice(hash.finish().as_ref());
        Ok(Ok(Download { file, size, sha256 }))
    }
}
