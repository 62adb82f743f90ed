//! One POST to an untrusted receiver: to the address that was checked and no other, without redirects, proxies or
//! decompression, within one deadline from name resolution to the last byte read.

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use domain::events::delivery::BODY_KEPT;
use domain::events::webhook::{AddressPolicy, webhook_url};
use http::header::{HOST, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::Url;

use super::PROMPT;
use super::resolve::{Resolver, checked_addresses};
use super::uncounted::Uncounted;

/// The time limit of one attempt.
pub const DEADLINE: Duration = Duration::from_secs(15);
/// Shorter than the deadline, so that a second address of the name can be tried.
const CONNECT: Duration = Duration::from_secs(4);
/// The maximum size of status line and headers, in bytes.
pub const LARGEST_HEAD: usize = 32 * 1024;

/// The error of an attempt that has reached the deadline.
static SILENT: LazyLock<String> =
    LazyLock::new(|| format!("No complete response within {} seconds.", DEADLINE.as_secs()));
/// The error of an attempt that was stopped to be repeated from the patient queue.
pub(super) static STOPPED: LazyLock<String> = LazyLock::new(|| {
    let (prompt, deadline) = (PROMPT.as_secs(), DEADLINE.as_secs());
    format!(
        "No complete response within {prompt} seconds. The event is sent again, with {deadline} seconds for the response."
    )
});

/// Sends POST requests to receivers.
#[derive(Clone)]
pub struct Poster {
    tls: TlsConnector,
    resolver: Arc<dyn Resolver>,
    policy: AddressPolicy,
    deadline: Duration,
    /// The bytes that were posted in test mode and are not counted yet.
    pub(super) uncounted: Uncounted,
}

/// A receiver's response.
#[derive(Debug)]
pub struct ReceiverResponse {
    pub status: u16,
    /// The first KiB of the body.
    pub body: String,
    pub retry_after: Option<Duration>,
    /// Whether the connection ended before the end of the body.
    pub is_incomplete: bool,
}

impl Poster {
    /// Returns a poster that connects only to addresses that `policy` allows, and gives up after `deadline`.
    pub fn new(resolver: Arc<dyn Resolver>, policy: AddressPolicy, deadline: Duration) -> Result<Self, String> {
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Poster {
            tls: TlsConnector::from(Arc::new(config)),
            resolver,
            policy,
            deadline,
            uncounted: Uncounted::default(),
        })
    }

    /// Posts to `url`. An error is the reason why there is no complete response. It is shown to users, so it reveals
    /// nothing internal.
    pub async fn post(&self, url: &str, headers: HeaderMap, body: Bytes) -> Result<ReceiverResponse, &'static str> {
        let sent = self.post_within(self.deadline, url, headers, body).await;
        sent.unwrap_or(Err(SILENT.as_str()))
    }

    /// Works like `post` with a shorter time limit. Returns `None` if there is no complete response within it.
    pub(crate) async fn post_within(
        &self,
        limit: Duration,
        url: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Option<Result<ReceiverResponse, &'static str>> {
        timeout(limit.min(self.deadline), self.exchange(url, headers, body)).await.ok()
    }

    async fn exchange(&self, url: &str, headers: HeaderMap, body: Bytes) -> Result<ReceiverResponse, &'static str> {
        // Checked again, because the rules or the address of this API may have changed since the webhook was created.
        let url = webhook_url(url, "url", &self.policy).map_err(|_| "The URL is not allowed.")?;
        let url = Url::parse(&url).map_err(|_| "The URL is not allowed.")?;
        let addresses = checked_addresses(&url, self.resolver.as_ref(), self.policy.allow_local).await?;
        let stream = connect(&addresses).await?;
        let request = request(&url, headers, body)?;
        let response = if url.scheme() == "https" {
            let name = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let name = ServerName::try_from(name).map_err(|_| "The host name cannot be verified by a certificate.")?;
            let stream = self.tls.connect(name, stream).await.map_err(|_| "The TLS handshake failed.")?;
            send(stream, request).await?
        } else {
            send(stream, request).await?
        };
        read_response(response).await
    }
}

async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, &'static str> {
    for address in addresses {
        if let Ok(Ok(stream)) = timeout(CONNECT, TcpStream::connect(address)).await {
            let _ = stream.set_nodelay(true);
            return Ok(stream);
        }
    }
    Err("The connection was refused or timed out.")
}

fn request(url: &Url, headers: HeaderMap, body: Bytes) -> Result<Request<Full<Bytes>>, &'static str> {
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let target: Uri = target.parse().map_err(|_| "The URL is not allowed.")?;
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let host = HeaderValue::from_str(host).map_err(|_| "The URL is not allowed.")?;
    let mut request = Request::post(target).body(Full::new(body)).map_err(|_| "The request could not be built.")?;
    *request.headers_mut() = headers;
    request.headers_mut().insert(HOST, host);
    Ok(request)
}

async fn send<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, &'static str>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = http1::Builder::new();
    builder.max_buf_size(LARGEST_HEAD);
    let (mut sender, connection) =
        builder.handshake(TokioIo::new(stream)).await.map_err(|_| "The connection was closed.")?;
    // Drives the connection. Normally ends when the response has been read or dropped; the timeout is the last resort.
    tokio::spawn(async move {
        let _ = timeout(DEADLINE * 2, connection).await;
    });
    sender.send_request(request).await.map_err(|_| "The connection was closed, or the response is not HTTP.")
}

/// Reads no more of the body than is stored; closing the connection discards the rest.
async fn read_response(response: Response<Incoming>) -> Result<ReceiverResponse, &'static str> {
    let status = response.status().as_u16();
    let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());

    let mut body = response.into_body();
    let (mut kept, mut is_incomplete) = (Vec::new(), false);
    while kept.len() < BODY_KEPT {
        match body.frame().await {
            None => break,
            // Status and headers still count.
            Some(Err(_)) => {
                is_incomplete = true;
                break;
            }
            Some(Ok(frame)) => {
                if let Ok(chunk) = frame.into_data() {
                    kept.extend_from_slice(&chunk);
                }
            }
        }
    }

    kept.truncate(BODY_KEPT);
    Ok(ReceiverResponse { status, body: readable(&kept), retry_after: seconds.map(Duration::from_secs), is_incomplete })
}

/// Decodes the bytes as text, without control characters that would affect a terminal. The text is truncated again,
/// because U+FFFD, which replaces a byte that is not text, takes three bytes.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    text.truncate(text.floor_char_boundary(BODY_KEPT));
    text
}
