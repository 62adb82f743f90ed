//! The HTTP client for the platform: limited in time and size, without redirects and proxies.

use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use ring::digest::{Context, SHA256};
use tokio::time::timeout;

use crate::{Download, PlatformError, TimeLimits};

/// The limit for responses in bytes; a page of templates is the largest response.
pub(crate) const MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) struct Http {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    limits: TimeLimits,
}

/// A response with any status.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

impl Http {
    /// `allow_plaintext` permits addresses without TLS, for a local stand-in of the platform.
    pub(crate) fn new(limits: TimeLimits, allow_plaintext: bool) -> Result<Self, String> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(limits.connect));
        tcp.set_nodelay(true);
        let roots = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .map_err(|error| error.to_string())?;
        let connector =
            if allow_plaintext { roots.https_or_http() } else { roots.https_only() }.enable_http1().wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .build(connector);
        Ok(Http { client, limits })
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<hyper::body::Incoming>, PlatformError> {
        self.client.request(request).await.map_err(|error| PlatformError::Unreachable {
            why: if error.is_connect() { "could not be reached" } else { "closed the connection" },
            was_sent: !error.is_connect(),
        })
    }

    /// Sends a request and reads the whole response. The caller limits the time.
    pub(crate) async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Reply, PlatformError> {
        let response = self.send(request).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
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

    /// Streams a response to disk. `Err(None)`: it is larger than `max_bytes`.
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
